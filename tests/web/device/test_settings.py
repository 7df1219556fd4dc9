"""The settings of a device, and of a player at the server."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

_NO_STORAGE = """Object.defineProperty(window, "localStorage", {
  get() { throw new Error("blocked"); },
});"""
_KEEP = "(it) => localStorage.setItem('mastermind.settings', it)"
_CLASSIC_RED, _CONTRASTING_RED = "rgb(215, 38, 61)", "rgb(175, 0, 0)"


def red(page):
    """Return a red tile of the page."""
    return page.locator(".peg.red").first


def test_settings_hold_at_once_and_on_every_later_page(visit):
    page = visit("/#settings")
    expect(red(page)).to_have_css("background-color", _CLASSIC_RED)
    page.get_by_label("Colours of the pegs").select_option("high-contrast")
    expect(red(page)).to_have_css("background-color", _CONTRASTING_RED)
    page.get_by_label("Language").select_option("polski")
    expect(page.get_by_role("heading", level=1, name="Ustawienia")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    page.get_by_label("Dźwięk").uncheck()

    page.goto("/")

    expect(page.get_by_role("link", name="Zagraj z botem")).to_be_visible()
    expect(red(page)).to_have_css("background-color", _CONTRASTING_RED)
    page.get_by_role("link", name="Ustawienia").click()
    expect(page.get_by_label("Dźwięk")).not_to_be_checked()
    page.get_by_label("Język").select_option("")
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()


def test_without_storage_settings_hold_in_their_tab_which_says_so(visit, server):
    context = visit.arrive(f"http://127.0.0.1:{server.port}")
    context.add_init_script(_NO_STORAGE)
    page = context.new_page()
    page.goto("/#settings")
    page.get_by_label("Colours of the pegs").select_option("mono")
    expect(page.get_by_text("the settings last as long as this tab")).to_be_visible()
    page.get_by_label("Language").select_option("polski")
    expect(page.get_by_role("heading", level=1, name="Ustawienia")).to_be_visible()
    page.get_by_role("link", name="Na stronę główną").click()
    expect(page.get_by_role("link", name="Zagraj z botem")).to_be_visible()


@pytest.mark.parametrize("kept", ['{"language": "xx", "palette": "none"}', "{"])
def test_settings_of_another_version_do_no_harm(visit, kept):
    page = visit()
    page.evaluate(_KEEP, kept)
    page.reload()
    expect(page.get_by_role("link", name="Play a bot")).to_be_visible()
    expect(red(page)).to_have_css("background-color", _CLASSIC_RED)


def test_the_server_keeps_that_a_visitor_takes_no_challenges(visit):
    page = visit("/#settings")
    page.get_by_label("Take no challenges").check()
    page.goto("/#player")
    expect(page.get_by_text("You take no challenges.")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Take no challenges").uncheck()
    page.goto("/#player")
    expect(page.get_by_text("You take challenges.")).to_be_visible()
