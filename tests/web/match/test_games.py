"""Whole games between pages, terminals and bots."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from web.play import (
    enter,
    expect_guess,
    expect_status,
    give_up,
    hide,
    open_bot_match,
    row,
    take_seat,
)


def show_end(page):
    """Show the end of a match in which a bot guesses, and what it still guesses at full speed."""
    playback = page.get_by_role("group", name="Playback")
    for _ in range(2):
        playback.get_by_role("button", name="Faster").click()
    playback.get_by_role("button", name="To the end").click()


def test_a_visitor_breaks_a_bots_code_with_its_advice(visit):
    page = visit()
    open_bot_match(page, bot="easy")
    expect_status(page, "has hidden a code. Find it!")
    advised = page.get_by_role("button", name="Advice")
    for number in range(1, 13):
        advised.click()
        page.locator(".advice").get_by_role("button").first.click()
        page.get_by_role("button", name="Send").click()
        expect_guess(page, number, "black")
        if "4\N{NO-BREAK SPACE}black" in page.get_by_role("row").nth(number).inner_text():
            break
    expect_status(page, "You win.")
    expect(page.get_by_text("Code proven")).to_be_visible()


def test_a_bot_breaks_a_visitors_code(visit):
    page = visit()
    open_bot_match(page, bot="hard", first_round="maker")
    enter(page, "RGBY", "Hide it")
    expect_status(page, "Your code is hidden.")
    show_end(page)
    expect_status(page, "it usually needs 4.3.")
    # Not the points of one round, which are the visitor's.
    expect(page.locator(".score")).to_have_text(re.compile(r"^\d/12$"))


def test_a_bot_that_breaks_no_codes_hides_one_where_two_rounds_are_usual(visit):
    page = visit()
    open_bot_match(page, bot="devious", length="2")
    expect_status(page, "devious keeps no fixed code")
    expect(page.get_by_text("Round 1 of 2")).to_have_count(0)


def test_a_terminal_plays_two_rounds_with_a_page_while_another_page_watches(visit, machine, server):
    ada, code = hide(machine, server, "1234", "--rounds=2")
    bob, carol = visit(f"/{code}"), visit(f"/{code}")
    carol.get_by_role("button", name="only watch").click()
    take_seat(bob, "Bob")
    ada.expect("Bob is the codebreaker.")
    expect_status(bob, "Find it!")
    dan = visit(f"/{code}")  # as of a link that two people have used
    expect_status(dan, "Both seats are taken: you are watching.")
    expect(dan.locator("#about")).to_contain_text("you are watching")
    dan.close()
    enter(bob, "RRGG")
    for page in (bob, carol):
        expect_guess(page, 1, "1 black, 1 white")
    ada.expect(" 1  1 1 2 2  1 black, 1 white")
    enter(bob, "RGBY")
    expect_status(bob, "You broke the code in 2 guesses. Hide a code for Ada.")
    expect_status(carol, "Bob broke the code in 2 guesses.")
    bob.get_by_role("button", name="Next round").click()
    enter(bob, "PPOO", "Hide it")
    ada.answer("Guess 1 of 12: ", "6655")
    for page in (bob, carol):
        expect_status(page, "Ada broke the code in 1 guess. Ada wins.")
    ada.expect("You win.")


def test_friends_play_on_two_pages_resign_play_again_and_leave(visit):
    ann = visit()
    ann.get_by_role("link", name="Invite a friend").click()
    ann.get_by_label("Your name").fill("Ann")
    ann.get_by_role("combobox", name="First round").select_option("maker")
    ann.get_by_role("button", name="Get the link").click()
    link = ann.get_by_label("Link").input_value()
    bob, carol = visit(link), visit(link)
    expect(carol.get_by_role("button", name="Take the seat")).to_be_visible()
    take_seat(bob, "Bob")
    expect_status(carol, "Both seats are taken: you are watching.", "Ann is hiding a code.")
    carol.close()
    enter(ann, "RGBY", "Hide it")
    enter(bob, "PPPP")
    expect_guess(ann, 1, "0 black, 0 white")
    expect_guess(bob, 1, "0 black, 0 white")
    give_up(bob)
    expect_status(bob, "Your turn", "You gave up after 1 guess", "Hide a code for Ann.")
    expect(bob).to_have_title("Your turn - Mastermind")
    bob.get_by_role("button", name="Next round").click()
    enter(bob, "PPOO", "Hide it")
    # Ann still reads the end of the first round.
    expect_status(ann, "Your turn", "Bob gave up", "Bob has hidden a code. Find it!")
    expect(ann).to_have_title("Your turn - Mastermind")
    ann.get_by_role("button", name="Next round").click()
    enter(ann, "RRRR")
    expect_guess(bob, 1, "0 black, 0 white")
    expect_guess(ann, 1, "0 black, 0 white")
    give_up(ann)
    expect_status(bob, "Ann gave up after 1 guess: the code stands. The match is a draw.")
    ann.get_by_role("button", name="Play again").click()
    expect(ann.get_by_role("heading", name="Waiting for a rematch")).to_be_visible()
    # The end is in large type above it.
    expect(bob.get_by_role("status")).to_have_text("Rematch Ann offers a rematch.")
    expect(bob).to_have_title("Rematch - Mastermind")
    bob.get_by_role("button", name="Accept the rematch").click()
    expect_status(bob, "Ann is hiding a code.")
    bob.get_by_role("button", name="Leave").click()
    bob.get_by_role("dialog").get_by_role("button", name="Leave for good").click()
    expect_status(ann, "You win.")


def test_a_spectator_steps_through_a_show_of_two_bots(visit):
    page = visit()
    page.get_by_role("link", name="Watch a match").click()
    page.get_by_role("button", name="Start the show").click()
    playback = page.get_by_role("group", name="Playback")
    playback.get_by_role("button", name="Pause").click()
    playback.get_by_role("button", name="To the start").click()
    expect(row(page, 1)).not_to_contain_text("black")
    playback.get_by_role("button", name="One guess on").click()
    expect_guess(page, 1, "black")
    playback.get_by_role("button", name="One guess back").click()
    expect(row(page, 1)).not_to_contain_text("black")
    show_end(page)
    expect_status(page, "wins.")
