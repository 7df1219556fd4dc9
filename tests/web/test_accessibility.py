"""Roles, names, contrast and structure of the pages, by axe and by golden files."""

from __future__ import annotations

from playwright.sync_api import expect

from web.play import enter, expect_guess, expect_status, hide, open_places, say, take_seat
from web.visitors import compare_golden, find_violations


def test_pages_around_a_match_have_no_violations(visit):
    page = visit()
    for place in open_places(page):
        assert find_violations(page) == [], place


def test_a_match_has_no_violations_from_invitation_to_result(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}")
    expect(page.get_by_role("heading", name="Ada invites you")).to_be_visible()
    assert find_violations(page) == []
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    say(page, "hello")
    assert find_violations(page) == []
    enter(page, "RGBY")
    expect_status(page, "You win.")
    assert find_violations(page) == []


def test_golden_pages(visit, machine, server):
    home = visit()
    expect(home.get_by_text("You are guest-")).to_be_visible()
    expect(home.get_by_text("In a terminal:")).to_be_visible()  # the last that loads
    compare_golden("home", home)
    _ada, code = hide(machine, server)
    page = visit(f"/{code}")
    expect(page.get_by_role("button", name="Take the seat")).to_be_visible()
    compare_golden("invitation", page)
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_status(page, "1 black, 1 white")
    say(page, "hello")
    compare_golden("playing", page)
    enter(page, "RGBY")
    expect_status(page, "You win.")
    expect(page.get_by_text("found it")).to_be_visible()
    expect(page.get_by_text("Codes you broke")).to_be_visible()
    compare_golden("finished", page)
