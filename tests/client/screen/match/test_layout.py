import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_rules, brief
from mastermind_client.screen.match.layout import LEAST_SIDE_COLUMNS, choose_layout
from mastermind_client.screen.theme.tiles import FLAT, MID, NARROW, TALL, WIDE
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.rules import DEFAULT, find_rules


@pytest.mark.parametrize(
    ("room", "rules", "tile", "board", "side"),
    [
        (Extent(60, 19), "classic", (WIDE, MID), (55, 15), None),
        (Extent(80, 23), "classic", (WIDE, MID), (55, 20), (23, 20)),
        (Extent(100, 39), "classic", (WIDE, TALL), (62, 36), (36, 36)),
        (Extent(60, 19), "9x12/99", (NARROW, MID), (60, 15), None),
        (Extent(80, 23), "mini", (NARROW, MID), (55, 20), (23, 20)),
    ],
)
def test_the_layout_chooses_tile_size_and_columns(room, rules, tile, board, side):
    layout = choose_layout(find_rules(rules), room, 1)
    assert (layout.tile, layout.board, layout.side) == (tile, board, side)


def test_in_a_large_window_the_turn_line_follows_the_board():
    room = Extent(100, 59)
    layout = choose_layout(DEFAULT, room, 1)
    assert layout.visible_guesses == DEFAULT.guesses
    assert (layout.top, layout.turn_row) == (7, 7 + 1 + layout.board.rows)


@given(any_rules, st.integers(60, 100), st.integers(19, 99), st.integers(1, 99))
@brief
def test_every_layout_fits_and_shows_the_current_row(rules, columns, rows, needed):
    layout = choose_layout(rules, Extent(columns, rows), needed)
    assert layout.left + layout.columns <= columns
    assert max(layout.turn_row, layout.notice_row) + layout.top in (rows - 1, rows - 2)
    assert layout.visible_guesses >= min(6, rules.guess_limit)
    assert layout.side is None or layout.side.columns >= LEAST_SIDE_COLUMNS


@given(any_rules, st.sampled_from([Extent(60, 19), Extent(80, 23), Extent(100, 39)]))
@brief
def test_during_a_round_only_the_tile_height_shrinks(rules, room):
    layouts = [choose_layout(rules, room, needed) for needed in range(1, 40)]
    assert (
        len({(layout.horizontal, layout.vertical, layout.code, layout.board) for layout in layouts})
        == 1
    )
    heights = [layout.tile.rows for layout in layouts]
    assert heights == sorted(heights, reverse=True)


def test_a_board_scrolls_only_with_flat_tiles():
    for needed in range(1, 13):
        layout = choose_layout(DEFAULT, Extent(80, 23), needed)
        assert layout.visible_guesses >= needed or layout.tile.rows == FLAT
