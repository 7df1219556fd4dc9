"""Takes the pictures of the page and draws its icons: a real match of two people, in Chromium.

    make web-pictures

Match codes and the port differ each time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from shutil import which

from playwright.sync_api import Browser, Page, expect, sync_playwright

from kit.processes import Machine

HERE = Path(__file__).parent
PHONE = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP = {"viewport": {"width": 1100, "height": 700}}
PAGE_FOLDER = HERE.parents[1] / "web" / "mastermind_web"
ICON_SIZES = (192, 512)  # pixels, which browsers need to install a page
GUESSES = ("RRGG", "GBYY", "GOPR")


def main() -> None:
    """Write web-home.png, web-phone.png and web-desktop.png, and the icons of the page as PNG."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        machine = Machine(Path(folder))
        try:
            port = machine.serve().port
            browser = playwright.chromium.launch(executable_path=which("chromium"))
            draw(browser, f"http://127.0.0.1:{port}")
            draw_icons(browser)
        finally:
            machine.close()


def draw(browser: Browser, address: str) -> None:
    """Play a match of Bob and Ada, and take the pictures on the way."""
    bob, ada = (
        browser.new_context(base_url=address, locale="en", **size).new_page()
        for size in (DESKTOP, PHONE)
    )
    ada.goto("/")
    expect(ada.get_by_role("link", name="Play a bot")).to_be_visible()
    take(ada, "web-home")
    bob.goto("/#invite")
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_label("Rated").check()
    bob.get_by_label("First round").select_option("maker")
    bob.get_by_role("button", name="Get the link").click()
    ada.goto(bob.get_by_label("Link").input_value())
    ada.get_by_label("Your name").fill("Ada")
    ada.get_by_role("button", name="Take the seat").click()
    expect(bob.get_by_role("status")).to_contain_text("Hide a code")
    bob.keyboard.type("GOBY")
    bob.keyboard.press("Enter")
    expect(ada.get_by_role("status")).to_contain_text("Find it")
    for number, guess in enumerate(GUESSES, 1):
        ada.keyboard.type(guess)
        ada.keyboard.press("Enter")
        expect(ada.get_by_role("status")).to_contain_text(f"Guess {number}")
    bob.get_by_label("Chat line").fill("You are close!")
    bob.keyboard.press("Enter")
    expect(ada.get_by_role("log")).to_contain_text("You are close!")
    ada.keyboard.type("GO")
    take(ada, "web-phone")
    take(bob, "web-desktop")


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


def take(page: Page, name: str) -> None:
    """Write the picture of a page."""
    page.screenshot(path=HERE / f"{name}.png", animations="disabled")


if __name__ == "__main__":
    main()
