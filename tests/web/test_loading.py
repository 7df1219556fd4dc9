"""Loading the page: what the browser asks for, and what it complains about."""

from __future__ import annotations

from playwright.sync_api import expect


def test_the_page_opens_without_errors(visit):
    page = visit()
    assert page.title() == "Mastermind"
    expect(page.get_by_role("heading", name="Mastermind")).to_be_visible()


def test_a_second_visit_asks_only_for_the_page(visit, server):
    context = visit.arrive(f"http://127.0.0.1:{server.port}")
    first = context.new_page()
    with first.expect_websocket():
        first.goto("/")
    asked = []
    second = context.new_page()
    context.on("response", lambda response: asked.append(response))
    with second.expect_websocket():
        second.goto("/")
    # A file from the cache has a response without headers from the network.
    assert asked[0].status in (200, 304)
    assert [response.url for response in asked[1:] if not response.from_service_worker] == []


def test_unknown_addresses_answer_404(visit, server):
    page = visit()
    response = page.request.get("/nothing")
    assert response.status == 404
