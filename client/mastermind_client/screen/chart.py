"""A chart of a record: the games by their number of guesses, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.messages.statistics import draw_bars
from mastermind_client.statistics import MOST_BARS

if TYPE_CHECKING:
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Line
    from mastermind_client.statistics import Record


def draw_chart(
    record: Record,
    columns: int,
    look: Look,
    *,
    marked: int | None = None,
    most: int = MOST_BARS,
) -> list[Line]:
    """Return a line for each bar, at most `most`.

    The bar of the current game, with `marked` guesses, is marked; 0 is a code not broken.
    """
    lines: list[Line] = []
    for bar, row in draw_bars(record, columns - 2, look.glyphs.bar_done, most):
        this = marked is not None and marked in bar
        style = "class:strong" if this else "class:dim"
        mark = look.glyphs.selected if this else " "
        lines.append([(style, f"{mark} {row}")])
    return lines
