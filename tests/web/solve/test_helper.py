"""The helper for games that are played elsewhere, in a browser on a phone and by the keyboard."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from mastermind_protocol.feedback import score
from mastermind_protocol.rules import find_rules
from web.play import expect_status
from web.visitors import find_violations

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True}
CLASSIC = find_rules("classic")
SECRET = (1, 3, 4, 0)  # GYOR


def choose_answer(page, black, white):
    """Enter an answer by taps, and add the row."""
    for name, number in (("Black", black), ("White", white)):
        chosen = page.get_by_role("group", name=name).get_by_role("button", name=str(number))
        if chosen.get_attribute("aria-pressed") == "false":  # otherwise it has followed
            chosen.tap()
    page.get_by_role("button", name="Next").tap()


def type_turns(page, *turns):
    """Type guesses with their answers, such as `rrgg02`."""
    for turn in turns:
        page.keyboard.type(turn)
        page.keyboard.press("Enter")


def read_code(page):
    """Return the code in the row that is filled."""
    letters = page.locator(".row.now .peg").all_text_contents()
    return tuple(CLASSIC.alphabets[1].index(letter) for letter in letters)


@pytest.fixture
def typing(visit):
    """The helper after two guesses at the keyboard, which leave 18 codes."""
    page = visit("/#solve/classic")
    expect_status(page, "1296 codes left.")
    type_turns(page, "rrgg02", "gbyy11")
    expect_status(page, "18 codes left.")
    return page


def test_a_game_at_a_table_is_solved_by_taps_alone(visit):
    page = visit("/", **PHONE)
    page.get_by_role("link", name="Helper").tap()
    for letter in "RRGG":
        page.get_by_role("button", name=f"({letter})").tap()
    expect_status(page, "And its answer?")
    choose_answer(page, *score(SECRET, (0, 0, 1, 1)))
    expect_status(page, "96 codes left. Enter the next guess.")
    for number in range(2, 8):
        best = page.locator(".guess").first
        expect(best).to_be_visible()
        best.tap()
        expect(page.locator(".row.now .number")).to_have_text(str(number))
        feedback = score(SECRET, read_code(page))
        choose_answer(page, *feedback)
        if feedback.black == CLASSIC.pegs:
            break
        expect_status(page, "left.")
    expect_status(page, "The code is found, in")
    assert page.evaluate("() => document.documentElement.scrollWidth") == PHONE["viewport"]["width"]
    page.reload()
    expect_status(page, "The code is found, in")


def test_what_is_left_is_listed_by_any_measure(typing):
    page = typing
    expect(page.locator(".guess")).to_have_count(5)
    expect(page.get_by_text("2.0 left, may be the code")).to_be_visible()
    page.get_by_label("Best by").select_option("number of parts")
    expect(page.get_by_text("parts, may be the code").first).to_be_visible()
    page.get_by_text("The codes that are left").click()
    expect(page.locator(".codes li")).to_have_count(18)
    page.get_by_text("Places and colours").click()
    cells = page.get_by_role("row").filter(has=page.get_by_label("green (G)")).get_by_role("cell")
    expect(cells).to_have_text(["G", "13", "9", "\u2013", "\u2013", "17"])
    assert find_violations(page) == []


def test_the_codes_are_listed_page_by_page(visit):
    page = visit("/#solve/mini")
    page.get_by_text("The codes that are left").click()
    page.get_by_role("button", name="More").click()
    expect(page.get_by_text("101 to 200 of 1296")).to_be_visible()
    expect(page.locator(".codes li").first).to_have_text("ROPP")
    expect(page.locator(".codes li").first).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".codes li").first).to_have_text("RRRR")


def test_a_wrong_answer_is_named_and_a_tap_corrects_it(typing):
    page = typing
    type_turns(page, "gyro00")
    alarm = "No code fits. Guess 3 may be 1\u00a0black, 0\u00a0white: then 3 codes fit."
    expect(page.get_by_role("alert")).to_have_text(alarm)
    expect(page.locator(".row.suspect .number")).to_have_text("3")
    expect(page.get_by_role("status")).to_have_text("")  # the alert says it
    assert find_violations(page) == []
    page.get_by_role("button", name="Guess 3: 1 black, 0 white", exact=True).click()
    expect_status(page, "3 codes left.")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("u")
    expect(page.get_by_role("alert")).to_have_text(alarm)


def test_any_guess_is_changed_and_an_impossible_answer_refused(typing):
    page = typing
    page.get_by_role("button", name="Change guess 1: 0 black, 2 white").click()
    expect(page.locator(".panel [aria-disabled]")).to_have_text(["3", "4"])  # black, with 2 white
    page.keyboard.type("31")
    expect_status(page, "3 black and 1 white cannot be")
    page.keyboard.type("011")
    page.keyboard.press("Enter")
    expect_status(page, "35 codes left.")
    page.get_by_role("button", name="Change guess 1: 1 black, 1 white").click()
    page.get_by_role("button", name="Delete the guess").click()
    expect(page.get_by_role("row")).to_have_count(2)


def test_a_game_is_a_text_whose_mistakes_have_a_line_and_a_column(typing):
    page = typing
    page.get_by_text("As text").click()
    area = page.get_by_label("Guesses and answers, one a line")
    expect(area).to_have_value("# mastermind solve --rules classic\nRRGG 0b2w\nGBYY 1b1w\n")
    use = page.get_by_role("button", name="Use this text")
    area.fill("RRGG KWW\nGBZY 1b1w\n")
    use.click()
    mistake = "Line 2, column 3: Z is no colour: R G B Y O P."
    expect(page.get_by_role("alert")).to_have_text(mistake)
    area.fill("# mastermind solve --rules bulls\n0123 1 bull 2 cows\n")
    use.click()
    expect_status(page, "216 codes left.")
    page.reload()
    expect_status(page, "216 codes left.")
    type_turns(page, "4567")
    expect_status(page, "And its answer? First bulls, then cows.")


def test_a_bot_breaks_the_code_in_a_head(visit):
    page = visit("/#solve", **PHONE)
    page.get_by_label("Your part").select_option("You have a code in your head, a bot breaks it.")
    for _ in range(9):
        expect_status(page, "hard guesses")
        expect(page.locator(".row.now .peg.empty")).to_have_count(0)
        feedback = score(SECRET, read_code(page))
        rows = page.get_by_role("row").count()
        if rows == 3:  # the bot's guess is back after a look at another one
            page.get_by_role("button", name="Change guess 1").tap()
            page.get_by_role("button", name="Leave it").tap()
        choose_answer(page, *feedback)
        if feedback.black == CLASSIC.pegs:
            break
        expect(page.get_by_role("row")).to_have_count(rows + 1)
    expect_status(page, "The code is found, in")
    assert page.url.endswith("/#solve/classic/hard")


def test_another_bot_continues_the_game(typing):
    page = typing
    page.locator(".setup summary").click()
    page.get_by_label("Your part").select_option("You have a code in your head, a bot breaks it.")
    expect_status(page, "hard guesses")
    page.get_by_role("combobox", name="Bot").select_option("easy")
    expect_status(page, "easy guesses")
    expect(page.get_by_role("row")).to_have_count(3)


def test_rules_with_more_than_a_million_codes_have_estimates(visit):
    page = visit("/#solve/9x12")
    expect(page.get_by_text("9x12 has more than 1,000,000 codes: numbers are est")).to_be_visible()
    expect_status(page, "About 5,200,000,000 codes left.")
    expect(page.locator(".guess")).to_have_count(5)
    expect(page.get_by_text("The codes that are left")).to_have_count(0)


def test_unknown_rules_of_an_address_are_a_sentence(visit):
    page = visit("/#solve/<b>%")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "The server does not know these rules."
    )
