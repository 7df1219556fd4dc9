"""Entered values are never lost silently, and a refusal stays beside its form."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from web.clock import expect_home, stop_clock
from web.play import (
    change_network,
    connect,
    enter,
    expect_guess,
    expect_loaded,
    expect_status,
    hide,
    row,
    take_seat,
)

LOST = "The connection is lost. Connecting again …"
FOLLOWS = "Your last action follows."
# Uses the chat lines that a player may send at once, on the second session of the visitor, and says
# another one on the page, before the server allows that.
_TALK = """async () => {
  const match = location.pathname.slice(1);
  await window.matches.follow(match);
  for (let line = 0; line < 6; line++) window.session.request("say", { match, phrase: 1 });
  await window.session.request("ping");
  const line = document.querySelector("#line");
  line.value = "hello";
  line.form.requestSubmit();
}"""


@pytest.fixture
def bob(visit, machine, server, proxy):
    """The page of the codebreaker Bob, behind a proxy. The secret is 1234. Its clock is stopped."""
    _ada, code = hide(machine, server, "1234")
    page = visit.arrive(f"http://127.0.0.1:{proxy.port}").new_page()
    stop_clock(page)
    page.goto(f"/{code}")
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    expect_loaded(page)
    return page


def test_a_guess_is_sent_while_a_chat_line_is_on_its_way(bob, proxy):
    proxy.freeze()
    bob.get_by_label("Chat line").fill("hello")
    bob.get_by_role("button", name="Say", exact=True).click()
    bob.get_by_label("Chat line").fill("next")
    enter(bob, "RRGG")
    proxy.restore()
    expect_guess(bob, 1, "1 black, 1 white")
    expect(bob.get_by_role("log")).to_contain_text("hello")
    expect(bob.get_by_label("Chat line")).to_have_value("next")


def test_a_guess_is_sent_while_chat_is_rate_limited(bob):
    connect(bob)
    bob.evaluate(_TALK)
    expect_status(bob, "The server is busy. One moment, please.")
    enter(bob, "RRGG")
    expect_guess(bob, 1, "1 black, 1 white")
    bob.clock.resume()
    expect(bob.get_by_role("status")).not_to_contain_text("busy")


def test_two_taps_of_send_make_one_guess_and_say_that_it_is_sent(bob, proxy):
    proxy.freeze()
    enter(bob, "RRGG")
    bob.get_by_role("button", name="Send").dispatch_event("click")
    expect_status(bob, "Still sending …")
    proxy.restore()
    expect_guess(bob, 1, "1 black, 1 white")
    expect(bob.get_by_role("status")).not_to_contain_text("Still sending")
    expect(row(bob, 2)).not_to_contain_text("black")


def test_offline_a_guess_waits_and_the_other_buttons_work(bob, proxy):
    proxy.cut()
    expect_status(bob, LOST)
    enter(bob, "RRGG")
    expect_status(bob, FOLLOWS)
    expect_status(bob, LOST)
    proxy.restore()
    change_network(bob)
    expect_guess(bob, 1, "1 black, 1 white")
    expect(bob.get_by_role("status")).not_to_contain_text("lost")


def test_after_an_offline_guess_giving_up_and_help_open(bob, proxy):
    for name, answer in (("Give up", "Go on"), ("Help", "Close")):  # load their modules
        bob.get_by_role("button", name=name).click()
        bob.get_by_role("button", name=answer).click()
    proxy.cut()
    expect_status(bob, LOST)
    enter(bob, "RRGG")
    for name, answer in (("Help", "Close"), ("Give up", "Go on")):
        bob.get_by_role("button", name=name).click()
        bob.get_by_role("button", name=answer).click()
    proxy.restore()
    change_network(bob)
    expect_guess(bob, 1, "1 black, 1 white")


def test_a_match_that_was_left_does_not_draw_on_home(visit, bob, proxy):
    proxy.freeze()
    enter(bob, "RRGG")
    bob.get_by_role("link", name="To the start page").click()
    proxy.restore()
    expect(bob.get_by_role("link", name="Play a bot")).to_be_visible()
    expect_home(bob)  # set after the answer to the guess
    expect(bob.locator("#controls")).to_be_empty()
    expect(bob.locator("#talk")).to_be_hidden()
    expect(bob.get_by_role("status")).to_have_text("")
    assert visit.errors == []


def test_a_match_that_opens_after_its_form_was_left_does_not_replace_home(visit, proxy):
    page = visit("/#bot", port=proxy.port)
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    proxy.freeze()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="To the start page").click()
    proxy.restore()
    expect(page.get_by_role("link", name="easy")).to_be_visible()
    assert page.evaluate("() => location.pathname") == "/"


@pytest.mark.parametrize(
    ("label", "text", "button", "problem"),
    [
        ("Your name", "\u200e", "Save", "A name is made of characters that can be shown."),
        ("Code", "22222222", "Be that player here", "This transfer code is wrong"),
        ("Code", "A!", "Be that player here", "This transfer code is wrong"),
    ],
)
def test_a_refused_name_or_transfer_code_stays_beside_its_form(visit, label, text, button, problem):
    page = visit("/#you")
    form = page.locator("form").filter(has=page.get_by_role("button", name=button))
    form.get_by_label(label).fill(text)
    form.get_by_role("button").click()
    if label == "Code":
        page.get_by_role("dialog").get_by_role("button", name=button).click()
    expect(form.get_by_role("alert")).to_contain_text(problem)
    change_network(page)
    page.get_by_role("button", name="Get a code").click()
    expect(page.locator(".secret")).to_be_visible()  # an answer after the session's new hello
    expect(form.get_by_role("alert")).to_contain_text(problem)
    expect(form.get_by_label(label)).to_have_value(text)
