"""Takes the pictures of the page and draws its icons: real matches of two people, in Chromium.

    make web-pictures

A sheet in `web` shows one page on a phone and on a desktop, light and dark. Match codes and the
port differ each time.
"""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from shutil import which

from playwright.sync_api import Browser, Page, expect, sync_playwright

from kit.processes import Machine
from web.days import find_code

HERE = Path(__file__).parent
SHEETS = HERE / "web"
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
GAP = 20  # pixels between the pictures of a sheet
PAGE_FOLDER = HERE.parents[1] / "web" / "mastermind_web"
ICON_SIZES = (192, 512)  # pixels, which browsers need to install a page
GUESSES = ("RRGG", "GBYY", "GOPR")
MATCHES = 3
# Draws pictures, each [data, x, y], on a canvas; WebP is a quarter of the size of PNG.
_DRAW_SHEET = """async ([width, height, pictures]) => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  for (const [data, x, y] of pictures) {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    canvas.getContext("2d").drawImage(image, x, y);
  }
  return canvas.toDataURL("image/webp", 0.9).split(",")[1];
}"""


def main() -> None:
    """Write the sheets, web-phone.png and web-desktop.png, and the icons of the page as PNG."""
    SHEETS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        machine = Machine(Path(folder))
        try:
            browser = playwright.chromium.launch(executable_path=which("chromium"))
            Photographer(browser, machine).take_all()
            draw_icons(browser)
        finally:
            machine.close()


class Photographer:
    """Plays rated matches of Bob and Ada, and takes a picture of each page on the way."""

    def __init__(self, browser: Browser, machine: Machine) -> None:
        self._machine, address = machine, f"http://127.0.0.1:{machine.serve().port}"
        self._bob, self._ada, self._eve = (
            browser.new_context(base_url=address, locale="en", viewport=size).new_page()
            for size in (DESKTOP, PHONE, PHONE)
        )
        self._canvas = browser.new_page()

    def take_all(self) -> None:
        """Write the sheets, web-phone.png and web-desktop.png."""
        ada = self._ada
        for place, title in {"": "Mastermind", "how": "How to play", "bot": "Play a bot"}.items():
            self._open(place, title)
            self._take(place or "first-visit")
        for number in range(MATCHES):
            self._play(last=number == MATCHES - 1)
        self._take("result")
        ada.get_by_role("link", name="Step by step").click()
        self._take("review")
        self._open("leaders", "Leaderboard")
        self._take("leaderboard")
        self._open("settings", "Settings")
        self._take("settings")
        self._open("statistics", "Statistics")
        self._take("statistics")
        self._open("people", "People")
        self._take("people")
        ada.get_by_role("link", name="Bob").click()
        expect(ada.get_by_role("button", name="Challenge")).to_be_visible()
        self._take("profile")
        self._break_day_code()
        self._take("day")
        self._invite(ada)
        self._play_in_public()
        ada.set_viewport_size(DESKTOP)
        self._open("", "Mastermind")
        expect(ada.get_by_role("img", name="Guess 3")).to_be_visible()
        self._take("home")

    def _open(self, place: str, title: str) -> None:
        self._ada.goto(f"/#{place}")
        expect(self._ada.get_by_role("heading", level=1, name=title)).to_be_visible()

    def _break_day_code(self) -> None:
        """Let all break the code of the day, Ada last, and open her result."""
        players = [self._bob, self._eve, self._ada]
        for page, guesses in zip(players, (GUESSES, GUESSES[:1], GUESSES[:2]), strict=True):
            page.goto("/#day")
            page.get_by_role("button", name="Break it").click()
            expect(page.get_by_role("status")).to_contain_text("One code")
            for number, guess in enumerate((*guesses, find_code(self._machine))):
                self._send(page, guess, f"Guess {number}" if number else "One code")
            page.get_by_role("link", name="The results of the day").click()
            expect(page.get_by_role("heading", name="All players")).to_be_visible()

    def _invite(self, page: Page) -> str:
        """Open a rated match of the page's player, who hides a code first, and return its link."""
        page.goto("/#invite")
        self._name(page)
        page.get_by_label("Rated").check()
        page.get_by_label("First round").select_option("maker")
        page.get_by_role("button", name="Get the link").click()
        return page.get_by_label("Link").input_value()

    def _play_in_public(self) -> None:
        """Let Bob and Eve make some guesses in a public match."""
        players = [self._bob, self._eve]
        for page in players:
            page.goto("/#anyone")
            self._name(page)
            page.get_by_role("button", name="Find an opponent").click()
            if page is self._bob:
                waiting = page.get_by_role("heading", name="Waiting for an opponent")
                expect(waiting).to_be_visible()
        expect(self._bob.locator(".plate", has_text="Eve")).to_be_visible()
        expect(self._bob.get_by_role("status")).not_to_be_empty()
        hides = "Hide a code" in self._bob.get_by_role("status").inner_text()
        maker, breaker = players if hides else reversed(players)
        self._send(maker, "GOBY", "Hide a code")
        for number, guess in enumerate(GUESSES):
            self._send(breaker, guess, f"Guess {number}" if number else "Find it")
        expect(maker.get_by_role("status")).to_contain_text("Guess 3")

    def _name(self, page: Page) -> None:
        """Fill in the name of a page's player, if a form asks for it."""
        expect(page.locator("form button").first).to_be_visible()
        if (field := page.get_by_label("Your name")).is_visible():
            field.fill({self._ada: "Ada", self._bob: "Bob", self._eve: "Eve"}[page])

    def _play(self, *, last: bool) -> None:
        """Play a match that Ada wins; take pictures on the way if it is the `last` one."""
        ada, bob = self._ada, self._bob
        ada.goto(self._invite(bob))
        if last:
            self._take("invitation")
        self._name(ada)
        ada.get_by_role("button", name="Take the seat").click()
        self._send(bob, "GOBY", "Hide a code")
        for number, guess in enumerate(GUESSES):
            self._send(ada, guess, f"Guess {number}" if number else "Find it")
        expect(ada.get_by_role("status")).to_contain_text("Guess 3")
        if last:
            bob.get_by_label("Chat line").fill("You are close!")
            bob.keyboard.press("Enter")
            expect(ada.get_by_role("log")).to_contain_text("You are close!")
            ada.keyboard.type("GO")
            bob.screenshot(path=HERE / "web-desktop.png", animations="disabled")
            ada.screenshot(path=HERE / "web-phone.png", animations="disabled")
            self._take("match")
            ada.keyboard.press("Backspace")
            ada.keyboard.press("Backspace")
        self._send(ada, "GOBY", "Guess 3")
        for page in (ada, bob):
            page.get_by_role("button", name="Next round").click()
        self._send(ada, "PYRO", "Hide a code")
        for number, guess in enumerate((*GUESSES, "PRYO", "PYRO")):
            self._send(bob, guess, f"Guess {number}" if number else "Find it")
        expect(ada.get_by_role("heading", name="You win.")).to_be_visible()

    def _send(self, page: Page, code: str, status: str) -> None:
        """Send a code as soon as the status line has the text `status`."""
        expect(page.get_by_role("status")).to_contain_text(status)
        page.keyboard.type(code)
        page.keyboard.press("Enter")

    def _take(self, name: str) -> None:
        """Write the sheet of Ada's page: phone and desktop, light above dark."""
        page = self._ada
        pictures = []
        for row, scheme in enumerate(("light", "dark")):
            for column, size in enumerate((PHONE, DESKTOP)):
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size(size)
                page.wait_for_load_state("networkidle")
                picture = base64.b64encode(page.screenshot(animations="disabled")).decode()
                x, y = column * (PHONE["width"] + GAP), row * (PHONE["height"] + GAP)
                pictures.append((picture, x, y))
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(PHONE)
        width, height = PHONE["width"] + GAP + DESKTOP["width"], 2 * PHONE["height"] + GAP
        sheet = self._canvas.evaluate(_DRAW_SHEET, [width, height, pictures])
        (SHEETS / f"{name}.webp").write_bytes(base64.b64decode(sheet))


def draw_icons(browser: Browser) -> None:
    """Write icon.svg as PNG without round corners, in a margin that a phone may cut off."""
    svg = (PAGE_FOLDER / "icon.svg").read_text("utf-8")
    full = svg.replace('viewBox="0 0 16 16"', 'viewBox="-1 -1 18 18"')
    full = full.replace(
        '<rect width="16" height="16" rx="3"', '<rect x="-1" y="-1" width="18" height="18"'
    )
    for size in ICON_SIZES:
        page = browser.new_page(viewport={"width": size, "height": size})
        page.set_content(f'<body style="margin: 0; display: grid">{full}')
        page.screenshot(path=PAGE_FOLDER / "install" / f"icon-{size}.png")


if __name__ == "__main__":
    main()
