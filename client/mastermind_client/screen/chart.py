"""The chart of a record: a bar for each number of guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.figures import MAX_BARS
from mastermind_client.messages.statistics import draw_bars

if TYPE_CHECKING:
    from mastermind_client.figures import Record
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Line


def draw_chart(
    record: Record,
    columns: int,
    look: Look,
    *,
    marked: int | None = None,
    most: int = MAX_BARS,
    unbroken: str = "-",
) -> list[Line]:
    """Return a bar for each number of guesses, with the number of games in `record`.

    There are at most `most` bars. The bar of the current game is marked: `marked` is its number of
    guesses, 0 if the code was not broken, or None without a current game. `unbroken` is the label
    of the unbroken codes.
    """
    lines: list[Line] = []
    for bar, row in draw_bars(record, columns - 2, look.glyphs.bar_done, most, unbroken=unbroken):
        this = marked is not None and marked in bar
        style = "class:strong" if this else "class:dim"
        mark = look.glyphs.selected if this else " "
        lines.append([(style, f"{mark} {row}")])
    return lines
