"""Loading the page: what the browser asks for, and what it complains about."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest
from playwright.sync_api import expect

from web.play import (
    PLACES,
    enter,
    expect_files,
    expect_guess,
    expect_status,
    hide,
    invite,
    take_seat,
)

LATER = {
    *(f"match/{name}.js" for name in ("candidates", "drag", "ends", "extras", "talk", "times")),
    *("dialog.js", "fields.js", "game/checks.js", "sharing.js", "more.css", "texts/en-more.json"),
    *("device/attention.js", "device/settings.js", "day/times.js", "figures.js"),
}
"""The files of a match that load after the first guess is possible."""
MATCH = {f"match/{name}.js" for name in ("entry", "match", "playback", "sentences", "view")}
# The address and the bytes on the wire of each file of a page; 0 if it came from the cache.
_TRANSFERS = (
    "() => performance.getEntriesByType('resource').map((it) => [it.name, it.transferSize])"
)


def test_the_page_opens_without_errors(visit):
    page = visit()
    assert page.title() == "Mastermind"
    expect(page.get_by_role("heading", name="Mastermind")).to_be_visible()


def test_home_names_the_wheel_that_the_server_offers(visit, machine, tmp_path):
    name = f"networked_mastermind-{version('networked-mastermind')}-py3-none-any.whl"
    (tmp_path / name).write_bytes(b"PK")
    server = machine.serve(f"--downloads={tmp_path}")
    page = visit(port=server.port)
    address = f"http://127.0.0.1:{server.port}/download/{name}"
    expect(page.get_by_text(f"pipx install {address}")).to_be_visible()
    assert page.request.get(address).body() == b"PK"
    expect(visit().get_by_text("pipx install")).to_have_count(0)


def read_transfers(page):
    """Return the names and sizes of what home loads, once it is complete."""
    expect(page.get_by_text("In a terminal:")).to_be_visible()  # of the last module
    page.wait_for_load_state("networkidle")
    return page.evaluate(_TRANSFERS)


def test_a_second_visit_asks_only_for_the_page(visit):
    page = visit()
    cold = read_transfers(page)
    assert {size > 0 for _, size in cold} == {True}
    page.reload()
    warm = read_transfers(page)
    assert {size for _, size in warm} == {0}
    assert {name for name, _ in warm} == {name for name, _ in cold}


def expect_unnamed(page, names):
    """Wait until a page has loaded the files that it names and those with `names`, and no others.

    A pause in loading is no end: on a slow machine the page may make more requests after it.
    """
    named = re.findall(r'"/s/\w+/([^"]+)"', page.request.get(page.url).text())
    expect_files(page, *named, *names)
    page.wait_for_load_state("networkidle")
    addresses = [name for name, _ in page.evaluate(_TRANSFERS)]
    loaded = {found[1] for name in addresses if (found := re.search(r"/s/\w+/(.+)", name))}
    assert loaded == {*named, *names}


def test_home_loads_the_files_that_its_page_names_and_the_board_home_too(visit, machine, server):
    overview = {f"pages/{name}.js" for name in ("overview", "live")}
    overview |= {"dialog.js", "figures.js", "sharing.js", "game/rules.js", "match/sentences.js"}
    overview |= {"more.css", "texts/en-more.json"}
    expect_unnamed(visit(), overview)
    _ada, code = hide(machine, server)
    bob = visit(f"/{code}")
    take_seat(bob, "Bob")
    expect_status(bob, "Find it!")
    expect_unnamed(visit(f"/{code}"), LATER | {"pages/home.js"})


@pytest.mark.parametrize("begin", [invite, hide])
def test_an_invitation_loads_the_board_and_home_after_the_files_that_its_page_names(
    visit, machine, server, begin
):
    page = visit(f"/{begin(machine, server)[1]}")
    expect(page.get_by_role("button", name="Take the seat")).to_be_visible()
    expect_unnamed(page, {"pages/home.js", *MATCH})


@pytest.mark.parametrize("missing", ["pages/forms.js", "texts/en-more.json"])
def test_a_part_that_the_server_does_not_send_is_a_reason_to_load_the_page_again(visit, missing):
    page = visit("/robots.txt", viewport={"width": 360, "height": 640})
    page.route(f"**/{missing}", lambda route: route.abort())
    page.goto("/#bot")
    reason = page.get_by_role("heading", level=1)
    expect(reason).to_contain_text("Load the page again")
    box = reason.bounding_box()
    assert box["x"] + box["width"] <= 360
    assert "net::ERR_FAILED" in visit.errors.pop()
    page.unroute(f"**/{missing}")
    page.get_by_role("button", name="Connect again").click()
    expect(page.get_by_role("heading", name=PLACES["/#bot"])).to_be_visible()


def test_a_part_that_does_not_arrive_is_a_reason_to_load_the_page_again(visit):
    page = visit()
    page.clock.install()
    page.route("**/pages/forms.js", lambda _route: None)
    page.get_by_role("link", name="Play a bot").click()
    page.clock.run_for(20_000)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Load the page again")


def test_a_match_draws_its_last_guess_without_the_module_of_its_end_and_offers_to_load_again(
    visit, machine, server
):
    _ada, code = hide(machine, server, "1234")
    page = visit.arrive(f"http://127.0.0.1:{server.port}").new_page()
    loads = []

    def note(request):
        if request.is_navigation_request():
            loads.append(request)

    page.on("request", note)
    # Only the second loading of the page sends it: each change of the match requests it again.
    page.route("**/ends.js", lambda route: route.abort() if len(loads) < 2 else route.continue_())
    page.goto(f"/{code}")
    take_seat(page, "Bob")
    expect_status(page, "A part of this page is missing.")
    enter(page, "RGBY")
    expect_guess(page, 1, "4 black, 0 white")
    page.get_by_role("button", name="Connect again").click()
    expect_status(page, "You win.")
    expect(page.get_by_role("button", name="Connect again")).to_be_hidden()
    assert {"net::ERR_FAILED" in error for error in visit.errors} == {True}
    visit.errors.clear()
