"""Confetti for a match that is won: where each piece is after so many seconds.

It falls through the free cells of some lines, never over words, and the last of it stays in the
first rows. What falls where follows from the match's code: it is the same whenever it is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.kit.lines import Extent, fit, width
from mastermind_client.screen.motion.motion import FALL_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_client.screen.kit.lines import Fragment, Line
    from mastermind_client.screen.look import Look

RESTING_ROWS = 2  # rows in which confetti stays
DENSITY = 0.6  # of the cells of those rows: as many pieces stay, and as many fall past them
SCATTER_SECONDS = 0.5  # between the first piece and the last of those that fall past
HALVES = 2  # of a row: a piece is half a cell
_DRAWINGS = 16  # kept: of the few matches whose end is looked at


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of confetti: its column, when it begins to fall, and how fast, in halves of a row.

    It falls to the half row `rest`, counted from the top, or past all rows if that is None.
    """

    column: int
    colour: str
    begin: float
    speed: float
    rest: int | None = None

    def find_half(self, seconds: float | None) -> int | None:
        """Return the half row that it is in after so many seconds, or at rest if that is None."""
        if seconds is None:
            return self.rest
        if seconds < self.begin:
            return None
        fallen = int((seconds - self.begin) * self.speed)
        return fallen if self.rest is None else min(fallen, self.rest)


@lru_cache(maxsize=_DRAWINGS)
def throw(code: str, extent: Extent, colours: tuple[str, ...]) -> tuple[Piece, ...]:
    """Return the pieces for a match of this code in an extent, as many as fit its width."""
    chance = Random(code)  # noqa: S311 - how confetti falls need not be beyond guessing
    halves = HALVES * extent.rows
    pieces: list[Piece] = []
    for _number in range(round(RESTING_ROWS * extent.columns * DENSITY)):
        begin = chance.uniform(0, SCATTER_SECONDS)
        speed = halves / (FALL_SECONDS - SCATTER_SECONDS)  # the last one is gone in time
        column = chance.randrange(extent.columns)
        pieces.append(Piece(column, chance.choice(colours), begin, speed))
    for row in range(RESTING_ROWS):
        for column in range(extent.columns):
            if chance.random() < DENSITY:
                rest = HALVES * row + chance.randrange(HALVES)
                begin = chance.uniform(FALL_SECONDS / 2, FALL_SECONDS - SCATTER_SECONDS / 2)
                speed = (rest + 1) / (SCATTER_SECONDS / 2)
                pieces.append(Piece(column, chance.choice(colours), begin, speed, rest))
    return tuple(pieces)


def scatter(
    lines: Sequence[Line],
    extent: Extent,
    look: Look,
    colours: Sequence[str],
    code: str,
    seconds: float | None,
) -> list[Line]:
    """Return lines with confetti in their free cells, after so many seconds or, if None, at rest.

    There is none in ASCII, which has no half blocks.
    """
    if look.glyphs.upper.isspace():
        return list(lines)
    rows: dict[int, dict[int, Fragment]] = {}
    signs = (look.glyphs.upper, look.glyphs.lower)
    for piece in throw(code, extent, tuple(colours)):
        half = piece.find_half(seconds)
        if half is not None and half < HALVES * extent.rows:
            row, lower = divmod(half, HALVES)
            rows.setdefault(row, {})[piece.column] = (f"class:ink.{piece.colour}", signs[lower])
    return [
        _put(line, rows[row], extent.columns) if row in rows else line
        for row, line in enumerate(fit(lines, extent))
    ]


def _put(line: Line, pieces: dict[int, Fragment], columns: int) -> Line:
    """Return a line with pieces in those of their columns that are free.

    A cell is free if neither it nor one beside it has words: gaps between words are part of them.
    """
    cells = list(_split(line))
    cells += [("", " ")] * (columns - width(cells))
    blank = [fragment[1] == " " for fragment in cells]
    for column, piece in pieces.items():
        if all(blank[max(0, column - 1) : column + 2]):
            cells[column] = piece
    return _join(cells)


def _join(cells: Sequence[Fragment]) -> Line:
    """Return cells as a line: few fragments are drawn sooner than many."""
    line: Line = []
    for cell in cells:
        if line and len(cell) == len(line[-1]) == 2 and cell[0] == line[-1][0]:
            line[-1] = (cell[0], line[-1][1] + cell[1])
        else:
            line.append(cell)
    return line


def _split(line: Line) -> Iterator[Fragment]:
    """Yield a line cell by cell; what is wider than a cell is followed by an empty text."""
    for fragment in line:
        for character in fragment[1]:
            click = fragment[2] if len(fragment) == 3 else None
            yield (fragment[0], character) if click is None else (fragment[0], character, click)
            for _cell in range(get_cwidth(character) - 1):
                yield (fragment[0], "")
