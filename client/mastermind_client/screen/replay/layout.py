"""Where everything of a review stands on its stage: a pure function of the rules and the room.

The board has a column for verdicts and one for the codes that were left. The card that tells of one
guess is beside it on a wide stage, and else below it; then come the rounds, in the last line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import Extent, text, width
from mastermind_client.screen.look.tiles import FLAT, MID, NARROW, TALL, WIDE, TileShape
from mastermind_client.screen.match.layout import Across, measure_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.rules import Rules

BAR = 12  # columns of a verdict and of the bar below it
GAP = 2  # columns between two parts of a row, and between the board and the card
BESIDE = 90  # columns of a stage from which on the card is beside the board
LEAST_CARD = 28  # columns of a card beside the board
WHOLE_CARD = 70  # columns from which on a card below the board has a line more, and longer ones
LINES, FEWER_LINES = 4, 3  # of a card below the board
EDGES = 2  # rows of a frame
BEFORE, AFTER = 6, 2  # columns of a board before its pegs, and behind everything


@dataclass(frozen=True, slots=True)
class ReplayLayout:
    """Where everything of a review stands.

    `board` and `card` have their frames. With `words` an answer is told in words too; `verdicts`
    and `codes` are the columns of either, 0 where there are none. Of the guesses `shown` are in
    sight.
    """

    across: Across
    tile: TileShape
    code: TileShape
    board: Extent
    card: Extent
    blank: int
    shown: int
    words: bool
    verdicts: int
    codes: int
    beside: bool

    @property
    def told(self) -> int:
        """The columns of verdict and codes, with what is between them."""
        row = BEFORE + self.across.row + GAP + self.across.answer + GAP
        return self.board.columns - row - AFTER


@dataclass(frozen=True, slots=True)
class _Columns:
    across: Across
    words: bool
    verdicts: int
    codes: int

    @property
    def needed(self) -> int:
        row = BEFORE + self.across.row + GAP + self.across.answer + AFTER
        row += GAP + self.verdicts if self.verdicts else 0
        return row + (1 + self.codes if self.codes else 0)


def choose_layout(
    rules: Rules, guesses: int, extent: Extent, labels: tuple[str, ...] = ()
) -> ReplayLayout:
    """Return where all stands for a round of so many guesses.

    The `labels` stand in the column of the codes that were left; without them there is none, and
    none for verdicts.
    """
    beside = extent.columns >= BESIDE
    room = extent.columns - (GAP + 1 + LEAST_CARD if beside else 0)
    codes = max((width(text(label)) for label in labels), default=0)
    tried = list(_list_columns(rules, codes))
    columns = next((each for each in tried if each.needed <= room), tried[-1])
    board = columns.needed if beside else extent.columns
    lines = LINES if extent.columns >= WHOLE_CARD else FEWER_LINES
    rows = extent.rows - 2 - (0 if beside else lines + EDGES)
    tile, code, blank, shown = _choose_rows(guesses, rows)
    side = extent.columns - board - GAP - 1
    return ReplayLayout(
        across=columns.across,
        tile=TileShape(columns.across.tile, tile),
        code=TileShape(columns.across.tile, code),
        board=Extent(board, rows),
        card=Extent(side, rows) if beside else Extent(extent.columns, lines + EDGES),
        blank=blank,
        shown=shown,
        words=columns.words,
        verdicts=columns.verdicts,
        codes=columns.codes,
        beside=beside,
    )


def _list_columns(rules: Rules, codes: int) -> Iterator[_Columns]:
    """Yield the columns that are tried, the widest first."""
    verdicts = BAR if codes else 0
    for tile, gap, words, kept in (
        (WIDE, 1, True, True),
        (WIDE, 1, False, True),
        (NARROW, 1, False, True),
        (NARROW, 0, False, True),
        (NARROW, 0, False, False),
    ):
        yield _Columns(
            _measure(rules, tile, gap, words=words), words, verdicts, codes if kept else 0
        )


def _measure(rules: Rules, tile: int, gap: int, *, words: bool) -> Across:
    answer = rules.pegs + (GAP + measure_words(rules, notation=False) if words else 0)
    return Across(
        pegs=rules.pegs,
        tile=tile,
        gap=gap,
        key_gap=0,
        before=BEFORE,
        between=GAP,
        answer=answer,
        after=AFTER,
    )


def _choose_rows(guesses: int, rows: int) -> tuple[int, int, int, int]:
    """Return the rows of a guess, of the code and of blank ones, and how many guesses there are."""
    room = rows - EDGES - 1  # the rule below the code
    for height in (TALL, MID):
        left = room - height - guesses * height
        if left >= 0:
            return height, height, min(1, left) if height == MID else 0, guesses
    code = MID if room - MID >= guesses else FLAT
    left = room - code
    blank = 1 if left > guesses else 0
    return FLAT, code, blank, max(1, left - blank)
