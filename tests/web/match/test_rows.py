"""Filling the row by touch, drag and keyboard, and what the board says about it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from web.play import (
    enter,
    expect_guess,
    expect_loaded,
    expect_status,
    hide,
    row,
    take_seat,
)

# Notes how long the motions last that are there when the first answer is drawn.
_NOTE_MOTIONS = """() => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(".keys i")) return;
    observer.disconnect();
    window.motions = document.getAnimations()
      .map((it) => it.effect.getComputedTiming().endTime);
  });
  observer.observe(document.body, { childList: true, subtree: true });
}"""


@pytest.fixture
def options():
    """The options of Bob's browser context."""
    return {}


@pytest.fixture
def bob(visit, machine, server, options):
    """The page of the codebreaker Bob, who has guessed once. The secret is 1234."""
    _ada, code = hide(machine, server)
    page = visit(f"/{code}", **options)
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    expect_loaded(page)
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    return page


def expect_row(page, letters):
    """Wait until the row to fill has these pegs, with a dot for a free place."""
    cells = page.locator(".row.now .peg")
    expect(cells).to_have_text([letter.strip(".") for letter in letters])


def test_the_last_guess_is_copied_changed_and_undone(bob):
    bob.keyboard.press("=")
    expect_row(bob, "RRGG")
    bob.keyboard.type("b")
    expect_row(bob, "BRGG")
    bob.get_by_role("button", name="Undo").click()
    expect_row(bob, "RRGG")
    bob.get_by_role("button", name="Undo").click()
    expect_row(bob, "....")
    bob.get_by_role("button", name="Copy the last guess").click()
    expect_row(bob, "RRGG")


def test_the_row_is_filled_with_the_last_colour(bob):
    bob.keyboard.type("by")
    bob.get_by_role("button", name="Fill the row").click()
    expect_row(bob, "BYYY")
    bob.keyboard.press("Backspace")
    bob.keyboard.press("Backspace")
    layout = bob.context.new_cdp_session(bob)  # ЙЦУКЕН
    layout.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": "к", "code": "KeyR"})
    expect_row(bob, "BYR.")
    bob.keyboard.press("*")
    expect_row(bob, "BYRR")


def test_pegs_are_dragged_to_places_and_between_them(bob):
    places = bob.locator(".row.now .peg")
    bob.get_by_role("button", name="blue (B)").drag_to(places.nth(2))
    expect_row(bob, "..B.")
    places.nth(2).drag_to(places.nth(0))
    expect_row(bob, "B...")
    bob.get_by_role("button", name="red (R)").drag_to(bob.get_by_role("status"))
    expect_row(bob, "B...")
    bob.get_by_role("button", name="red (R)").click()
    expect_row(bob, "B..R")


def find_middle(locator):
    box = locator.bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


@pytest.mark.parametrize("options", [{"has_touch": True, "is_mobile": True}])
def test_pegs_are_dragged_by_touch(bob):
    browser = bob.context.new_cdp_session(bob)

    def touch(kind, *points):
        event = {"type": f"touch{kind}", "touchPoints": points}
        browser.send("Input.dispatchTouchEvent", event)

    places = bob.locator(".row.now .peg")
    blue = find_middle(bob.get_by_role("button", name="blue (B)"))
    first, third = map(find_middle, (places.nth(0), places.nth(2)))
    touch("Start", blue)
    touch("Move", third)
    expect(bob.locator(".ghost")).to_have_text("B")
    touch("End")
    expect_row(bob, "..B.")
    expect(bob.locator(".ghost")).to_have_count(0)
    touch("Start", third)
    touch("Move", first)
    touch("End")
    expect_row(bob, "B...")


def test_a_guess_that_contradicts_an_answer_is_marked_and_may_be_sent(bob):
    bob.keyboard.type("ppp")
    expect(row(bob, 2)).to_contain_text("1 more peg")
    bob.keyboard.type("p")
    expect(row(bob, 2)).to_contain_text("Guess 1 rules this out.")
    expect_status(bob, "Your turn", "Guess 1 rules this out.")
    bob.keyboard.press("Enter")
    expect_guess(bob, 2, "0 black, 0 white")
    bob.keyboard.type("rgby")
    expect(row(bob, 3)).not_to_contain_text("rules")


def test_all_but_the_codebreaker_read_how_many_codes_fit(bob, visit):
    carol = visit(bob.url)
    expect(carol.get_by_text("208 of 1296 codes fit")).to_be_visible()
    expect(bob.get_by_text("codes fit")).to_have_count(0)
    enter(bob, "RGBY")
    expect(carol.get_by_role("heading", name="Bob wins.")).to_be_visible()
    expect(carol.get_by_text("codes fit")).to_have_count(0)


def test_pegs_and_answers_move_for_400_milliseconds_at_most_unless_motion_is_reduced(visit):
    for motion, moves in (("no-preference", True), ("reduce", False)):
        page = visit("/", reduced_motion=motion)
        page.goto("/#bot")
        page.get_by_role("combobox", name="Game").select_option("own")
        for label, number in {"Pegs": "9", "Colours": "12"}.items():
            page.get_by_label(label, exact=True).fill(number)
        page.get_by_role("button", name="Start").click()
        expect_status(page, "Find it!")
        page.keyboard.type("rrrrrrrrr")
        page.evaluate(_NOTE_MOTIONS)
        page.keyboard.press("Enter")
        lasting = page.wait_for_function("() => window.motions").json_value()
        assert bool(lasting) is moves
        assert all(time <= 400 for time in lasting)


def test_the_keys_stay_where_they_are_while_later_parts_load(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit.arrive(f"http://127.0.0.1:{server.port}").new_page()
    page.route("**/extras.js", lambda _route: None)
    page.goto(f"/{code}")
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    red = page.get_by_role("button", name="red (R)")
    before = red.bounding_box()
    page.unroute_all(behavior="ignoreErrors")
    page.reload()
    expect_loaded(page)
    assert red.bounding_box() == before


def test_a_second_peg_of_a_digit_is_refused_however_it_is_entered(visit, machine, server):
    _ada, code = hide(machine, server, "1234", "--rules=bulls")
    page = visit(f"/{code}")
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    expect_loaded(page)
    one, places = page.get_by_role("button", name="green 1"), page.locator(".row.now .peg")
    page.keyboard.type("1")
    expect(one).to_be_disabled()
    one.click(force=True)
    expect_status(page, "Your turn", "1 is on peg 1 already: no repeats.")
    page.keyboard.type("1")
    one.drag_to(places.nth(2), force=True)
    page.keyboard.press("*")
    expect_row(page, "1...")
    expect(page.get_by_role("button", name="Fill the row")).to_be_disabled()
    page.keyboard.press("Backspace")
    expect(one).to_be_enabled()
    page.keyboard.type("104")
    places.nth(2).drag_to(places.nth(3))
    expect_row(page, "10.4")
    places.nth(2).click()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect_guess(page, 1, "2 bulls, 1 cow")
    expect_status(page, "Guess 1, 1 0 2 4: 2 bulls, 1 cow.")
