"""The layout of a match: a pure function of the rules, the size of the stage and the guesses.

The board is at the left, and the side column at the right if it fits. The title is above the board,
the turn line below it. The height of the tiles is chosen for a whole round, so that nothing moves
during a round. If the next guess does not fit, the tiles lose a row of their height for the rest
of the round. If tiles of one row do not fit, the guesses scroll.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import current_language_code
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
from mastermind_client.screen.toolkit.frames import FRAME_MARGIN
from mastermind_client.screen.toolkit.lines import Extent, text, width
from mastermind_protocol.feedback import Feedback

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules

SIDE_GAP = 2  # columns between the board and the side column
LEAST_SIDE_COLUMNS = 23  # columns of a side column: a name, a rating and a clock
LARGE_SIDE_COLUMNS = 30  # columns of a side column with large plates, if the tiles are tall
AIRY_STAGE_COLUMNS = 90  # columns of a stage with a wider board
LEAST_BOARD_COLUMNS = 51  # columns of a board, for the words in its bottom edge
PALETTE_LINE_TILES = 6  # small tiles in a line of the palette
GUESS_NUMBER_COLUMNS = 2  # columns of a guess's number
LEAST_GUESS_ROWS = 18  # rows for guesses, if there is room: as many as the side column needs
WANTED_GUESSES = {TALL: 7, MID: 6, FLAT: 1}  # guesses that must fit, by the height of the tiles
CACHED_LAYOUTS = 64  # for the guesses of all open matches
FRAME_ROWS = 2  # rows of the board's frame
TEXT_INSET = 1  # columns of blanks on either side of texts outside frames


class HorizontalLayout(NamedTuple):
    """The horizontal layout of a board. All numbers are in columns.

    A tile has `tile` columns. `gap` is between two tiles, and `key_gap` between two key pegs.
    `before` is left of the first tile. `between` is on either side of the key pegs.
    `answer_columns` is the width of key pegs and words, or of the palette. `after` is right of the
    answer. `sides` is whether the frame has sides. If `notation`, an answer has the feedback in the
    notation of the rules, and then in words.
    """

    pegs: int
    tile: int
    gap: int
    key_gap: int
    before: int
    between: int
    answer_columns: int
    after: int
    sides: bool = True
    notation: bool = False

    @property
    def pegs_columns(self) -> int:
        """The width of a row of pegs, with the gaps between them."""
        return self.pegs * self.tile + (self.pegs - 1) * self.gap

    @property
    def columns(self) -> int:
        """The width of the board with its frame."""
        return max(
            LEAST_BOARD_COLUMNS,
            self.before + self.pegs_columns + self.between + self.answer_columns + self.after,
        )

    @property
    def margin(self) -> int:
        """The width of one side of the frame and the blank next to it."""
        return FRAME_MARGIN if self.sides else 1

    @property
    def inner_columns(self) -> int:
        """The width inside the frame."""
        return self.columns - 2 * self.margin


class VerticalLayout(NamedTuple):
    """The vertical layout of a board. All numbers are in rows.

    `height` is the height of a tile at the start of the round, and `code` the height of the code.
    If `code` is 0, the code is drawn in the top edge. `blank` is the number of blank rows above the
    guesses, and `guesses` the number of rows for guesses. If `own_notice`, a notice has its own
    row. Otherwise it replaces the line of chat.
    """

    height: int
    code: int
    blank: int
    guesses: int
    own_notice: bool = True

    @property
    def rows(self) -> int:
        """The height of the board with its frame."""
        rule = 1 if self.code else 0
        return FRAME_ROWS + self.code + rule + self.blank + self.guesses


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions and sizes of all parts of a match.

    `room` is the stage above the key hints. The board starts at the column `left`, and the title is
    in the row `top`. `side` is the size of the side column, None without one. `tile` is the current
    size of a tile in a guess, and `code` the size of a tile in the code. `below` is the size of a
    review's card below the board. `verdict_columns` is the width of a verdict in a review. If
    `has_codes_left`, it includes the column "codes left".
    """

    room: Extent
    horizontal: HorizontalLayout
    vertical: VerticalLayout
    left: int
    side: Extent | None
    tile: TileShape
    code: TileShape
    below: Extent | None = None
    verdict_columns: int = 0
    has_codes_left: bool = False
    top: int = 0

    @property
    def board(self) -> Extent:
        """The size of the board with its frame."""
        return Extent(self.horizontal.columns, self.vertical.rows)

    @property
    def notice_row(self) -> int:
        """The row for notices: a row of its own, or the row of the last chat line."""
        return self.turn_row + (1 if self.vertical.own_notice else -1)

    @property
    def turn_row(self) -> int:
        """The row of the turn line. A line of chat is typed there too."""
        return self.top + self.board.rows + (1 if self.side else 3)

    @property
    def board_end(self) -> int:
        """The row of the board's bottom edge.

        A layout with neither a side column nor a card below has a row with both players above the
        board, so the board ends one row lower.
        """
        alone = self.side is None and self.below is None
        return self.top + self.board.rows + (1 if alone else 0)

    @property
    def visible_guesses(self) -> int:
        """The number of guesses that are visible at the same time."""
        return max(1, self.vertical.guesses // self.tile.rows)

    @property
    def columns(self) -> int:
        """The width of board and side column together."""
        return self.board.columns + (SIDE_GAP + self.side.columns if self.side else 0)

    @property
    def has_large_plates(self) -> bool:
        """Whether the plates, the fields with the players in the side column, are large."""
        return (
            self.side is not None
            and self.vertical.height == TALL
            and self.side.columns >= LARGE_SIDE_COLUMNS
        )  # fmt: skip


def choose_layout(rules: Rules, room: Extent, needed: int) -> Layout:
    """Return the layout for `needed` guesses in `room`, the stage above the key hints."""
    return _choose_layout(rules, room, needed, current_language_code())


@lru_cache(maxsize=CACHED_LAYOUTS)
def _choose_layout(rules: Rules, room: Extent, needed: int, _language: str) -> Layout:
    """Return the layout. `_language` is only a key of the cache."""
    horizontal, side_columns = _choose_horizontal(rules, room.columns)
    vertical = _choose_vertical(rules, room.rows, with_side=bool(side_columns))
    side = Extent(side_columns, vertical.rows) if side_columns else None
    left = 0 if side else max(0, (room.columns - horizontal.columns) // 2)
    code = TileShape(horizontal.tile, vertical.height if vertical.code else FLAT)
    tile = TileShape(horizontal.tile, find_tile_height(vertical, needed))
    layout = Layout(room, horizontal, vertical, left, side, tile, code)
    used = max(layout.turn_row, layout.notice_row) + 1
    return replace(layout, top=(room.rows - used) // 2)


def find_tile_height(vertical: VerticalLayout, needed: int) -> int:
    """Return the largest height of tiles at which `needed` guesses fit. The least is FLAT."""
    heights = range(vertical.height, FLAT, -1)
    return next((rows for rows in heights if needed * rows <= vertical.guesses), FLAT)


def _choose_horizontal(rules: Rules, columns: int) -> tuple[HorizontalLayout, int]:
    """Return the horizontal layout of the board, and the side column's width, 0 without one."""
    sided = [
        _measure_board(rules, tile, airy=airy, notation=notation)
        for tile in (WIDE, NARROW)
        for notation in (not rules.keys.counted, False)
        for airy in (columns >= AIRY_STAGE_COLUMNS, False)
    ]
    for horizontal in sided:
        if (rest := columns - horizontal.columns - SIDE_GAP) >= LEAST_SIDE_COLUMNS:
            return horizontal, rest
    tight = [
        _measure_board(rules, NARROW, gap=0),
        _measure_board(rules, NARROW, gap=0, sides=False),
    ]
    alone = (horizontal for horizontal in (*sided, *tight) if horizontal.columns <= columns)
    last = tight[-1]  # with cropped words
    rest = columns - last.before - last.pegs_columns - last.between - last.after
    return next(alone, last._replace(answer_columns=rest)), 0


def _measure_board(
    rules: Rules,
    tile: int,
    *,
    gap: int = 1,
    airy: bool = False,
    sides: bool = True,
    notation: bool = False,
) -> HorizontalLayout:
    keys = rules.pegs + (rules.pegs - 1 if airy else 0)
    between = 3 if airy else 2 if sides else 1
    answer = keys + between + measure_longest_answer(rules, notation=notation)
    return HorizontalLayout(
        pegs=rules.pegs,
        tile=tile,
        gap=gap,
        key_gap=1 if airy else 0,
        before=7 if airy else 6 if sides else 5,
        between=between,
        answer_columns=max(answer, _measure_palette(rules.colours)),
        after=3 if airy else 2 if sides else 1,
        sides=sides,
        notation=notation,
    )


def _measure_palette(colours: int) -> int:
    small = min(colours, PALETTE_LINE_TILES) * SMALL_COLUMNS
    return max(small, 2 * colours - 1 if colours > PALETTE_LINE_TILES else 0)


def measure_longest_answer(rules: Rules, *, notation: bool) -> int:
    """Return the width in columns of the longest text of an answer."""
    return _measure_longest_answer(rules, current_language_code(), notation=notation)


@lru_cache(maxsize=CACHED_LAYOUTS)
def _measure_longest_answer(rules: Rules, _language: str, *, notation: bool) -> int:
    """Return the width. `_language` is only a key of the cache."""
    possible = (
        Feedback(black, white)
        for black in range(rules.pegs + 1)
        for white in range(rules.pegs + 1 - black)
    )
    return max(
        width(text(write_answer(feedback, rules, notation=notation))) for feedback in possible
    )


def write_answer(feedback: Feedback, rules: Rules, *, notation: bool) -> str:
    """Return the feedback in words.

    If `notation`, the feedback in the notation of the rules precedes the words.
    """
    words = describe_feedback(feedback, rules)
    if not notation:
        return words
    written = rules.keys.write(feedback, rules.pegs)
    room = max(
        len(rules.keys.write(Feedback(black, 0), rules.pegs)) for black in range(rules.pegs + 1)
    )
    return f"{written:<{room}}  {words}"


def _choose_vertical(rules: Rules, rows: int, *, with_side: bool) -> VerticalLayout:
    """Return the vertical layout with the highest tiles that fit into `rows`.

    `with_side` is whether there is a side column.
    """
    tried = [
        vertical._replace(
            guesses=min(vertical.guesses, max(LEAST_GUESS_ROWS, height * rules.guess_limit))
        )
        for height in (TALL, MID, FLAT)
        for vertical in _list_vertical_layouts(height, rows, with_side=with_side)
    ]
    return next(
        (
            vertical
            for vertical in tried
            if vertical.guesses
            >= vertical.height * min(WANTED_GUESSES[vertical.height], rules.guess_limit)
        ),
        tried[-1]._replace(guesses=max(1, tried[-1].guesses)),
    )


def _list_vertical_layouts(height: int, rows: int, *, with_side: bool) -> list[VerticalLayout]:
    """Return the layouts to try for tiles of `height` rows, the most spacious first.

    The title, the notice and the turn line take a row each. Without a side column, the players and
    the chat also take a row each.
    """
    room = rows - (3 if with_side else 5)
    blank = 0 if height == TALL else 1
    code = max(MID, height)
    layouts = [VerticalLayout(height, code, blank, room - FRAME_ROWS - code - 1 - blank)]
    if height < TALL:
        layouts.append(VerticalLayout(height, 0, 1, room - FRAME_ROWS - 1))
        more = 0 if with_side else 1
        layouts += [
            VerticalLayout(height, 0, air, room + more - FRAME_ROWS - air, own_notice=with_side)
            for air in (1, 0)
        ]
    return layouts
