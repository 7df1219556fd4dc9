"""The pages around a match: their choices, and ways to a match."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from web.clock import expect_home, refresh_home, stop_clock
from web.play import connect, enter, expect_status, hide, say, take_seat


def open_page(visit, link):
    page = visit()
    page.get_by_role("link", name=link).click()
    return page


def test_a_visitor_plays_a_size_of_its_own(visit):
    page = open_page(visit, "Play a bot")
    page.get_by_role("combobox", name="Game").select_option("own")
    for label, number in {"Pegs": "3", "Colours": "4", "Guesses": "7"}.items():
        page.get_by_label(label, exact=True).fill(number)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="3 pegs, 4 colours")).to_be_visible()


def test_a_visitor_plays_a_size_without_repeats_or_bulls(visit):
    page = open_page(visit, "Play a bot")
    game, start = (
        page.get_by_role("combobox", name="Game"),
        page.get_by_role("button", name="Start"),
    )
    game.select_option("bulls")
    expect(page.get_by_text("Four different digits.")).to_be_visible()
    game.select_option("own")
    page.get_by_label("Colours", exact=True).fill("4")
    page.get_by_role("checkbox", name="No colour twice").check()
    start.click()
    expect(page.get_by_role("alert")).to_contain_text("5x4u has no code")
    page.get_by_label("Pegs", exact=True).fill("4")
    start.click()
    title = "4 pegs, 4 colours, no repeats"
    expect(page.get_by_role("heading", name=title)).to_be_visible()


def test_two_visitors_who_want_the_same_game_meet(visit):
    ann, bob = open_page(visit, "Play with anyone"), open_page(visit, "Play with anyone")
    for page, name in ((ann, "Ann"), (bob, "Bob")):
        page.get_by_label("Your name").fill(name)
        page.get_by_role("combobox", name="Game").select_option("mini")
        page.get_by_role("button", name="Find an opponent").click()
        if page is ann:
            expect(page.get_by_role("heading", name="Waiting for an opponent")).to_be_visible()
            expect(page.get_by_text("Anyone may take the seat")).to_be_visible()
            expect(page.get_by_role("button", name="Stop waiting")).to_be_visible()
            waiting = re.compile(r"\d+ players? (is|are) waiting\.$")
            expect(visit().get_by_role("link", name=waiting)).to_be_visible()
    expect(ann.locator(".plate", has_text="Bob")).to_be_visible()
    expect(bob.locator(".plate", has_text="Ann")).to_be_visible()


def test_home_follows_the_own_matches(visit, server):
    page = visit.arrive(f"http://127.0.0.1:{server.port}").new_page()
    stop_clock(page)
    page.goto("/")
    other = page.context.new_page()
    other.goto("/")
    connect(other)
    expect_home(page)
    terms = {"rules": "mini", "maker": "easy", "breaker": "me", "clock": "5+3"}
    match = other.evaluate("(terms) => session.request('open', terms)", terms)["match"]
    other.goto(f"/{match}")
    expect_status(other, "Find it!")  # the bot has hidden a code
    refresh_home(page)
    turn = re.compile(r"^easy .* your turn 04:\d\d left$")
    expect(page.get_by_role("link", name=turn)).to_be_visible()


@pytest.mark.parametrize(
    "typed", ["{code}", " http://game.test/{code} ", "(http://game.test/{code}/?fbclid=1)"]
)
def test_home_opens_the_match_of_a_code_or_link(visit, machine, server, typed):
    _ada, code = hide(machine, server)
    page = visit()
    page.get_by_label("Code or link").fill(typed.format(code=code.lower()))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ada invites you")).to_be_visible()


@pytest.mark.parametrize("typed", ["K7M2QX", "K7M2Q0", "soon"])
def test_a_code_of_no_match_is_explained(visit, typed):
    page = visit()
    page.get_by_label("Code or link").fill(typed)
    page.get_by_role("button", name="Open the match").click()
    problem = f"There is no match {typed.upper()} on this server."
    expect(page.get_by_role("heading", name=problem)).to_be_visible()
    page.get_by_role("link", name="To the start page").last.click()
    expect(page.get_by_role("link", name="Play a bot")).to_be_visible()


def test_a_key_of_a_colour_that_an_answer_rules_out_says_so(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}")
    take_seat(page, "Bob")
    enter(page, "PPPP")
    expect(page.get_by_role("button", name="purple (P), not in the code")).to_be_visible()
    expect(page.get_by_role("button", name="red (R)", exact=True)).to_be_visible()


_ENDS_ABOVE = "([it, lowest]) => it.getBoundingClientRect().bottom <= lowest"


def test_a_button_leads_to_the_chat_below_the_screen_and_counts_its_new_lines(visit):
    ann = open_page(visit, "Invite a friend")
    ann.get_by_role("button", name="Get the link").click()
    bob = visit(ann.get_by_label("Link").input_value(), viewport={"width": 360, "height": 640})
    take_seat(bob, "Bob")
    expect_status(bob, "Hide a code for")  # by default the invited friend hides first
    chat = bob.get_by_role("button", name="Chat", exact=True)
    expect(chat).to_be_visible()
    before = chat.bounding_box()
    say(ann, "Hello!")
    hint = bob.get_by_role("button", name="Chat: 1 new chat line")
    expect(hint).to_be_visible()
    assert hint.bounding_box() == before  # no key moves
    insets = {"bottom": 34}  # the home bar of a phone
    bob.context.new_cdp_session(bob).send("Emulation.setSafeAreaInsetsOverride", {"insets": insets})
    lowest = 640 - insets["bottom"]
    bob.wait_for_function(_ENDS_ABOVE, arg=[hint.element_handle(), lowest])
    hint.click()
    expect(bob.get_by_role("log")).to_be_in_viewport()
    expect(bob.get_by_role("log")).to_be_focused()
    expect(bob.get_by_role("button", name="Chat")).to_have_count(0)


# Holds what a page sends until `window.release()`.
_HOLD = """(() => {
  const { send } = WebSocket.prototype;
  const held = [];
  WebSocket.prototype.send = function (data) { held.push(() => send.call(this, data)); };
  window.release = () => {
    WebSocket.prototype.send = send;
    held.forEach((each) => each());
  };
})()"""


def test_a_form_asks_for_a_name_once_a_slow_server_has_made_the_player(visit, server):
    context = visit.arrive(f"http://127.0.0.1:{server.port}")
    context.add_init_script(_HOLD)
    page = context.new_page()
    page.goto("/#invite")
    expect(page.get_by_role("button", name="Get the link")).to_be_visible()
    page.evaluate("() => window.release()")
    expect(page.get_by_label("Your name")).to_be_visible()


def test_a_closed_invitation_offers_no_seat(visit):
    ann = open_page(visit, "Invite a friend")
    ann.get_by_role("button", name="Get the link").click()
    bob = visit(ann.get_by_label("Link").input_value())
    expect(bob.get_by_role("button", name="Take the seat")).to_be_visible()
    ann.get_by_role("button", name="Close the invitation").click()
    expect_status(bob, "The match is closed.")
    expect(bob.get_by_role("button", name="Take the seat")).to_have_count(0)
    expect(bob.get_by_text("Free seat")).to_have_count(0)


def test_rated_matches_get_a_clock_and_two_rounds(visit):
    page = open_page(visit, "Invite a friend")
    clock = page.get_by_role("combobox", name="Clock")
    rounds = page.get_by_role("combobox", name="Length")
    rounds.select_option("1")
    page.get_by_label("Rated").check()
    expect(clock).to_have_value("5+3")
    expect(rounds).to_have_value("2")


def test_the_leaderboard_says_who_gets_a_place(visit):
    page = open_page(visit, "Leaderboard")
    expect(page.get_by_text("Nobody has a place yet.")).to_be_visible()
    page.get_by_role("combobox", name="Game").select_option("mini")
    expect(page.get_by_role("columnheader", name="Rating")).to_be_visible()
