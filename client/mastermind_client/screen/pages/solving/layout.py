"""The layout of a board of given guesses, which has no hidden code above them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.screen.match.layout import (
    FRAME_ROWS,
    Layout,
    VerticalLayout,
    choose_layout,
    find_tile_height,
)
from mastermind_client.screen.theme.tiles import FLAT, MID, TALL, TileShape
from mastermind_client.screen.toolkit.lines import Extent

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules

ROWS_BELOW = 4  # rows of texts below a board without a side column
MAX_GUESSES_SHOWN = 10  # guesses in the highest window, which are seen at a glance
_LEAST_TALL, _LEAST_MID = 7, 4  # guesses that must fit


def choose_solving_layout(rules: Rules, room: Extent, needed: int) -> Layout:
    """Return the layout for `needed` lines in `room`, the stage above the key hints.

    Above the board is the title, and below it the turn line. A board with a side column also has a
    row for notices below it, and one without has ROWS_BELOW rows of texts, the last of which
    a notice replaces.
    """
    layout = choose_layout(rules, room, needed)
    other = 3 if layout.side else 2 + ROWS_BELOW
    inner = room.rows - other - FRAME_ROWS
    blank = 1 if layout.side else 0
    height = FLAT
    for tried, least in ((TALL, _LEAST_TALL), (MID, _LEAST_MID)):
        if (inner - blank) // tried >= least:
            height = tried
            break
    guesses = min(inner - blank, MAX_GUESSES_SHOWN * max(MID, height))
    vertical = VerticalLayout(height, 0, blank, guesses, own_notice=layout.side is not None)
    tile = TileShape(layout.horizontal.tile, find_tile_height(vertical, needed))
    side = layout.side and Extent(layout.side.columns, vertical.rows)
    top = max(0, (room.rows - vertical.rows - other) // 2)
    return replace(layout, vertical=vertical, tile=tile, side=side, top=top)


def find_turn_row(layout: Layout) -> int:
    """Return the row of the turn line."""
    return layout.top + 1 + layout.board.rows + (0 if layout.side else ROWS_BELOW)


def find_notice_row(layout: Layout) -> int:
    """Return the row of notices."""
    return find_turn_row(layout) + (1 if layout.side else -1)
