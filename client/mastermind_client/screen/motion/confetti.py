"""The confetti that falls for the winner of a match."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.motion.animation import CONFETTI_SECONDS
from mastermind_client.screen.toolkit.lines import Extent, fit, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Fragment, Line

RESTING_CONFETTI_ROWS = 2  # rows where confetti stays
CONFETTI_DENSITY = 0.6  # resting pieces per cell of these rows; as many others fall past
SCATTER_SECONDS = 0.5  # between the starts of the first and the last piece that falls past the rows
HALVES_PER_ROW = 2  # halves of a row; a piece is half a cell
_CACHED_PIECE_SETS = 16  # sets of pieces, one for each match and extent


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of confetti, which falls in `column` from `begin` seconds after the start.

    `speed` is in half rows per second. The piece stops at the half row `rest`, counted from the
    top. If `rest` is None, it falls out of the window.
    """

    column: int
    colour: str
    begin: float
    speed: float
    rest: int | None = None

    def find_half_row(self, seconds: float | None) -> int | None:
        """Return the half row of the piece after `seconds`, or None before it starts to fall.

        If `seconds` is None, the confetti has ended: return the half row where the piece stays.
        """
        if seconds is None:
            return self.rest
        if seconds < self.begin:
            return None
        fallen = int((seconds - self.begin) * self.speed)
        return fallen if self.rest is None else min(fallen, self.rest)


@lru_cache(maxsize=_CACHED_PIECE_SETS)
def make_pieces(match_code: str, extent: Extent, colours: tuple[str, ...]) -> tuple[Piece, ...]:
    """Return the pieces of confetti for a match. Their number depends on the extent.

    The match code is the random seed, so that each drawing has the same pieces.
    """
    random = Random(match_code)  # noqa: S311 - not for cryptography
    halves = HALVES_PER_ROW * extent.rows
    pieces: list[Piece] = []
    for _number in range(round(RESTING_CONFETTI_ROWS * extent.columns * CONFETTI_DENSITY)):
        begin = random.uniform(0, SCATTER_SECONDS)
        speed = halves / (
            CONFETTI_SECONDS - SCATTER_SECONDS
        )  # the last piece has passed by CONFETTI_SECONDS
        column = random.randrange(extent.columns)
        pieces.append(Piece(column, random.choice(colours), begin, speed))
    for row in range(RESTING_CONFETTI_ROWS):
        for column in range(extent.columns):
            if random.random() < CONFETTI_DENSITY:
                rest = HALVES_PER_ROW * row + random.randrange(HALVES_PER_ROW)
                begin = random.uniform(CONFETTI_SECONDS / 2, CONFETTI_SECONDS - SCATTER_SECONDS / 2)
                speed = (rest + 1) / (SCATTER_SECONDS / 2)
                pieces.append(Piece(column, random.choice(colours), begin, speed, rest))
    return tuple(pieces)


def draw_confetti(
    lines: Sequence[Line],
    extent: Extent,
    look: Look,
    colours: Sequence[str],
    match_code: str,
    seconds: float | None,
) -> list[Line]:
    """Return the lines with confetti in their blank cells, `seconds` after its start.

    If `seconds` is None, only pieces that stay are drawn. In ASCII, which has no half blocks, the
    lines are unchanged.
    """
    if look.glyphs.upper.isspace():
        return list(lines)
    rows: dict[int, dict[int, Fragment]] = {}
    signs = (look.glyphs.upper, look.glyphs.lower)
    for piece in make_pieces(match_code, extent, tuple(colours)):
        half = piece.find_half_row(seconds)
        if half is not None and half < HALVES_PER_ROW * extent.rows:
            row, lower = divmod(half, HALVES_PER_ROW)
            rows.setdefault(row, {})[piece.column] = (f"class:ink.{piece.colour}", signs[lower])
    return [
        _put_pieces(line, rows[row], extent.columns) if row in rows else line
        for row, line in enumerate(fit(lines, extent))
    ]


def _put_pieces(line: Line, pieces: dict[int, Fragment], columns: int) -> Line:
    """Return the line with those pieces that have a blank cell with blank neighbours.

    Blanks between words stay blank.
    """
    cells = list(_split_cells(line))
    cells += [("", " ")] * (columns - width(cells))
    blank = [fragment[1] == " " for fragment in cells]
    for column, piece in pieces.items():
        if all(blank[max(0, column - 1) : column + 2]):
            cells[column] = piece
    return _join_cells(cells)


def _join_cells(cells: Sequence[Fragment]) -> Line:
    """Return cells as a line. Neighbours of one style become one fragment, drawn faster."""
    line: Line = []
    for cell in cells:
        if line and len(cell) == len(line[-1]) == 2 and cell[0] == line[-1][0]:
            line[-1] = (cell[0], line[-1][1] + cell[1])
        else:
            line.append(cell)
    return line


def _split_cells(line: Line) -> Iterator[Fragment]:
    """Yield the cells of a line. A character of two columns is followed by an empty fragment."""
    for fragment in line:
        for character in fragment[1]:
            click = fragment[2] if len(fragment) == 3 else None
            yield (fragment[0], character) if click is None else (fragment[0], character, click)
            for _cell in range(get_cwidth(character) - 1):
                yield (fragment[0], "")
