"""Names and chat with markup stay text."""

from __future__ import annotations

from playwright.sync_api import expect

from web.play import hide, invite, say, take_seat

NAME = "<i title='\"'>&lt;{{url}}"


def test_a_name_with_markup_stays_text_in_the_title_and_the_preview(visit, machine, server):
    _ada, code = invite(machine, server, name=NAME)
    page = visit(f"/{code}")
    preview = page.locator("meta[property='og:title']").get_attribute("content")
    assert NAME in preview
    assert page.locator("i[title]").count() == 0


def test_chat_and_names_with_markup_stay_text_on_the_page(visit, machine, server):
    _ada, code = hide(machine, server, name=NAME)
    bob, watcher = visit(f"/{code}"), visit(f"/{code}")
    expect(bob.get_by_role("heading", name=f"{NAME} invites you")).to_be_visible()
    watcher.get_by_role("button", name="only watch").click()
    take_seat(bob, "<b>Bob</b>")
    say(bob, "<img src=x onerror=alert(1)>")
    expect(watcher.get_by_role("log")).to_contain_text("<b>Bob</b> <img src=x onerror=alert(1)>")
    expect(watcher.get_by_text(NAME, exact=True)).to_be_visible()
    for page in (bob, watcher):
        assert page.locator("b b, i[title], img").count() == 0
