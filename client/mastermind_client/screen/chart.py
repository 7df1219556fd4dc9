"""One's own games as bars: how many took how many guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.statistics import MOST_BARS, scale
from mastermind_client.words.statistics import label_bar

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look import Look
    from mastermind_client.statistics import Record

COUNT = 4  # columns for the number of games behind the longest bar, with a blank before it


def draw_chart(
    record: Record,
    columns: int,
    look: Look,
    *,
    marked: int | None = None,
    most: int = MOST_BARS,
) -> list[Line]:
    """Return a line for each bar, at most so many; `marked` are the guesses of this game.

    A game whose code stood is marked by 0.
    """
    bars = record.chart(most)
    labels = [label_bar(bar) for bar in bars]
    widest = max(map(len, labels), default=0)
    greatest = max((bar.games for bar in bars), default=0)
    room = max(1, columns - 2 - widest - 1 - COUNT)
    lines: list[Line] = []
    for bar, label in zip(bars, labels, strict=True):
        this = marked is not None and marked in bar
        style = "class:strong" if this else "class:dim"
        mark = look.glyphs.selected if this else " "
        length = look.glyphs.bar_done * scale(bar.games, greatest, room)
        drawn = f" {length}" if length else ""
        lines.append([(style, f"{mark} {label:>{widest}}{drawn} {bar.games}")])
    return lines
