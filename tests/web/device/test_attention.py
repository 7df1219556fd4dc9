"""The calls for an absent player: sound, vibration, icon and notification."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from web.clock import expect_home, refresh_home, stop_clock
from web.play import (
    CHALLENGE,
    change_network,
    connect,
    enter,
    expect_loaded,
    expect_status,
    hide,
    invite,
    take_seat,
)

# Notes the calls of a page, which has no other way to show them to a test.
_NOTE_CALLS = """
window.calls = [];
navigator.vibrate = (time) => calls.push(`vibration of ${time} ms`);
const { start } = OscillatorNode.prototype;
OscillatorNode.prototype.start = function (at) {
  calls.push("tone");
  start.call(this, at);
};
const { suspend } = AudioContext.prototype;
AudioContext.prototype.suspend = function () {
  window.isSoundReady = true;
  return suspend.call(this);
};
window.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    calls.push(`${title}: ${options.body}`);
  }
  close() {
    calls.push("closed");
    super.close();
  }
};
"""
_SET_HIDDEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
# Notes when the other tab has named its match.
_NOTE_TAB = """() => {
  window.tabs = new BroadcastChannel("mastermind.calls");
  tabs.onmessage = () => { window.isTabNoted = true; };
}"""
SOUND = ["tone", "tone", "vibration of 60 ms"]
TURN = "Your turn: Ada has hidden a code. Find it!"


def arrive(visit, port):
    """Return the page of a visitor with permitted notifications, which notes its calls."""
    context = visit.arrive(f"http://127.0.0.1:{port}", permissions=["notifications"])
    context.add_init_script(_NOTE_CALLS)
    return context.new_page()


@pytest.fixture
def bob(visit, server):
    """A page that notes its calls."""
    return arrive(visit, server.port)


def wait_for_secret(page, machine, server):
    """Take the codebreaker's seat, and stop the clock. Return the terminal of the codemaker Ada."""
    ada, code = invite(machine, server, "--as=maker")
    stop_clock(page)
    page.goto(f"/{code}")
    take_seat(page, "Bob")
    expect_loaded(page)  # from now on it calls
    page.wait_for_function("() => window.isSoundReady")
    return ada


def expect_icon(page, name):
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile(name))


def expect_calls(page, *calls):
    page.wait_for_function("(number) => calls.length >= number", arg=len(calls))
    assert sorted(page.evaluate("() => calls.splice(0)")) == sorted(calls)


def test_a_hidden_page_calls_the_player_until_it_is_visible(bob, machine, server):
    ada = wait_for_secret(bob, machine, server)
    expect_icon(bob, "icon.svg")
    bob.evaluate(_SET_HIDDEN, True)
    ada.send("1234")
    expect_icon(bob, "^data:image")
    expect_calls(bob, *SOUND, TURN)
    bob.evaluate(_SET_HIDDEN, False)
    expect_calls(bob, "closed")
    bob.get_by_role("link", name="To the start page").click()
    bob.get_by_role("link", name="How to play").click()
    expect_icon(bob, "icon.svg")


def go_home(page):
    """Go home, where the match waits for the other player."""
    page.get_by_role("link", name="To the start page").click()
    expect(page.get_by_text("their turn")).to_be_visible()
    expect(page).to_have_title("Mastermind")


def test_home_calls_the_player_whose_turn_begins_in_a_match(bob, machine, server):
    ada = wait_for_secret(bob, machine, server)
    go_home(bob)
    bob.evaluate(_SET_HIDDEN, True)
    ada.send("1234")
    ada.expect("Waiting for Bob to guess")
    refresh_home(bob)
    expect(bob).to_have_title("Your turn - Mastermind")
    expect_icon(bob, "^data:image")
    expect_calls(bob, *SOUND, "Your turn: Ada · classic")
    refresh_home(bob)
    bob.get_by_role("link", name="Ada").click()
    expect_status(bob, "Find it!")
    expect_calls(bob, "closed")


def test_home_does_not_call_for_the_match_of_another_tab(bob, machine, server):
    ada = wait_for_secret(bob, machine, server)
    board = bob.context.new_page()
    board.goto(bob.url)
    expect(board.get_by_text("Ada hides")).to_be_visible()
    expect_loaded(board)  # from now on it calls
    go_home(bob)
    expect_home(bob)
    bob.evaluate(_NOTE_TAB)
    ada.send("1234")
    expect_status(board, "Find it!")
    bob.wait_for_function("() => window.isTabNoted")
    refresh_home(bob)
    expect(bob).to_have_title("Your turn - Mastermind")
    expect_calls(bob)


def test_a_challenge_calls_the_player_on_any_page_once(visit, proxy):
    bob = arrive(visit, proxy.port)
    bob.goto("/#how")
    player = connect(bob)
    bob.get_by_role("heading", level=1).click()
    bob.evaluate(_SET_HIDDEN, True)
    ada = visit("/")
    connect(ada)
    match = ada.evaluate(CHALLENGE, player)
    name = ada.evaluate("() => window.session.player.name")
    terms = "mini: 4 pegs, 6 colours, 6 guesses. 2 rounds; you swap seats after each."
    expect_calls(bob, *SOUND, f"{name} challenges you.: {terms}")
    proxy.cut()
    expect_status(bob, "The connection is lost.")
    proxy.restore()
    change_network(bob)
    expect(bob.get_by_role("status")).to_have_text("")
    expect(bob.get_by_role("alert")).to_be_visible()
    ada.evaluate("(match) => window.matches.perform(match, 'leave')", match)
    expect_calls(bob, "closed")


@pytest.mark.parametrize(("seconds", "calls"), [(2, SOUND), (1, [])])
def test_a_visible_page_has_a_sound_if_the_player_has_waited(bob, machine, server, seconds, calls):
    ada = wait_for_secret(bob, machine, server)
    bob.clock.fast_forward(seconds * 1000)
    ada.send("1234")
    expect_status(bob, "Find it!")
    expect_calls(bob, *calls)


def test_a_player_can_turn_the_calls_off(bob, machine, server):
    bob.goto("/#settings")
    bob.get_by_label("Sound and vibration").uncheck()
    bob.get_by_label("Notification, if").uncheck()
    ada = wait_for_secret(bob, machine, server)
    bob.evaluate(_SET_HIDDEN, True)
    ada.send("1234")
    expect_icon(bob, "^data:image")
    expect_calls(bob)


def test_the_setting_of_the_sound_plays_it(bob):
    bob.goto("/#settings")
    bob.get_by_label("Sound and vibration").uncheck()
    bob.get_by_label("Sound and vibration").check()
    expect_calls(bob, "tone", "tone")


def test_a_page_that_opens_with_the_own_turn_makes_no_call(bob, machine, server):
    _ada, code = hide(machine, server)
    bob.goto(f"/{code}")
    take_seat(bob, "Bob")
    expect_status(bob, "Find it!")
    bob.context.add_init_script(f"({_SET_HIDDEN})(true);")
    bob.reload()
    expect_icon(bob, "^data:image")
    expect_calls(bob)


def test_only_the_end_of_a_match_offers_notifications(visit, machine, server):
    ada, code = hide(machine, server, "1234", "--rounds=2")
    page = visit(f"/{code}")
    page.evaluate(
        """() => {
          window.asked = 0;
          const get = () => asked ? "granted" : "default";
          Object.defineProperty(Notification, "permission", { get });
          Notification.requestPermission = async () => asked++;
        }"""
    )
    take_seat(page, "Bob")
    offer = page.get_by_role("button", name="Notify me when it is my turn")
    enter(page, "RGBY")
    following = page.get_by_role("button", name="Next round")
    expect(following).to_be_visible()
    expect(offer).to_be_hidden()
    following.click()
    enter(page, "PPOO", "Hide it")
    ada.answer("Guess 1 of 12: ", "6655")
    offer.click()
    expect(offer).to_be_hidden()
    assert page.evaluate("() => asked") == 1
