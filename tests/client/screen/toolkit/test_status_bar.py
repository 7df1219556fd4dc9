import pytest

from client.screen.looks import assert_fits, show
from mastermind_client.screen.theme.look import ASCII
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, text
from mastermind_client.screen.toolkit.status_bar import (
    MAX_NOTICE_ROWS,
    draw_hints,
    draw_notice,
    draw_too_small,
)

WORDS = " ".join(f"word{number}" for number in range(100))


def test_a_long_notice_wraps_between_words():
    assert show(draw_notice("one two three four", "", 9, ASCII)) == ["one two", "three", "four"]


@pytest.mark.parametrize("columns", [10, 60, 80])
def test_a_very_long_notice_ends_with_an_ellipsis(columns):
    rows = draw_notice(WORDS, "class:error", columns, ASCII)
    assert_fits(rows, Extent(columns, MAX_NOTICE_ROWS))
    assert len(rows) == MAX_NOTICE_ROWS
    assert show(rows)[-1].endswith(ASCII.ellipsis)


def key(name, short):
    return Key((name,), "", lambda: None, short=short)


ENTER, CHANGE, ESC = key("enter", "go"), key("c", "change"), key("escape", "back")
HELP, QUIT = key("?", "help"), key("f10", "quit")


@pytest.mark.parametrize(
    ("active", "drawn"),
    [
        ((ENTER, ESC, HELP, QUIT), "Enter go                Esc back  ? help  F10 quit"),
        ((ENTER, CHANGE, ESC, HELP, QUIT), "Enter go  c change      Esc back  ? help  F10 quit"),
        ((ENTER, HELP, QUIT), "Enter go                          ? help  F10 quit"),
        ((ENTER, ESC), "Enter go                Esc back"),
        ((ENTER, CHANGE, CHANGE, ESC, HELP, QUIT),
         "Enter go  c change      Esc back  ? help  F10 quit"),
    ],
)  # fmt: skip
def test_a_key_that_works_everywhere_has_one_place(active, drawn):
    (line,) = show([draw_hints(active, (HELP, QUIT), 50, ASCII)])
    assert line.rstrip() == drawn


@pytest.mark.parametrize(("columns", "rows"), [(29, 40), (1, 1), (200, 3)])
def test_a_tiny_window_shows_only_the_needed_size(columns, rows):
    lines = draw_too_small(Extent(columns, rows), Extent(60, 20))
    assert "".join(show(lines)).strip() == "60 x 20 needed"[:columns]
    assert_fits(lines, Extent(columns, rows))


@pytest.mark.parametrize(("columns", "rows"), [(30, 8), (50, 12), (30, 19)])
def test_a_window_that_is_too_small_still_shows_a_question(columns, rows):
    asked = [text("Leave it?"), text("> Stay")]
    lines = draw_too_small(Extent(columns, rows), Extent(60, 20), asked)
    assert lines[-2:] == asked
    assert "60 x 20" in " ".join(show(lines))
    assert_fits(lines, Extent(columns, rows))
