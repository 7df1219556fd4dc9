"""The end of a match: the winner, the review, and what visitors share."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from web.play import win


@pytest.fixture
def bob(visit, machine, server):
    """The page of Bob, who has broken the code 1234 with the second guess."""
    return win(visit, machine, server)


def test_each_guess_has_a_verdict_and_a_better_guess(bob):
    review = bob.locator(".review")
    expect(review.get_by_role("heading", name="Your guesses")).to_be_visible()
    verdicts = review.locator(".verdict")
    expect(verdicts).to_have_count(2)
    expect(verdicts.nth(0)).to_contain_text("good")
    expect(review).to_contain_text("Better: R R G B, which leaves 185.3.")
    expect(verdicts.nth(1)).to_contain_text("found it")
    expect(bob.get_by_role("heading", name="You against Ada")).to_be_visible()
    codes = bob.locator("section").filter(has_text="Codes you broke")
    expect(codes.get_by_role("listitem")).to_have_text(["212 guesses: 1"])
    for width in (390, 1280):  # bars of one length can be compared
        bob.set_viewport_size({"width": width, "height": 844})
        meters = "[...document.querySelectorAll('.verdict .meter')]"
        (length,) = set(bob.evaluate(f"{meters}.map((each) => each.offsetWidth)"))
        assert length > 0
    bob.get_by_role("link", name="Step by step").click()
    expect(bob.get_by_role("heading", name="Guess 1: good")).to_be_visible()


def test_the_playback_of_a_finished_match_shows_its_board(bob):
    bob.get_by_role("button", name="To the start").click()
    expect(bob.get_by_role("heading", name="You win.")).to_have_count(0)
    expect(bob.get_by_role("status")).to_contain_text("Ada has hidden a code.")
    expect(bob.get_by_role("grid").get_by_role("row")).to_have_count(13)
    bob.get_by_role("button", name="To the end").click()
    expect(bob.get_by_role("heading", name="You win.")).to_be_visible()
    expect(bob.get_by_role("grid").get_by_role("row")).to_have_count(3)


def test_a_picture_of_the_marks_is_downloaded_where_it_cannot_be_shared(bob):
    with bob.expect_download() as download:
        bob.get_by_role("button", name="As a picture").click()
    assert download.value.suggested_filename == "mastermind.png"
    content = download.value.path().read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(content) < 100_000
