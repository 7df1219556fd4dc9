"""Phones, keyboards, small and forced-colour screens, and addresses that are not secure."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from web.play import (
    enter,
    expect_guess,
    expect_loaded,
    expect_status,
    focus,
    give_up,
    hide,
    open_bot_match,
    open_places,
    row,
    take_seat,
    tap,
    type_code,
)
from web.visitors import INSECURE

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
SIZES = {"phone": (360, 640), "400 % zoom": (320, 256), "desktop": (1440, 900)}
_OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
_COLOURS = "(it) => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor]"


def test_a_phone_takes_three_taps_from_a_link_to_a_guess_on_a_slow_line(
    visit, machine, server, proxy
):
    _ada, code = hide(machine, server)
    context = visit.arrive(f"http://127.0.0.1:{proxy.port}", **PHONE)
    page = context.new_page()
    proxy.delay(0.075)
    page.goto(f"/{code}", wait_until="commit")  # the first tap, on the link
    page.get_by_role("button", name="Take the seat").tap()  # the second
    expect_status(page, "Find it!")
    tap(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")


def test_a_phone_shows_players_board_and_keys_at_once(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}", **PHONE)
    take_seat(page, "Bob")
    tap(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    for part in (
        page.get_by_text("Ada", exact=True),
        page.get_by_text("Bob", exact=True),
        page.get_by_role("button", name="red (R)"),
        page.get_by_role("button", name="Send"),
        page.get_by_role("status"),
    ):
        expect(part).to_be_in_viewport(ratio=1)
    players = page.get_by_text("Bob", exact=True).bounding_box()
    assert players["y"] < page.get_by_role("grid").bounding_box()["y"]


def test_a_phone_shows_winner_score_code_and_rematch_at_once(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}", **PHONE)
    take_seat(page, "Bob")
    for number in range(1, 8):
        tap(page, "PPPP")
        expect_guess(page, number, "0 black, 0 white")
    tap(page, "RGBY")
    for part in (
        page.get_by_role("heading", name="You win."),
        page.get_by_role("img", name="red (R), green (G), blue (B), yellow (Y)"),
        page.get_by_text("Code proven"),
        page.get_by_role("button", name="Play again"),
    ):
        expect(part).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen(visit, machine, server, size):
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    page = visit(viewport=viewport)
    for place in open_places(page):
        assert page.evaluate(_OVERFLOW) == 0, place
    _ada, code = hide(machine, server, "WNTLMCPOY", "--rules=9x12/20")
    page.goto(f"/{code}")
    take_seat(page, "Bob")
    enter(page, "RRRRRRRRR")
    expect_guess(page, 1, "0 black, 0 white")
    page.get_by_role("button", name="Advice").click()
    expect(page.locator(".advice")).to_contain_text("About 2,")
    assert page.evaluate(_OVERFLOW) == 0
    give_up(page)
    expect(page.locator(".review")).to_contain_text("which leaves about ")  # estimates are rounded
    assert page.evaluate(_OVERFLOW) == 0


def test_a_keyboard_is_enough(visit):
    page = visit()
    focus(page, page.get_by_role("link", name="Play a bot"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Play a bot")).to_be_focused()
    focus(page, page.get_by_role("button", name="Start"))
    page.keyboard.press("Enter")
    expect_status(page, "Your turn", "Find it!")
    expect_loaded(page)
    type_code(page, "RRGG")
    expect_status(page, "Guess 1, R R G G:")
    page.keyboard.type("ro")
    page.keyboard.press("Backspace")
    page.keyboard.type("ppo")
    page.keyboard.press("Enter")
    expect_status(page, "Guess 2, R P P O:")
    page.keyboard.press("ArrowUp")
    expect(row(page, 2)).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Chat line")).to_be_focused()
    page.keyboard.type("hello")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("hello")
    focus(page, page.get_by_role("button", name="Give up"))
    page.keyboard.press("Enter")
    focus(page, page.get_by_role("button", name="Give it up"))
    page.keyboard.press("Enter")
    expect_status(page, "You gave up after 2 guesses")


def test_enter_sends_a_row_that_was_typed_after_a_button_was_used(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}")
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_text("Colours: 1 or R red, 2 or G green,")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    type_code(page, "RRGG")
    expect_status(page, "Guess 1, R R G G:")
    focus(page, page.get_by_role("button", name="Advice"))
    page.keyboard.press("Enter")
    expect_status(page, "possible. Try:")
    expect(page.locator(".advice").get_by_role("button").first).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect_status(page, "Guess 2,")


def test_the_focus_stays_on_a_key_while_rows_change(visit):
    page = visit()
    page.goto("/#bot")
    page.get_by_role("button", name="Start").click()
    red = page.get_by_role("button", name="red (R)")
    focus(page, red)
    for _ in range(4):
        page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect_status(page, "Guess 1, R R R R:")
    expect(red).to_be_focused()


def test_forced_colours_leave_letters_and_answers_visible(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}", forced_colors="active")
    take_seat(page, "Bob")
    enter(page, "RRGG")
    expect_guess(page, 1, "1 black, 1 white")
    for part in (
        page.get_by_role("button", name="red (R)"),
        page.get_by_role("gridcell", name="red (R)").first,
        row(page, 1).get_by_text("1 black, 1 white"),
    ):
        colour, ground = part.evaluate(_COLOURS)
        assert colour != ground
    assert page.get_by_role("gridcell", name="red (R)").first.inner_text() == "R"


def test_an_address_that_is_not_secure_is_enough_to_play_check_and_copy(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}", host=INSECURE)
    assert page.evaluate("() => isSecureContext") is False
    take_seat(page, "Bob")
    enter(page, "RGBY")
    expect(page.get_by_text("Code proven")).to_be_visible()
    page.get_by_role("button", name="Share the result").click()
    expect_status(page, "Copied.")


def test_a_browser_that_does_not_copy_shows_the_text_to_select(visit, server):
    context = visit.arrive(f"http://{INSECURE}:{server.port}")
    context.add_init_script("document.execCommand = () => false;")
    page = context.new_page()
    page.goto("/")
    open_bot_match(page, bot="easy")
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Please select the text.")
    expect(dialog).to_contain_text(page.url)


def test_polish_visitors_read_polish(visit, machine, server):
    _ada, code = hide(machine, server)
    page = visit(f"/{code}", locale="pl-PL")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    page.get_by_label("Twoje imię").fill("Bob")
    page.get_by_role("button", name="Zajmij miejsce").click()
    for letter in "RGBY":
        page.get_by_role("button", name=f"({letter})").click()
    page.get_by_role("button", name="Wyślij").click()
    expect_guess(page, 1, "czarne: 4, białe: 0")


def test_the_browser_can_install_the_page(visit):
    page = visit()
    browser = page.context.new_cdp_session(page)
    manifest = browser.send("Page.getAppManifest")
    assert (manifest["url"].rpartition("/")[2], manifest["errors"]) == ("manifest.webmanifest", [])
    problems = browser.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [problem["errorId"] for problem in problems] == ["in-incognito"]  # as all contexts
