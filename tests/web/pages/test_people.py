"""The page of the people that the visitor has played."""

from __future__ import annotations

from playwright.sync_api import expect

from web.play import win
from web.visitors import find_violations


def test_a_former_opponent_is_challenged_from_the_people_on_home(visit, machine, server):
    bob = win(visit, machine, server, name="Ada")
    bob.goto("/")
    bob.get_by_role("link", name="People", exact=True).click()
    person = bob.get_by_role("listitem").filter(has_text="Ada")
    expect(person).to_contain_text("1 : 0")
    assert find_violations(bob) == []
    person.get_by_role("button", name="Challenge Ada").click()
    expect(bob.get_by_role("heading", name="Challenge Ada?")).to_be_visible()
    bob.get_by_role("button", name="Not now").click()
    person.get_by_role("link", name="Ada").click()
    expect(bob.get_by_text("You and Ada: 1 won, 0 drawn, 0 lost")).to_be_visible()


def test_a_new_visitor_is_led_to_an_invitation(visit):
    page = visit("/#people")
    page.get_by_role("link", name="Invite a friend").click()
    expect(page.get_by_role("heading", name="Invite a friend", level=1)).to_be_visible()
