"""Clocks and ratings of matches between pages."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from web.clock import stop_clock
from web.play import enter, expect_guess, expect_status, take_seat

MINUTE = 60_000  # milliseconds


def open_match(visit, clock, *, rounds="1", rated=False, stopped_at=None, **options):
    """Return the pages of Ann, who hides the first code, and of Bob.

    Bob's page has a stopped clock if `stopped_at` is the port where it connects.
    """
    ann = visit()
    ann.get_by_role("link", name="Invite a friend").click()
    ann.get_by_label("Your name").fill("Ann")
    ann.get_by_label("Rated").set_checked(rated)
    ann.get_by_role("combobox", name="Length").select_option(rounds)
    ann.get_by_role("combobox", name="Clock").select_option("own")
    ann.get_by_role("combobox", name="First round").select_option("maker")
    ann.get_by_label("Such as 15+10").fill(clock)
    ann.get_by_role("button", name="Get the link").click()
    link = ann.get_by_label("Link").input_value()
    context = visit.arrive(f"http://127.0.0.1:{stopped_at or urlsplit(link).port}", **options)
    bob = context.new_page()
    if stopped_at:
        stop_clock(bob)
    bob.goto(urlsplit(link).path)
    take_seat(bob, "Bob")
    expect_status(ann, "Hide a code for Bob.")
    return ann, bob


def expect_clock(page, name, pattern):
    plate = page.locator(".plate", has_text=name)
    expect(plate.locator(".clock")).to_have_text(re.compile(f"^(?:{pattern})$"))


def test_both_pages_show_the_clock_of_the_player_to_move(visit):
    ann, bob = open_match(visit, "5+60")  # the steps may take a minute each
    for page in (ann, bob):
        expect_clock(page, "Ann", r"01:00|00:\d\d")
        expect_clock(page, "Bob", "05:00")
    enter(ann, "RGBY", "Hide it")
    for page in (ann, bob):
        expect_clock(page, "Bob", r"04:\d\d")
        expect_clock(page, "Ann", "")
    enter(bob, "PPPP")
    for page in (ann, bob):
        expect_clock(page, "Bob", r"06:00|05:\d\d")


def test_a_screen_reader_hears_the_end_of_the_own_time(visit, proxy):
    ann, bob = open_match(visit, "2+0", stopped_at=proxy.port)
    enter(ann, "RGBY", "Hide it")
    expect_status(bob, "Find it!")
    proxy.freeze()  # the server's time would correct the page's
    for passed, heard in (
        (MINUTE, "1 minute"),
        (MINUTE / 2, "30 seconds"),
        (MINUTE / 3, "10 seconds"),
    ):
        bob.clock.fast_forward(int(passed))
        expect(bob.locator("#time")).to_have_text(f"{heard} left.")
    bob.clock.run_for(500)
    expect_clock(bob, "Bob", r"9\.\d")
    bob.keyboard.press(",")
    expect(bob.locator("#time")).to_be_empty()
    bob.clock.run_for(1)
    expect(bob.locator("#time")).to_have_text(re.compile(r"^\d seconds? left\.$"))
    expect(ann.locator("#time")).to_be_empty()


def test_a_tab_that_slept_says_only_the_last_of_the_passed_times(visit, server):
    ann, bob = open_match(visit, "2+0", stopped_at=server.port)
    enter(ann, "RGBY", "Hide it")
    expect_status(bob, "Find it!")
    bob.clock.fast_forward(112_000)
    expect(bob.locator("#time")).to_have_text("10 seconds left.")


def test_the_end_of_time_ends_the_round(visit):
    ann, bob = open_match(visit, "10/move")
    enter(ann, "RGBY", "Hide it")
    expect(bob.get_by_role("status")).to_contain_text(
        "Your time is over after 0 guesses: the code stands. Ann wins.", timeout=20_000
    )
    expect_status(ann, "Bob's time is over after 0 guesses: the code stands. You win.")


def test_a_rated_match_marks_no_colours_and_says_what_a_win_brings_and_what_it_brought(visit):
    phone = {"width": 360, "height": 640}
    ann, bob = open_match(visit, "5+3", rounds="2", rated=True, viewport=phone)
    expect_status(ann, "A win brings +162, a loss \N{MINUS SIGN}162.")
    expect(bob.locator(".plate", has_text="Ann")).to_contain_text("1500?")
    for plate in bob.locator(".plate").all():
        assert plate.evaluate("(it) => it.scrollHeight <= it.clientHeight"), "all of it is seen"
    enter(ann, "RGBY", "Hide it")
    enter(bob, "PPPP")
    expect_guess(bob, 1, "0 black, 0 white")
    expect(bob.get_by_role("button", name="purple (P)", exact=True)).to_be_visible()  # no mark
    enter(bob, "RGBY")
    for page in (bob, ann):
        page.get_by_role("button", name="Next round").click()
    enter(bob, "PPOO", "Hide it")
    ann.get_by_role("button", name="Give up").click()
    ann.get_by_role("dialog").get_by_role("button", name="Give it up").click()
    expect_status(bob, "You win.", "You: rating 1662 (+162).")
    expect(bob.get_by_text("You against Ann")).to_be_visible()
    expect(bob.locator(".figures")).to_have_text("1won0drawn0lost")
    expect_status(ann, "Bob wins.", "You: rating 1338 (\N{MINUS SIGN}162).")
