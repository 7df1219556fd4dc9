"""The page of statistics, and the review of a match step by step."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from web.play import win
from web.visitors import find_violations

NAME = "<i title='\"'>&lt;{{url}}"


@pytest.fixture
def bob(visit, machine, server):
    """The page of Bob, who has broken the code 1234 of a hostile name with the second guess."""
    return win(visit, machine, server, name=NAME)


def part(page, title):
    """Return the part of the statistics with a title."""
    heading = page.get_by_role("heading", name=title)
    return page.locator("section").filter(has=heading)


def test_statistics_lead_to_a_challenge_and_to_a_review_step_by_step(bob):
    bob.goto("/#statistics")
    expect(part(bob, "Your games")).to_contain_text("1matches played1matches won1won in a row2.00")
    expect(part(bob, "Codes you broke").get_by_role("listitem")).to_have_text(["212 guesses: 1"])
    expect(part(bob, "Last games").get_by_role("listitem")).to_contain_text("won, 2 guesses")
    opponent = part(bob, "Opponents").get_by_role("listitem")
    expect(opponent).to_contain_text(f"{NAME} 1 match")
    expect(opponent).to_contain_text("1 won, 0 drawn, 0 lost")
    assert find_violations(bob) == []
    opponent.get_by_role("button", name="Challenge").click()
    expect(bob.get_by_role("heading", name=f"Challenge {NAME}?")).to_be_visible()
    bob.get_by_role("button", name="Not now").click()

    part(bob, "Last games").get_by_role("link", name="Review").click()

    expect(bob.get_by_role("heading", level=1, name="Review")).to_be_visible()
    expect(bob.get_by_text(f"{NAME} \u2013 Bob")).to_be_visible()
    expect(bob.get_by_role("heading", name="Guess 1: good")).to_be_visible()
    expect(bob.get_by_text("Better: R R G B, which leaves 185.3")).to_be_visible()
    bob.keyboard.press("ArrowRight")
    expect(bob.get_by_role("heading", name="Guess 2: found it")).to_be_visible()
    expect(bob.get_by_text("It was the code, one of")).to_be_visible()
    assert find_violations(bob) == []
    bob.get_by_role("button", name="One guess back").click()
    expect(bob.get_by_role("heading", name="Guess 1: good")).to_be_visible()
    assert bob.locator("i[title]").count() == 0
    bob.get_by_role("link", name="To the match").click()
    expect(bob.get_by_role("heading", name="You win.")).to_be_visible()


def test_the_statistics_of_a_new_visitor_lead_to_a_game(visit):
    page = visit("/#you")
    page.get_by_role("link", name="Your statistics").click()
    expect(page.get_by_text("You have finished no match yet.").first).to_be_visible()
    page.get_by_label("A player by name").fill("Nobody at all")
    page.get_by_role("button", name="Challenge").click()
    page.get_by_role("dialog").get_by_role("button", name="Not rated").click()
    expect(page.get_by_role("alert")).to_contain_text("none of your opponents is called Nobody")
    page.get_by_role("link", name="Play a bot").click()
    expect(page.get_by_role("heading", level=1, name="Play a bot")).to_be_visible()


def test_a_running_match_has_no_review(visit):
    page = visit("/#bot")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    code = re.sub(".*/", "", page.url)
    page.goto(f"/#review/{code}")
    expect(page.get_by_text("No round was played.")).to_be_visible()
