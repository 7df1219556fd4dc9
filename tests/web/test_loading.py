"""Loading the page: what the browser asks for, and what it complains about."""

from __future__ import annotations


def test_the_page_opens(visit):
    page = visit()
    assert page.title() == "Mastermind"
