from __future__ import annotations

import pytest

from client.screen.looks import assert_fits, show
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.kit.status_bar import MAX_NOTICE_ROWS, draw_notice, draw_too_small
from mastermind_client.screen.look.glyphs import ASCII

WORDS = " ".join(f"word{number}" for number in range(100))


def test_what_is_short_and_nothing_at_all_are_one_row() -> None:
    assert draw_notice("It is your turn.", "class:notice", 60, ASCII) == [
        [("class:notice", "It is your turn.")]
    ]
    assert show(draw_notice("", "", 60, ASCII)) == [""]


def test_what_is_longer_is_broken_between_words() -> None:
    assert show(draw_notice("one two three four", "", 9, ASCII)) == ["one two", "three", "four"]


@pytest.mark.parametrize("columns", [10, 60, 80])
def test_what_is_too_long_by_far_is_cut_with_an_ellipsis(columns: int) -> None:
    rows = draw_notice(WORDS, "class:error", columns, ASCII)
    assert_fits(rows, Extent(columns, MAX_NOTICE_ROWS))
    assert len(rows) == MAX_NOTICE_ROWS
    assert show(rows)[-1].endswith(ASCII.ellipsis)


def test_a_window_that_is_too_small_is_told_what_is_needed() -> None:
    said = " ".join(show(draw_too_small(Extent(30, 8), Extent(60, 20))))
    assert said.endswith("and 60 x 20 are needed.")
