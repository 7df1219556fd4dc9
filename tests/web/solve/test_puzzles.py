"""Puzzles: solved, missed and given up in a browser, and their record."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import expect

from mastermind_protocol.feedback import score
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.analysis.puzzles import make_puzzle
from web.play import expect_status, type_code
from web.visitors import find_violations

CLASSIC = find_rules("classic")
LETTERS = CLASSIC.alphabets[1]


def solve(seed):
    """Return the only code that fits the turns of a puzzle, in letters."""
    turns = make_puzzle(CLASSIC, 1, seed)
    (code,) = (
        code
        for code in product(range(6), repeat=4)
        if all(score(code, turn.code) == turn.feedback for turn in turns)
    )
    return "".join(LETTERS[colour] for colour in code)


def expect_record(page, solved, streak, longest):
    part = page.locator("section").filter(has=page.get_by_role("heading", name="Your puzzles"))
    expect(part).to_contain_text(f"{solved}solved{streak}in a row{longest}longest")


@pytest.fixture
def page(visit):
    """A puzzle from a link."""
    page = visit("/#puzzle/classic/1/5")
    expect(page.get_by_role("heading", level=1, name="Puzzle")).to_be_visible()
    return page


def test_a_puzzle_is_checked_and_the_record_is_in_the_statistics(page):
    expect(page.get_by_text("Exactly one code fits all")).to_be_visible()
    type_code(page, solve(5))
    expect_status(page, "Right: ", "is the only code that fits.")
    expect_record(page, 1, 1, 1)
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.get_by_role("button", name="Check")).to_be_visible()
    assert page.url.split("/")[-2] == "1"
    assert not page.url.endswith("/5")
    seed = int(page.url.split("/")[-1])
    missed = next(code for code in ("RRRR", "GGGG") if code != solve(seed))
    type_code(page, missed)
    expect_status(page, "Wrong: if ", " were the code, the answer to guess ")
    expect(page.locator(".row.suspect")).to_have_count(1)
    expect_record(page, 1, 0, 1)
    assert find_violations(page) == []
    page.goto("/#statistics")
    expect_record(page, 1, 0, 1)


def test_giving_up_shows_the_code_after_a_question(page):
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("dialog").get_by_role("button", name="Give it up").click()
    expect_status(page, f"The code is {' '.join(solve(5))}.")
    expect_record(page, 0, 0, 0)
    expect(page.get_by_role("button", name="Check")).to_have_count(0)


@pytest.mark.parametrize("puzzle", ["classic/4/1", "classic/1/1000000000", "classic/1/x"])
def test_an_address_of_no_puzzle_is_a_sentence(visit, puzzle):
    page = visit(f"/#puzzle/{puzzle}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such puzzle.")


def test_a_puzzle_is_shared_as_its_link(page):
    page.evaluate("() => { navigator.share = async (data) => { window.shared = data; }; }")
    page.get_by_role("button", name="Share").click()
    page.wait_for_function("() => window.shared")
    assert page.evaluate("() => window.shared.url") == page.url
