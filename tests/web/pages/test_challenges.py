"""Challenges to a visitor, on any page, and the visitor's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from web.clock import stop_clock
from web.play import CHALLENGE, change_network, connect

_OPEN = """async () => {
  const fields = { rules: "mini", maker: "me", breaker: "open" };
  return (await window.session.request("open", fields)).match;
}"""
# Waits until a match has a phase. The security policy forbids the strings of wait_for_function.
_REACH = """async ([match, phase]) => {
  const { matches } = window.session;
  const wait = () => new Promise((done) => setTimeout(done, 10));
  while (matches.get(match).match.phase !== phase) await wait();
}"""


@pytest.fixture
def bob(visit):
    """A visitor who reads how to play."""
    return visit("/#how")


@pytest.fixture
def ada(visit):
    """Another visitor."""
    page = visit("/")
    connect(page)
    return page


@pytest.fixture
def match(ada: Page, bob: Page) -> str:
    """The code of a challenge of Ada to Bob, which the page of Bob shows."""
    code: str = ada.evaluate(CHALLENGE, connect(bob))
    expect(bob.get_by_role("alert")).to_contain_text("challenges you.")
    expect(bob.get_by_role("alert")).to_contain_text("2 rounds; you swap seats after each.")
    return code


def test_a_visitor_accepts_a_challenge(ada, bob, match):
    expect(bob).to_have_title("● How to play - Mastermind")
    bob.get_by_role("button", name="Accept").click()
    bob.wait_for_url(f"**/{match}")
    expect(bob.get_by_role("alert")).to_have_count(0)
    ada.evaluate(_REACH, [match, "setting"])
    assert not bob.title().startswith("●")


def test_a_visitor_who_comes_back_accepts_a_rematch(ada, bob):
    connect(bob)
    match = ada.evaluate(_OPEN)
    bob.evaluate("(match) => window.session.request('join', { match })", match)
    ada.evaluate(_REACH, [match, "setting"])
    ada.evaluate("(m) => window.matches.perform(m, 'secret', { code: [0, 0, 1, 1] })", match)
    bob.evaluate(_REACH, [match, "breaking"])
    bob.evaluate("(match) => window.matches.perform(match, 'resign')", match)
    ada.evaluate(_REACH, [match, "finished"])
    rematch = ada.evaluate("(m) => window.matches.perform(m, 'rematch')", match)["match"]
    bob.goto("/")
    expect(bob.get_by_role("alert")).to_contain_text("offers a rematch.")
    expect(bob.get_by_role("link", name="offers a rematch")).to_be_visible()
    bob.get_by_role("button", name="Accept").click()
    bob.wait_for_url(f"**/{rematch}")
    ada.evaluate(_REACH, [rematch, "setting"])


def test_a_visitor_declines_a_challenge(ada, bob, match):
    bob.get_by_role("button", name="Decline").click()
    expect(bob.get_by_role("alert")).to_have_count(0)
    expect(bob).to_have_title("How to play - Mastermind")
    ada.evaluate(_REACH, [match, "finished"])


@pytest.mark.usefixtures("match")
def test_a_challenge_stays_on_other_pages_and_after_loading_again(bob):
    bob.get_by_role("link", name="To the start page").click()
    expect(bob).to_have_title("● Mastermind")
    expect(bob.get_by_role("alert")).to_be_visible()
    bob.reload()
    expect(bob.get_by_role("alert")).to_contain_text("challenges you.")


def test_leaving_the_page_of_an_own_challenge_takes_it_back(ada, bob, match):
    ada.goto(f"/{match}")
    expect(ada.get_by_role("heading", level=1, name="Your challenge")).to_be_visible()
    ada.get_by_role("link", name="To the start page").click()
    expect(bob.get_by_role("alert")).to_have_count(0)
    expect(bob.get_by_role("status")).to_contain_text("takes the challenge back.")


def test_an_own_challenge_waits_while_its_page_is_loaded_again(ada, bob, match):
    ada.goto(f"/{match}")
    expect(ada.get_by_role("heading", level=1, name="Your challenge")).to_be_visible()
    ada.reload()
    expect(ada.get_by_role("heading", level=1, name="Your challenge")).to_be_visible()
    bob.get_by_role("button", name="Accept").click()
    expect(ada.get_by_role("grid", name="Board")).to_be_visible()
    expect(bob.get_by_role("grid", name="Board")).to_be_visible()


def test_loading_another_address_takes_an_own_challenge_back(ada, bob, match):
    tab = ada.context.new_page()
    tab.goto(f"/{match}")
    expect(tab.get_by_role("heading", level=1, name="Your challenge")).to_be_visible()
    tab.goto("/#bot")
    expect(bob.get_by_role("status")).to_contain_text("takes the challenge back.")


def test_a_challenge_that_is_accepted_while_its_page_is_left_is_shown(visit, bob, proxy):
    page = visit.arrive(f"http://127.0.0.1:{proxy.port}").new_page()
    page.goto("/")
    expect(page.get_by_text("In a terminal:")).to_be_visible()  # all files of home are there
    connect(page)
    match = page.evaluate(CHALLENGE, connect(bob))
    page.goto(f"/{match}")
    expect(page.get_by_role("heading", level=1, name="Your challenge")).to_be_visible()
    proxy.freeze()
    bob.get_by_role("button", name="Accept").click()
    expect(bob.get_by_role("grid", name="Board")).to_be_visible()
    page.get_by_role("link", name="To the start page").click()
    proxy.restore()
    expect(page.get_by_role("grid", name="Board")).to_be_visible()


def test_an_own_challenge_that_is_declined_is_told(ada, bob, match):
    ada.goto(f"/{match}")
    expect(ada.get_by_role("button", name="Take it back")).to_be_visible()
    bob.get_by_role("button", name="Decline").click()
    expect(ada.get_by_role("status")).to_contain_text("The challenge was declined.")


def test_a_challenge_stays_on_a_slow_line_and_is_removed_if_it_ends_while_the_line_is_cut(
    visit, ada, proxy
):
    page = visit.arrive(f"http://127.0.0.1:{proxy.port}").new_page()
    stop_clock(page)
    page.goto("/#how")
    match = ada.evaluate(CHALLENGE, connect(page))
    expect(page.get_by_role("alert")).to_be_visible()
    proxy.freeze()
    change_network(page)
    page.clock.run_for(4_000)
    expect(page.get_by_role("status")).to_contain_text("The connection is lost.")
    proxy.restore()
    expect(page.get_by_role("status")).to_have_text("")
    expect(page.get_by_role("alert")).to_be_visible()
    proxy.cut()
    expect(page.get_by_role("status")).to_contain_text("The connection is lost.")
    ada.evaluate("(match) => window.matches.perform(match, 'leave')", match)
    proxy.restore()
    change_network(page)
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page).to_have_title("How to play - Mastermind")


def test_without_the_module_of_challenges_the_page_asks_to_load_it_again(visit, ada):
    bob = visit("/#how")
    bob.route("**/challenges.js", lambda route: route.abort())
    ada.evaluate(CHALLENGE, connect(bob))
    expect(bob.get_by_role("status")).to_contain_text("Load the page again.")
    assert "net::ERR_FAILED" in visit.errors.pop()


def test_an_own_challenge_is_taken_back_without_the_module_of_challenges(visit, ada, bob, match):
    ada.route("**/challenges.js", lambda route: route.abort())
    ada.goto(f"/{match}")
    expect(ada.get_by_role("heading", level=1)).to_contain_text("Load the page again")
    assert "net::ERR_FAILED" in visit.errors.pop()
    ada.evaluate("() => { history.pushState(null, '', '/'); dispatchEvent(new Event('popstate')) }")
    expect(bob.get_by_role("alert")).to_have_count(0)
