import pytest

from client.screen.looks import assert_fits, show
from mastermind_client.screen.kit.lines import Extent, text
from mastermind_client.screen.kit.status_bar import MAX_NOTICE_ROWS, draw_notice, draw_too_small
from mastermind_client.screen.look.glyphs import ASCII

WORDS = " ".join(f"word{number}" for number in range(100))


def test_what_is_short_is_one_row():
    assert draw_notice("It is your turn.", "class:notice", 60, ASCII) == [
        [("class:notice", "It is your turn.")]
    ]


def test_what_is_longer_is_broken_between_words():
    assert show(draw_notice("one two three four", "", 9, ASCII)) == ["one two", "three", "four"]


@pytest.mark.parametrize("columns", [10, 60, 80])
def test_what_is_too_long_by_far_is_cut_with_an_ellipsis(columns):
    rows = draw_notice(WORDS, "class:error", columns, ASCII)
    assert_fits(rows, Extent(columns, MAX_NOTICE_ROWS))
    assert len(rows) == MAX_NOTICE_ROWS
    assert show(rows)[-1].endswith(ASCII.ellipsis)


def test_a_window_that_is_too_small_is_told_what_it_lacks():
    assert show(draw_too_small(Extent(50, 10), Extent(60, 20))) == [
        "",
        "",
        "            A little more room, please",
        "",
        "              this window   50 x 10",
        "              needed        60 x 20",
        "",
        "     Nothing is lost. Make the window larger,",
        "    or the letters smaller (often Ctrl and -).",
    ]


@pytest.mark.parametrize(("columns", "rows"), [(29, 40), (1, 1), (200, 3)])
def test_a_window_with_hardly_any_room_is_told_the_one_thing(columns, rows):
    lines = draw_too_small(Extent(columns, rows), Extent(60, 20))
    assert "".join(show(lines)).strip() == "60 x 20 needed"[:columns]
    assert_fits(lines, Extent(columns, rows))


@pytest.mark.parametrize(("columns", "rows"), [(30, 8), (50, 12), (30, 19)])
def test_a_window_that_is_too_small_shows_what_is_asked_all_the_same(columns, rows):
    asked = [text("Leave it?"), text("> Stay")]
    lines = draw_too_small(Extent(columns, rows), Extent(60, 20), asked)
    assert lines[-2:] == asked
    assert "60 x 20" in " ".join(show(lines))
    assert_fits(lines, Extent(columns, rows))
