"""The code of the day: before, during and after the own try, and after its close."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from web.days import (
    begin_try,
    break_code,
    find_code,
    make_players_older,
    miss_code,
    serve_at,
    withdraw,
)
from web.play import enter, expect_guess, expect_status, give_up
from web.visitors import find_violations

NOON = "2026-11-24T12:00Z"  # of day 147
LATE, OVER = "2026-11-25T00:10Z", "2026-11-25T00:32Z"  # until 00:30 a try can be finished
ZONE = "Europe/Warsaw"  # an hour before UTC
_RECORD_SHARING = "() => { navigator.share = async (data) => { window.shared = data; }; }"


@pytest.fixture
def noon(machine):
    """A server at noon."""
    return serve_at(machine, NOON)


@pytest.fixture
def page(visit, noon):
    """A new visitor at home."""
    return visit(port=noon.port, timezone_id=ZONE)


def part(page, title):
    """Return the part of the page with a title."""
    return page.locator("section").filter(has=page.get_by_role("heading", name=title))


def restart(server, machine, moment):
    """Replace the server by one at a later moment, with the same address."""
    server.stop()
    return serve_at(machine, moment, server.port)


def test_a_try_begins_at_home_continues_after_a_reload_and_ends_with_results(page, machine):
    item = page.locator("#page section").first
    expect(item).to_contain_text("Today's code 147")
    expect(item).to_contain_text("One code for everybody, one try. 11 h left.")
    item.get_by_role("link", name="Break it").click()
    expect(page.get_by_role("heading", level=1, name="Today's code")).to_be_visible()
    expect(page.get_by_text("No. 147 · Tuesday 24 November")).to_be_visible()
    expect(page.get_by_text("4 pegs, 6 colours, 12 guesses.")).to_be_visible()
    expect(page.get_by_text("Begin it until 01:00, end it until 01:30.")).to_be_visible()
    expect(page.get_by_role("heading", name="Next code in 11:59:")).to_be_visible()
    expect(page.get_by_role("heading", name="All players")).to_have_count(0)
    expect(page.get_by_role("heading", name="Places")).to_have_count(0)

    page.get_by_role("button", name="Break it").click()
    expect_status(page, "One code for everybody, one try.")
    code = find_code(machine)
    enter(page, miss_code(code))
    expect_guess(page, 1, "0 black, 0 white")
    for label in ("Advice", "Leave", "Share"):
        expect(page.get_by_role("button", name=label, exact=True)).to_have_count(0)
    expect(page.get_by_label("Chat line")).to_have_count(0)
    page.reload()
    expect_guess(page, 1, "0 black, 0 white")
    page.goto("/")
    page.get_by_role("link", name="Continue").click()
    enter(page, code)
    expect(page.get_by_role("heading", name="You broke the code in 2 guesses.")).to_be_visible()
    expect(page.get_by_role("button", name="Play again")).to_have_count(0)
    page.get_by_role("link", name="The results of the day").click()

    expect(page.get_by_role("heading", name="Cracked in 2 of 12")).to_be_visible()
    expect(page.get_by_text("would be 1st: 2 guesses in 00:")).to_be_visible()
    bars = part(page, "All players").get_by_role("listitem")
    expect(bars).to_have_text(["212 guesses: 1 (you)"])
    expect(part(page, "Your days")).to_contain_text("1day in a row")
    assert find_violations(page) == []
    page.evaluate(_RECORD_SHARING)
    page.get_by_role("button", name="Share").click()
    page.wait_for_function("() => window.shared")
    assert page.evaluate("() => window.shared.text") == "Mastermind 147 · 2/12\n····\n●●●●"
    page.goto("/")
    expect(page.locator("#page section").first).to_contain_text("2/12")
    expect(page.locator("#page section").first).to_contain_text("1 day in a row")


def test_a_device_that_comes_too_late_shows_the_result_of_the_other(page, machine):
    other = page.context.new_page()
    other.goto("/#day")
    expect(other.get_by_text("Nobody has begun yet.")).to_be_visible()
    break_code(page, machine)
    other.get_by_role("button", name="Break it").click()
    expect_status(other, "You have had your try at code 147 of classic")
    expect(other.get_by_role("heading", name="Cracked in 2 of 12")).to_be_visible()


def test_another_visitor_reads_that_a_try_is_private_until_the_reveal(page, visit, noon):
    begin_try(page)
    code = urlsplit(page.url).path
    for place in (code, f"/#review{code}"):
        stranger = visit(place, port=noon.port)
        problem = "Only its player can follow this match until code 147 is revealed."
        expect(stranger.get_by_text(problem)).to_be_visible()


def test_who_gives_up_sees_no_code_until_the_reveal(page, machine, noon):
    begin_try(page, "mini")
    enter(page, "RRRR")
    expect_guess(page, 1, "white")
    page.get_by_role("button", name="Give up").click()
    expect(page.get_by_role("dialog")).to_contain_text("The code stays hidden until 01:31.")
    page.get_by_role("button", name="Go on").click()
    give_up(page)
    page.get_by_role("link", name="The results of the day").click()
    expect(page.get_by_role("heading", name="Given up")).to_be_visible()
    expect(page.get_by_role("img", name="hidden")).to_be_visible()
    expect(page.locator("#page")).to_contain_text("The code stays hidden until 01:31.")
    expect(page.get_by_role("link", name="How good was it?")).to_have_count(0)
    restart(noon, machine, OVER)
    page.goto("/#day/mini/147")
    page.reload()
    expect(page.get_by_text("as it was sealed ✓")).to_be_visible()
    page.get_by_role("link", name="How good was it?").click()
    expect(page.get_by_role("heading", level=1, name="Review")).to_be_visible()


def test_a_try_of_yesterday_continues_from_home_until_half_past(page, machine, noon):
    begin_try(page)
    restart(noon, machine, LATE)
    page.goto("/")
    item = page.locator("#page section").first
    expect(item).to_contain_text("Code 147")
    expect(item).to_contain_text("19 min left.")
    item.get_by_role("link", name="Continue").click()
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_a_withdrawn_code_is_named_as_such_and_not_played(page, visit, noon, machine):
    begin_try(page)
    withdraw(machine, NOON, 147)
    enter(page, "RRGG")
    expect_status(page, "Code 147 of classic was withdrawn: it does not count.")
    page.goto("/")
    item = page.locator("#page section").first
    expect(item).to_contain_text("Next code in 11 h.")
    item.get_by_role("link", name="Your result").click()
    expect(page.get_by_text("This code does not count, and breaks no streak.")).to_be_visible()
    other = visit(port=noon.port).locator("#page section").first
    expect(other).to_contain_text("Next code in 11 h.")
    expect(other.get_by_role("link")).to_have_text("Today's code")  # without a result
    expect(page.get_by_role("heading", name="Places")).to_have_count(0)


def test_after_the_close_all_boards_are_shown_and_proven(visit, machine, noon):
    ada, bob = (visit("/#you", port=noon.port) for _ in range(2))
    for page, name in ((ada, "Ada"), (bob, "Bob")):
        page.get_by_label("Your name").fill(name)
        page.keyboard.press("Enter")
        expect_status(page, name)
    make_players_older(machine)
    for page in (ada, bob):
        break_code(page, machine)
    expect(bob.get_by_role("row").filter(has_text="Ada").get_by_role("link")).to_have_count(1)
    restart(noon, machine, OVER)
    bob.reload()
    expect(bob.get_by_role("heading", level=1, name="Code 147")).to_be_visible()
    expect(bob.get_by_text("as it was sealed ✓")).to_be_visible()
    assert find_violations(bob) == []
    bob.get_by_role("link", name="2: the board of Ada-").click()
    expect(bob.get_by_role("heading", name="Ada broke the code in 2 guesses.")).to_be_visible()
    expect(bob.get_by_text("Code proven")).to_be_visible()
    expect(bob.get_by_text("found it")).to_be_visible()
    bob.goto("/#days")
    expect(bob.get_by_role("heading", level=1, name="November 2026")).to_be_visible()
    expect(bob.get_by_role("row").filter(has_text="Tue 24")).to_have_text("147Tue 2422")
    assert find_violations(bob) == []
