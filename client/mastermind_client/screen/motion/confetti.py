"""Confetti for a won match: the positions of its pieces as a function of the time.

It falls through blank cells and never covers text. Some pieces stay in the first rows. The code of
the match is the random seed, so each drawing of a match has the same confetti.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.motion.animation import FALL_SECONDS
from mastermind_client.screen.toolkit.lines import Extent, fit, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Fragment, Line

RESTING_ROWS = 2  # rows where confetti stays
DENSITY = 0.6  # pieces per cell of these rows; as many others fall past them
SCATTER_SECONDS = 0.5  # between the first and the last piece that falls past
HALVES = 2  # halves of a row; a piece is half a cell
_CACHED = 16  # sets of pieces, one for each match and extent


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of confetti: its column and colour, when it starts to fall, and its speed.

    `begin` is in seconds, and `speed` in half rows per second. The piece stops at the half row
    `rest`, counted from the top. If that is None, it leaves the window.
    """

    column: int
    colour: str
    begin: float
    speed: float
    rest: int | None = None

    def find_half(self, seconds: float | None) -> int | None:
        """Return the piece's half row after `seconds`, or None before its start.

        For None as `seconds`, return the half row where the piece stays.
        """
        if seconds is None:
            return self.rest
        if seconds < self.begin:
            return None
        fallen = int((seconds - self.begin) * self.speed)
        return fallen if self.rest is None else min(fallen, self.rest)


@lru_cache(maxsize=_CACHED)
def make_pieces(code: str, extent: Extent, colours: tuple[str, ...]) -> tuple[Piece, ...]:
    """Return the pieces for the match with this code. Their number depends on the extent."""
    random = Random(code)  # noqa: S311 - not for cryptography
    halves = HALVES * extent.rows
    pieces: list[Piece] = []
    for _number in range(round(RESTING_ROWS * extent.columns * DENSITY)):
        begin = random.uniform(0, SCATTER_SECONDS)
        speed = halves / (
            FALL_SECONDS - SCATTER_SECONDS
        )  # the last piece has passed by FALL_SECONDS
        column = random.randrange(extent.columns)
        pieces.append(Piece(column, random.choice(colours), begin, speed))
    for row in range(RESTING_ROWS):
        for column in range(extent.columns):
            if random.random() < DENSITY:
                rest = HALVES * row + random.randrange(HALVES)
                begin = random.uniform(FALL_SECONDS / 2, FALL_SECONDS - SCATTER_SECONDS / 2)
                speed = (rest + 1) / (SCATTER_SECONDS / 2)
                pieces.append(Piece(column, random.choice(colours), begin, speed, rest))
    return tuple(pieces)


def draw_confetti(
    lines: Sequence[Line],
    extent: Extent,
    look: Look,
    colours: Sequence[str],
    code: str,
    seconds: float | None,
) -> list[Line]:
    """Return the lines with confetti in their blank cells, `seconds` after its start.

    For None the pieces that stay are drawn. ASCII has no half blocks, so the lines are returned
    unchanged.
    """
    if look.glyphs.upper.isspace():
        return list(lines)
    rows: dict[int, dict[int, Fragment]] = {}
    signs = (look.glyphs.upper, look.glyphs.lower)
    for piece in make_pieces(code, extent, tuple(colours)):
        half = piece.find_half(seconds)
        if half is not None and half < HALVES * extent.rows:
            row, lower = divmod(half, HALVES)
            rows.setdefault(row, {})[piece.column] = (f"class:ink.{piece.colour}", signs[lower])
    return [
        _put_pieces(line, rows[row], extent.columns) if row in rows else line
        for row, line in enumerate(fit(lines, extent))
    ]


def _put_pieces(line: Line, pieces: dict[int, Fragment], columns: int) -> Line:
    """Return the line with the pieces for which there is room.

    A piece needs a blank cell with blank neighbours, so that blanks between words stay.
    """
    cells = list(_split_cells(line))
    cells += [("", " ")] * (columns - width(cells))
    blank = [fragment[1] == " " for fragment in cells]
    for column, piece in pieces.items():
        if all(blank[max(0, column - 1) : column + 2]):
            cells[column] = piece
    return _join_cells(cells)


def _join_cells(cells: Sequence[Fragment]) -> Line:
    """Return cells as a line. Equal neighbours become one fragment, which is drawn faster."""
    line: Line = []
    for cell in cells:
        if line and len(cell) == len(line[-1]) == 2 and cell[0] == line[-1][0]:
            line[-1] = (cell[0], line[-1][1] + cell[1])
        else:
            line.append(cell)
    return line


def _split_cells(line: Line) -> Iterator[Fragment]:
    """Yield the cells of a line. A wide character is followed by a fragment with an empty text."""
    for fragment in line:
        for character in fragment[1]:
            click = fragment[2] if len(fragment) == 3 else None
            yield (fragment[0], character) if click is None else (fragment[0], character, click)
            for _cell in range(get_cwidth(character) - 1):
                yield (fragment[0], "")
