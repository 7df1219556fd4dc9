"""Steps of a player on the page, by the roles and names of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Locator, Page, expect

from kit.processes import Machine, Program, Server
from web.visitors import Visitors

PLACES: dict[str, str | re.Pattern[str]] = {
    "/": "Mastermind",
    "/#day": "Today's code",
    "/#days": re.compile(r"^[A-Z][a-z]+ \d{4}$"),  # this month, which can end during a test
    "/#bot": "Play a bot",
    "/#invite": "Invite a friend",
    "/#anyone": "Play with anyone",
    "/#watch": "Watch a match",
    "/#leaders": "Leaderboard",
    "/#solve": "Helper",
    "/#puzzle/classic/1/5": "Puzzle",
    "/#how": "How to play",
    "/#you": "Name and devices",
    "/#settings": "Settings",
}
"""The pages around a match, and their titles."""
# Challenges a player by id, and returns the code of the match.
CHALLENGE = """async (player) => {
  const fields = { player, rules: "mini", rounds: 2 };
  return (await window.session.request("challenge", fields)).match;
}"""
# Opens a second session of the visitor, and returns the id of its player.
_CONNECT = """async () => {
  const load = (name) => import(document.scripts[0].src.replace("main", `connection/${name}`));
  const [{ Session, findStorage }, { matchesOf }] = await Promise.all(
    ["session", "followed"].map(load),
  );
  const url = `ws://${location.host}/`;
  window.session = new Session({ url, storage: findStorage("localStorage"), onChange: () => {} });
  window.matches = matchesOf(window.session);
  await window.session.request("ping");
  return window.session.player.id;
}"""

_HAS_LOADED = """(names) => {
  const loaded = performance.getEntriesByType("resource").map((it) => it.name);
  return names.every((name) => loaded.some((address) => address.endsWith(`/${name}`)));
}"""


def open_places(page: Page) -> Iterator[str]:
    """Open each page around a match; yield its address as soon as it is complete."""
    for place, title in PLACES.items():
        page.goto(place)
        expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
        expect(page.locator("#page > :not(:empty)").first).to_be_visible()
        if place == "/":
            expect(page.get_by_text("In a terminal:")).to_be_visible()  # with the later styles
        yield place


def open_bot_match(page: Page, **choices: str) -> None:
    """Start a match with a bot from home; `choices` are options of the form by their labels.

    It has one round, unless they have a length.
    """
    page.get_by_role("link", name="Play a bot").click()
    for label, option in {"length": "1", **choices}.items():
        name = label.replace("_", " ").capitalize()
        page.get_by_role("combobox", name=name, exact=True).select_option(option)
    page.get_by_role("button", name="Start").click()


def take_seat(page: Page, name: str) -> None:
    """Take the seat of the invitation that the page shows."""
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Take the seat").click()


def enter(page: Page, code: str, answer: str = "Send") -> None:
    """Fill the row by clicks, and send it: letters of colours, such as `RGBY`."""
    for letter in code:
        page.get_by_role("button", name=f"({letter})").click()
    page.get_by_role("button", name=answer).click()


def type_code(page: Page, code: str) -> None:
    """Fill the row by the keyboard, and send it."""
    page.keyboard.type(code.lower())
    page.keyboard.press("Enter")


def row(page: Page, number: int) -> Locator:
    """Return the row of a guess, which has a star if it had advice."""
    header = page.get_by_role("rowheader", name=re.compile(rf"^{number}\*?$"))
    return page.get_by_role("row").filter(has=header)


def expect_guess(page: Page, number: int, answer: str) -> None:
    """Wait until the board shows the answer to a guess."""
    expect(row(page, number)).to_contain_text(answer)


def expect_status(page: Page, *texts: str) -> None:
    """Wait until the status has these texts in their order."""
    for text in texts:
        expect(page.get_by_role("status")).to_contain_text(text)


def expect_loaded(page: Page) -> None:
    """Wait until the page of a match has loaded what no first guess needs, such as the chat."""
    expect(page.get_by_label("Chat line")).to_be_visible()


def expect_files(page: Page, *names: str) -> None:
    """Wait until a page has loaded these files, such as `pages/home.js`."""
    page.wait_for_function(_HAS_LOADED, arg=names)


def invite(
    machine: Machine, server: Server, *options: str, name: str = "Ada"
) -> tuple[Program, str]:
    """Open a match of a player at a terminal; return the program and the match code.

    It has one round, unless `options` give another number.
    """
    at = f"--server={server.address}"
    friend = "--versus=friend", "--rounds=1"
    program = machine.start("play", *friend, f"--name={name}", at, *options)
    return program, program.find(r"Invite code: (\w{6})\n")[1]


def hide(
    machine: Machine, server: Server, code: str = "1234", *options: str, name: str = "Ada"
) -> tuple[Program, str]:
    """Open a match as the codemaker at a terminal, who hides `code` as soon as the match starts."""
    ada, match = invite(machine, server, "--as=maker", *options, name=name)
    ada.send(code)
    return ada, match


def win(visit: Visitors, machine: Machine, server: Server, *, name: str = "Ada") -> Page:
    """Return the page of Bob, who has broken the code 1234 of `name` with the second guess."""
    _, code = hide(machine, server, name=name)
    page = visit(f"/{code}")
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    enter(page, "RGBY")
    expect(page.get_by_role("heading", name="You win.")).to_be_visible()
    return page


def tap(page: Page, code: str, answer: str = "Send") -> None:
    """Fill the row by touch, and send it."""
    for letter in code:
        page.get_by_role("button", name=f"({letter})").tap()
    page.get_by_role("button", name=answer).tap()


def give_up(page: Page) -> None:
    """Give up the round."""
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("dialog").get_by_role("button", name="Give it up").click()


def focus(page: Page, wanted: Locator) -> None:
    """Press Tab until a part has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(100):
        if wanted.evaluate("(it) => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} does not get the focus")


def say(page: Page, text: str) -> None:
    """Say something in the chat of a match."""
    page.get_by_label("Chat line").fill(text)
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text(text)


def change_network(page: Page) -> None:
    """Report a changed network to a page: it checks its connection, or connects again at once.

    By itself it connects after a random pause, which doubles for each attempt during the test.
    """
    page.evaluate("() => window.dispatchEvent(new Event('online'))")


def connect(page: Page) -> str:
    """Connect a second session of a visitor, and return the id of its player."""
    page.wait_for_function("() => localStorage.length > 0")  # the player's token
    player: str = page.evaluate(_CONNECT)
    return player
