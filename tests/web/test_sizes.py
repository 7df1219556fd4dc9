"""The first screen of a match has the current row, the colours and Send in any window."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from web.play import (
    enter,
    expect_guess,
    expect_status,
    give_up,
    hide,
    open_bot_match,
    open_places,
    say,
    take_seat,
)

SIZES = [
    *[(320, 256), (320, 480), (360, 640), (390, 844), (412, 915)],  # 400 % zoom, phones
    *[(568, 320), (667, 375), (844, 390), (915, 412)],  # the same in landscape
    *[(640, 360), (640, 512), (720, 450), (768, 1024), (900, 500)],  # 200 % zoom, tablets
    *[(1024, 600), (1024, 768), (1280, 800), (1440, 900), (2560, 1440)],
]
LEAST_TARGET = 24  # pixels, by WCAG 2.5.8, in the smallest windows
WHOLE_TARGET = 44  # pixels, by WCAG 2.5.5, from these sizes on:
WHOLE_FROM = 360
USUAL_PEGS = 4  # leave enough space for the words of an answer, on a phone held upright
_PARTS = """() => {
  const boxes = [...document.querySelectorAll(".row.now, .palette .peg, .go .btn, #status")];
  const { scrollTop, scrollLeft } = document.scrollingElement;
  return [scrollTop, scrollLeft, ...boxes.map((it) => {
    const { left, top, right, bottom } = it.getBoundingClientRect();
    const { x, y } = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const shown = it.contains(document.elementFromPoint(x, y));
    return [it.className || it.id, left, top, right, bottom, shown];
  })];
}"""
"""How far the page is scrolled, and the boxes of the parts that a player needs."""

_ANSWER_LINES = """() => Math.max(...[...document.querySelectorAll(".keys + span")].map((it) => {
  const range = document.createRange();
  range.selectNodeContents(it);
  return range.getClientRects().length;
}))"""
"""The number of lines of the longest answer, which is below 3 if no word is broken."""


def find_hidden(page, width, height):
    """Return the parts that are outside the window, covered, or too small to touch."""
    across, down, *parts = page.evaluate(_PARTS)
    assert (across, down) == (0, 0)
    least = WHOLE_TARGET if min(width, height) >= WHOLE_FROM else LEAST_TARGET
    return [
        part
        for part in parts
        for name, left, top, right, bottom, shown in [part]
        if not (
            left >= 0 and top >= 0 and right <= width + 0.5 and bottom <= height + 0.5 and shown
        )
        or (("peg" in name or "btn" in name) and bottom - top < least)
        or ("peg" in name and right - left < LEAST_TARGET)
    ]


@pytest.mark.parametrize(
    ("rules", "secret", "guess"),
    [("mini", "RGOB", "YYYY"), ("classic", "1234", "PPPP"), ("9x12/12", "WNTLMCPOY", "RRRRRRRRR")],
)
def test_row_colours_and_send_are_in_any_window(visit, machine, server, rules, secret, guess):
    options = f"--rules={rules}", "--clock=10+5"
    _ada, code = hide(machine, server, secret, *options, name="Ada of the long name 24 ")
    page = visit(f"/{code}")
    take_seat(page, "Bob")
    expect_status(page, "Find it!")
    say(page, "hello")
    for number in range(1, 6):
        enter(page, guess)
        expect_guess(page, number, "0 black, 0 white")
    page.keyboard.type(guess[:2].lower())
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert find_hidden(page, width, height) == [], (width, height)
        if len(secret) <= USUAL_PEGS and width < height:
            assert page.evaluate(_ANSWER_LINES) <= 2, (width, height)


# The targets that are smaller than a fingertip: its edges, around their middle, do not reach them.
# A label is the target of its input. As in WCAG 2.5.5, links within a sentence are exceptions.
_SMALL = """([least, selector]) => [...document.querySelectorAll(selector)].flatMap((found) => {
  const it = found.closest("label") ?? found;
  const isInSentence = it.matches("p > a") && it.parentNode.textContent !== it.textContent;
  if (!it.checkVisibility() || isInSentence) return [];
  it.scrollIntoView({ block: "center" });
  const { left, top, right, bottom } = it.getBoundingClientRect();
  const [x, y, far] = [(left + right) / 2, (top + bottom) / 2, least / 2 - 1]; // whole pixels
  const reached = [[0, -far], [0, far], [-far, 0], [far, 0]].every(([across, down]) => {
    const target = document.elementFromPoint(x + across, y + down);
    return it.contains(target);
  });
  return reached ? [] : [[it.outerHTML, right - left, bottom - top]];
})"""
_TARGETS = "a, button, select, summary, input, .now [role=gridcell]:not(.answer)"


def find_small(page):
    return page.evaluate(_SMALL, [WHOLE_TARGET, _TARGETS])


def test_everything_to_tap_is_as_large_as_a_fingertip(visit):
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    for place in open_places(page):
        assert find_small(page) == [], place
    page.goto("/")
    open_bot_match(page, bot="easy")
    expect_status(page, "Find it!")
    assert find_small(page) == []
    enter(page, "PPPP")
    expect_guess(page, 1, "black")
    give_up(page)
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    assert find_small(page) == []
