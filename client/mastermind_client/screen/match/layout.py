"""The layout of a match on its stage: a pure function of the rules, the room and the guess.

The board is on the left, and the side column on the right if it fits. The title is above the board,
the turn line below it. The tiles are chosen for a whole round, so that nothing moves during a
round. If the next guess does not fit, all guesses become one step lower, until the round ends. Only
flat guesses scroll.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import name_language
from mastermind_client.messages.codes import describe_feedback
from mastermind_client.screen.theme.tiles import (
    FLAT,
    MID,
    NARROW,
    SMALL_COLUMNS,
    TALL,
    WIDE,
    TileShape,
)
from mastermind_client.screen.toolkit.lines import MARGIN, Extent, text, width
from mastermind_protocol.feedback import Feedback

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules

SIDE_GAP = 2  # columns between the board and the side column
LEAST_SIDE = 23  # columns of a side column: a name, a rating and a clock
LARGE_SIDE = 30  # columns of a side column with large plates, if the tiles are tall
AIRY = 90  # columns of a stage with a wider board
LEAST_BOARD = 51  # columns of a board, for the words in its bottom edge
PALETTE_LINE = 6  # small tiles in a line of the palette
DIGITS = 2  # columns of a guess's number
LEAST_GUESSES = 18  # rows for guesses in a large window, for the side column and the text of an end
WANTED = {TALL: 7, MID: 6, FLAT: 1}  # guesses that must fit, by the height of the tiles
LAYOUTS_KEPT = 64  # for the guesses of all open matches
EDGES = 2  # rows of the board's frame
INSET = 1  # columns of blanks on either side of texts outside frames


class Horizontal(NamedTuple):
    """The horizontal layout of a board, in columns.

    A tile has `tile` columns, with `gap` between two tiles and `key_gap` between two key pegs.
    `before` are the columns up to the first tile, `between` those on either side of the key pegs.
    `answer` are the columns of key pegs and words, or of the palette. `sides` is whether the frame
    has sides, and `notation` whether the words start with the notation of the rules.
    """

    pegs: int
    tile: int
    gap: int
    key_gap: int
    before: int
    between: int
    answer: int
    after: int
    sides: bool = True
    notation: bool = False

    @property
    def row(self) -> int:
        """The columns of the pegs of a row."""
        return self.pegs * self.tile + (self.pegs - 1) * self.gap

    @property
    def columns(self) -> int:
        """The columns of the whole board, with its frame."""
        return max(LEAST_BOARD, self.before + self.row + self.between + self.answer + self.after)

    @property
    def margin(self) -> int:
        """The columns of one side of the frame, with its blank."""
        return MARGIN if self.sides else 1

    @property
    def inner(self) -> int:
        """The columns within the frame."""
        return self.columns - 2 * self.margin


class Vertical(NamedTuple):
    """The vertical layout of a board, in rows.

    `height` is the height of a tile at the start of the round. The code has `code` rows, 0 if it is
    in the frame's top edge. `guesses` are the rows for guesses, below `blank` rows. With
    `own_notice` the notice has its own row, else it replaces the line of chat.
    """

    height: int
    code: int
    blank: int
    guesses: int
    own_notice: bool = True

    @property
    def rows(self) -> int:
        """The rows of the whole board."""
        rule = 1 if self.code else 0
        return EDGES + self.code + rule + self.blank + self.guesses


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions and sizes of everything in a match's `room`: all rows above the hints.

    The board's left edge is `left` columns right of the stage's, and the title `top` rows below the
    stage's. `side` is the size of the side column, None without one. `tile` is the current tile of
    a guess, `code` the tile of the code during the whole round. In a review `below` is the size of
    a card below the board, and `verdict` are the columns of a verdict, including the codes left if
    it `has_codes`.
    """

    room: Extent
    horizontal: Horizontal
    vertical: Vertical
    left: int
    side: Extent | None
    tile: TileShape
    code: TileShape
    below: Extent | None = None
    verdict: int = 0
    has_codes: bool = False
    top: int = 0

    @property
    def board(self) -> Extent:
        """The size of the board, with its frame."""
        return Extent(self.horizontal.columns, self.vertical.rows)

    @property
    def notice_row(self) -> int:
        """The row of a notice: the last one, or that of the talk if the notice has none."""
        return self.turn_row + (1 if self.vertical.own_notice else -1)

    @property
    def turn_row(self) -> int:
        """The row of the turn line, and of a typed line of chat."""
        return self.top + self.board.rows + (1 if self.side else 3)

    @property
    def board_end(self) -> int:
        """The row of the board's bottom edge. A board without a side column is below the plates."""
        alone = self.side is None and self.below is None
        return self.top + self.board.rows + (1 if alone else 0)

    @property
    def shown(self) -> int:
        """The number of visible guesses."""
        return max(1, self.vertical.guesses // self.tile.rows)

    @property
    def columns(self) -> int:
        """The columns of everything, from the left edge of the board on."""
        return self.board.columns + (SIDE_GAP + self.side.columns if self.side else 0)

    @property
    def large(self) -> bool:
        """Whether the plates are large."""
        return (
            self.side is not None
            and self.vertical.height == TALL
            and self.side.columns >= LARGE_SIDE
        )  # fmt: skip


def choose_layout(rules: Rules, room: Extent, needed: int) -> Layout:
    """Return the layout for the rows above the hints, and for `needed` guesses."""
    return _choose_layout(rules, room, needed, name_language())


@lru_cache(maxsize=LAYOUTS_KEPT)
def _choose_layout(rules: Rules, room: Extent, needed: int, _language: str) -> Layout:
    """Return the layout, cached for all drawings of a guess. It depends on the language."""
    horizontal, side_columns = _choose_horizontal(rules, room.columns)
    vertical = _choose_vertical(rules, room.rows, with_side=bool(side_columns))
    side = Extent(side_columns, vertical.rows) if side_columns else None
    left = 0 if side else max(0, (room.columns - horizontal.columns) // 2)
    code = TileShape(horizontal.tile, vertical.height if vertical.code else FLAT)
    tile = TileShape(horizontal.tile, find_tile_height(vertical, needed))
    layout = Layout(room, horizontal, vertical, left, side, tile, code)
    used = max(layout.turn_row, layout.notice_row) + 1
    return replace(layout, top=(room.rows - used) // 2)


def find_tile_height(vertical: Vertical, needed: int) -> int:
    """Return the largest height of tiles for `needed` guesses. Too many flat ones scroll."""
    heights = range(vertical.height, FLAT, -1)
    return next((rows for rows in heights if needed * rows <= vertical.guesses), FLAT)


def _choose_horizontal(rules: Rules, columns: int) -> tuple[Horizontal, int]:
    """Return the columns of the board, and of the side column, 0 without one."""
    sided = [
        _measure(rules, tile, airy=airy, notation=notation)
        for tile in (WIDE, NARROW)
        for notation in (not rules.keys.counted, False)
        for airy in (columns >= AIRY, False)
    ]
    for horizontal in sided:
        if (rest := columns - horizontal.columns - SIDE_GAP) >= LEAST_SIDE:
            return horizontal, rest
    tight = [
        _measure(rules, NARROW, gap=0),
        _measure(rules, NARROW, gap=0, sides=False),
    ]
    alone = (horizontal for horizontal in (*sided, *tight) if horizontal.columns <= columns)
    last = tight[-1]  # with cropped words
    rest = columns - last.before - last.row - last.between - last.after
    return next(alone, last._replace(answer=rest)), 0


def _measure(
    rules: Rules,
    tile: int,
    *,
    gap: int = 1,
    airy: bool = False,
    sides: bool = True,
    notation: bool = False,
) -> Horizontal:
    keys = rules.pegs + (rules.pegs - 1 if airy else 0)
    between = 3 if airy else 2 if sides else 1
    answer = keys + between + measure_words(rules, notation=notation)
    return Horizontal(
        pegs=rules.pegs,
        tile=tile,
        gap=gap,
        key_gap=1 if airy else 0,
        before=7 if airy else 6 if sides else 5,
        between=between,
        answer=max(answer, _measure_palette(rules.colours)),
        after=3 if airy else 2 if sides else 1,
        sides=sides,
        notation=notation,
    )


def _measure_palette(colours: int) -> int:
    small = min(colours, PALETTE_LINE) * SMALL_COLUMNS
    return max(small, 2 * colours - 1 if colours > PALETTE_LINE else 0)


def measure_words(rules: Rules, *, notation: bool) -> int:
    """Return the columns of the longest answer in words."""
    return _measure_words(rules, name_language(), notation=notation)


@lru_cache(maxsize=LAYOUTS_KEPT)
def _measure_words(rules: Rules, _language: str, *, notation: bool) -> int:
    """Return the columns, cached because several layouts are tried."""
    longest = (
        Feedback(black, white)
        for black in range(rules.pegs + 1)
        for white in range(rules.pegs + 1 - black)
    )
    return max(
        width(text(write_answer(feedback, rules, notation=notation))) for feedback in longest
    )


def write_answer(feedback: Feedback, rules: Rules, *, notation: bool) -> str:
    """Return the text beside the key pegs: the counts in words, after the rules' notation."""
    words = describe_feedback(feedback, rules)
    if not notation:
        return words
    written = rules.keys.write(feedback, rules.pegs)
    room = max(
        len(rules.keys.write(Feedback(black, 0), rules.pegs)) for black in range(rules.pegs + 1)
    )
    return f"{written:<{room}}  {words}"


def _choose_vertical(rules: Rules, rows: int, *, with_side: bool) -> Vertical:
    """Return the rows of the board with the highest tiles that fit."""
    tried = [
        vertical._replace(
            guesses=min(vertical.guesses, max(LEAST_GUESSES, height * rules.guess_limit))
        )
        for height in (TALL, MID, FLAT)
        for vertical in _list_heights(height, rows, with_side=with_side)
    ]
    return next(
        (
            vertical
            for vertical in tried
            if vertical.guesses >= vertical.height * min(WANTED[vertical.height], rules.guess_limit)
        ),
        tried[-1]._replace(guesses=max(1, tried[-1].guesses)),
    )


def _list_heights(height: int, rows: int, *, with_side: bool) -> list[Vertical]:
    """Return the layouts to try for tiles of a height, the airiest first.

    Title, notice and turn line have a row each; without a side column, plates and chat as well.
    """
    room = rows - (3 if with_side else 5)
    blank = 0 if height == TALL else 1
    code = max(MID, height)
    layouts = [Vertical(height, code, blank, room - EDGES - code - 1 - blank)]
    if height < TALL:
        layouts.append(Vertical(height, 0, 1, room - EDGES - 1))
        more = 0 if with_side else 1
        layouts += [
            Vertical(height, 0, air, room + more - EDGES - air, own_notice=with_side)
            for air in (1, 0)
        ]
    return layouts
