"""Loading the page: what the browser asks for, and what it complains about."""

from __future__ import annotations

from playwright.sync_api import expect

# The address and the bytes on the wire of each file of a page; 0 if it came from the cache.
_TRANSFERS = (
    "() => performance.getEntriesByType('resource').map((it) => [it.name, it.transferSize])"
)


def test_the_page_opens_without_errors(visit):
    page = visit()
    assert page.title() == "Mastermind"
    expect(page.get_by_role("heading", name="Mastermind")).to_be_visible()


def test_a_second_visit_asks_only_for_the_page(visit):
    page = visit()
    page.wait_for_load_state("networkidle")
    cold = page.evaluate(_TRANSFERS)
    assert {size > 0 for _, size in cold} == {True}
    page.reload()
    page.wait_for_load_state("networkidle")
    warm = page.evaluate(_TRANSFERS)
    assert {size for _, size in warm} == {0}
    assert {name for name, _ in warm} == {name for name, _ in cold}
