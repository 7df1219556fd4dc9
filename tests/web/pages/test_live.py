"""Home shows a running match in small, without following it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from web.clock import REFRESH, expect_home, refresh_home, stop_clock
from web.visitors import find_violations

NAME = "<i title='\"'>&lt;{{url}}"
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# A tab in the background.
_SET_HIDDEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def bob(machine, server):
    """Bob at a terminal, who has made a guess in a public match. A hostile name hides RGBY."""
    terms = "--versus=anyone", "--rules=4x6/9", f"--server={server.address}"
    ada = machine.start("play", *terms, "--as=maker", f"--name={NAME}")
    bob = machine.start("play", *terms, "--as=breaker", "--name=Bob")
    ada.answer("Your secret", "RGBY")
    bob.answer("Guess 1", "RRGG")
    bob.expect("1 black, 1 white")
    return bob


@pytest.fixture
def open_home(visit, server):
    """Opens home with a stopped clock; returns the page, and what counts its requests."""

    def open_home(viewport):
        frames: list[bytes] = []
        page = visit.arrive(f"http://127.0.0.1:{server.port}", viewport=viewport).new_page()
        page.on(
            "websocket", lambda socket: socket.on("framesent", lambda sent: frames.append(sent))
        )
        stop_clock(page)
        page.goto("/")
        return page, lambda op: sum(op in frame for frame in frames)

    return open_home


def expect_answer(page, answer):
    expect(page.get_by_role("img", name=answer)).to_be_visible()


def test_home_shows_the_guesses_of_a_match_at_most_every_ten_seconds_while_it_is_seen(
    bob, open_home
):
    home, count = open_home(DESKTOP)
    expect_answer(home, "Guess 1, R R G G: 1 black, 1 white.")
    expect(home.get_by_role("link", name=f"Bob and {NAME}")).to_be_visible()
    assert home.locator("i[title]").count() == 0
    bob.answer("Guess 2", "RGGB")
    bob.expect("2 black, 1 white")
    refresh_home(home)
    expect_answer(home, "Guess 2, R G G B: 2 black, 1 white.")

    home.get_by_role("link", name="How to play").click()
    home.get_by_role("link", name="To the start page").click()
    expect_answer(home, "Guess 2")
    expect_home(home)
    assert count(b"snapshot") == 2

    asked = count(b"own")
    home.evaluate(_SET_HIDDEN, True)
    bob.answer("Guess 3", "BBBB")
    bob.expect("1 black, 0 white")
    home.clock.fast_forward(3 * REFRESH)
    home.evaluate(_SET_HIDDEN, False)
    expect_answer(home, "Guess 3, B B B B: 1 black, 0 white.")
    assert (count(b"snapshot"), count(b"own")) == (3, asked + 1)
    home.clock.resume()  # axe has timers
    assert find_violations(home) == []


@pytest.mark.usefixtures("bob")
def test_a_phone_requests_no_snapshot(open_home):
    home, count = open_home(PHONE)
    expect(home.get_by_role("link", name=f"Bob and {NAME}")).to_be_visible()
    expect_home(home)
    assert count(b"own") == 1
    assert count(b"snapshot") == 0
    expect(home.get_by_role("img")).to_have_count(0)
