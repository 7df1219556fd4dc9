"""The animations of a match, and the confetti for a won one.

The key pegs of an answer appear one by one. At the end of a round the tiles of the code are opened
one by one, and a wave lifts the tiles of the guess that broke the code. Confetti falls for the
winner of a match. A new code is sealed tile by tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.toolkit.lines import Extent, fit, width
from mastermind_protocol.events import MatchEnd, RoundEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence

    from mastermind_client.clock import TimerClock
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Fragment, Line
    from mastermind_protocol.match import Match, Round

KEY_PEG_SECONDS = 0.08  # for each key peg
OPEN_TILE_SECONDS = 0.12  # for each tile that is turned over or sealed
LIFT_TILE_SECONDS = 0.06  # for each tile that is lifted
CONFETTI_SECONDS = 1.4  # of the confetti; other animations are not longer


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of an animation at one time. The default is the state without an animation.

    `shown_key_pegs` counts the visible key pegs of the last answer. `opened_tiles` and
    `sealed_tiles` count tiles of the code. `lifted_tile` is the index of the lifted tile in the
    last guess. `fallen_seconds` is how long confetti has been falling. A field has the
    value None while its part is not animated.
    """

    shown_key_pegs: int | None = None
    opened_tiles: int | None = None
    sealed_tiles: int | None = None
    lifted_tile: int | None = None
    fallen_seconds: float | None = None

    @property
    def is_answered(self) -> bool:
        """Whether all key pegs of the last answer are visible.

        Until then the consequences of the answer are not displayed.
        """
        return self.shown_key_pegs is None

    @property
    def is_revealed(self) -> bool:
        """Whether all tiles of the code are open.

        Until then the check of the code is not displayed.
        """
        return self.is_answered and self.opened_tiles is None


AT_REST = Moment()


@dataclass(frozen=True, slots=True)
class Motion:
    """The durations of the parts of an animation. A missing part has 0 seconds.

    The answer comes first, then the opening of the code, then the wave that lifts the winning
    guess. Confetti falls from the beginning of the opening. The sealing of a new code is an
    animation without the other parts.
    """

    answer_seconds: float = 0.0
    opening_seconds: float = 0.0
    wave_seconds: float = 0.0
    confetti_seconds: float = 0.0
    sealing_seconds: float = 0.0

    @property
    def total_seconds(self) -> float:
        """The duration of the whole animation."""
        ending = max(self.opening_seconds + self.wave_seconds, self.confetti_seconds)
        return max(self.answer_seconds + ending, self.sealing_seconds)

    def find_moment(self, elapsed: float) -> Moment:
        """Return the state of the animation `elapsed` seconds after its start."""
        if elapsed < self.answer_seconds:
            covered = 0 if self.opening_seconds else None
            return Moment(shown_key_pegs=int(elapsed / KEY_PEG_SECONDS), opened_tiles=covered)
        if elapsed >= self.total_seconds:
            return AT_REST
        if self.sealing_seconds:
            return Moment(sealed_tiles=int(elapsed / OPEN_TILE_SECONDS))
        since = elapsed - self.answer_seconds
        waved = since - self.opening_seconds
        return Moment(
            opened_tiles=int(since / OPEN_TILE_SECONDS) if since < self.opening_seconds else None,
            lifted_tile=int(waved / LIFT_TILE_SECONDS) if 0 <= waved < self.wave_seconds else None,
            fallen_seconds=since if since < self.confetti_seconds else None,
        )


def find_motion(before: Match, after: Match, me: str) -> Motion | None:
    """Return the animation between two states of a match, or None if no move was made.

    Only a single move is animated. After several moves the last state is displayed at once. A code
    that the player `me` has set is not opened tile by tile. Confetti falls if `me` wins the match.
    """
    pegs = after.rules.pegs
    if before.phase is Phase.SETTING and after.phase is Phase.BREAKING:
        return Motion(sealing_seconds=pegs * OPEN_TILE_SECONDS)
    if _count_moves(before) == _count_moves(after):
        return None
    over = len(after.played) == len(before.played) + 1
    shown = after.played[-1] if over else after.current
    if before.current is None or shown is None or not _follows(before.current, shown):
        return Motion()
    answered = len(shown.turns) > len(before.current.turns)
    return Motion(
        answer_seconds=pegs * KEY_PEG_SECONDS if answered else 0.0,
        opening_seconds=pegs * OPEN_TILE_SECONDS if over and _is_opened_by_tile(shown, me) else 0.0,
        wave_seconds=pegs * LIFT_TILE_SECONDS if over and shown.how is RoundEnd.BROKEN else 0.0,
        confetti_seconds=CONFETTI_SECONDS if has_won(after, me) else 0.0,
    )


def has_won(match: Match, me: str) -> bool:
    """Return whether the player `me` has won. False if the opponent has only left it."""
    outcome = match.outcome
    if outcome is None or outcome.how is not MatchEnd.PLAYED or match.measures_bot:
        return False
    return outcome.winner == me


def _count_moves(match: Match) -> tuple[int, int, bool]:
    """Return the numbers of ended rounds and of guesses in this round, and if the match is over."""
    guesses = len(match.current.turns) if match.current is not None else 0
    return len(match.played), guesses, match.outcome is not None


def _follows(before: Round, after: Round) -> bool:
    """Return whether `after` is the round `before`, with at most one guess more."""
    made = len(before.turns)
    return after.turns[:made] == before.turns and len(after.turns) <= made + 1


def _is_opened_by_tile(played: Round, me: str) -> bool:
    return played.secret is not None and played.maker != me


FRAME_SECONDS = 0.04  # between two frames: smooth, and twice the redraw interval


class Animation:
    """Plays one motion at a time, and calls `changed` when the `moment` changes."""

    def __init__(self, clock: TimerClock, changed: Callable[[], None]) -> None:
        self.moment: Moment = AT_REST
        self._clock, self._changed = clock, changed
        self._motion = Motion()
        self._began = clock.now()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def seconds_since_answer(self) -> float:
        """The seconds since the last answer was complete. Negative while its key pegs appear."""
        return self._clock.now() - self._began - self._motion.answer_seconds

    def begin(self, motion: Motion) -> None:
        """Start a motion instead of the current one."""
        self.close()
        self._motion, self._began = motion, self._clock.now()
        self._advance()

    def end(self) -> None:
        """Skip the rest of the motion."""
        if self._timer is not None:
            if self.seconds_since_answer < 0:
                self._began = self._clock.now()
                self._motion = Motion()
            self._show(AT_REST)
        self.close()

    def close(self) -> None:
        """Cancel the timer of the next frame."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _advance(self) -> None:
        """Update the moment, and schedule the next frame until the motion ends."""
        self._timer = None
        moment = self._motion.find_moment(self._clock.now() - self._began)
        if moment != AT_REST:
            self._timer = self._clock.call_later(FRAME_SECONDS, self._advance)
        self._show(moment)

    def _show(self, moment: Moment) -> None:
        if moment != self.moment:
            self.moment = moment
            self._changed()


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
