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
    """The state of an animation. The default is the state without an animation.

    `answer` is the number of visible key pegs of the last answer. `opened` and `sealed` are numbers
    of tiles of the code. `lifted` is the index of the lifted tile in the last guess. `fallen` is
    the number of seconds that confetti has been falling. None means that this part is not being
    animated.
    """

    answer: int | None = None
    opened: int | None = None
    sealed: int | None = None
    lifted: int | None = None
    fallen: float | None = None

    @property
    def answered(self) -> bool:
        """Whether the last answer is complete, so that its consequences are displayed."""
        return self.answer is None

    @property
    def revealed(self) -> bool:
        """Whether the code is open, so that its check is displayed."""
        return self.answered and self.opened is None


AT_REST = Moment()


@dataclass(frozen=True, slots=True)
class Motion:
    """The durations of the parts of an animation, in seconds. A missing part has 0.

    The answer comes first, then the opening of the code, then the wave. Confetti falls from the
    opening on.
    """

    answer: float = 0.0
    opening: float = 0.0
    wave: float = 0.0
    confetti: float = 0.0
    sealing: float = 0.0

    @property
    def seconds(self) -> float:
        """The duration of the whole animation in seconds."""
        ending = max(self.opening + self.wave, self.confetti)
        return max(self.answer + ending, self.sealing)

    def find_moment(self, elapsed: float) -> Moment:
        """Return the state of the animation `elapsed` seconds after its start."""
        if elapsed < self.answer:
            covered = 0 if self.opening else None
            return Moment(answer=int(elapsed / KEY_PEG_SECONDS), opened=covered)
        if elapsed >= self.seconds:
            return AT_REST
        if self.sealing:
            return Moment(sealed=int(elapsed / OPEN_TILE_SECONDS))
        since = elapsed - self.answer
        waved = since - self.opening
        return Moment(
            opened=int(since / OPEN_TILE_SECONDS) if since < self.opening else None,
            lifted=int(waved / LIFT_TILE_SECONDS) if 0 <= waved < self.wave else None,
            fallen=since if since < self.confetti else None,
        )


def find_motion(before: Match, after: Match, me: str) -> Motion | None:
    """Return the animation between two states of a match, or None if no move was made.

    Only a single step is animated. After several steps the result is displayed at once. A code of
    the player `me` is not opened tile by tile. Confetti falls if `me` wins the match.
    """
    pegs = after.rules.pegs
    if before.phase is Phase.SETTING and after.phase is Phase.BREAKING:
        return Motion(sealing=pegs * OPEN_TILE_SECONDS)
    if _count_moves(before) == _count_moves(after):
        return None
    over = len(after.played) == len(before.played) + 1
    shown = after.played[-1] if over else after.current
    if before.current is None or shown is None or not _follows(before.current, shown):
        return Motion()
    answered = len(shown.turns) > len(before.current.turns)
    return Motion(
        answer=pegs * KEY_PEG_SECONDS if answered else 0.0,
        opening=pegs * OPEN_TILE_SECONDS if over and _is_opened_by_tile(shown, me) else 0.0,
        wave=pegs * LIFT_TILE_SECONDS if over and shown.how is RoundEnd.BROKEN else 0.0,
        confetti=CONFETTI_SECONDS if has_won(after, me) else 0.0,
    )


def has_won(match: Match, me: str) -> bool:
    """Return whether the player `me` has won, but not because the opponent left."""
    outcome = match.outcome
    return outcome is not None and outcome.how is MatchEnd.PLAYED and outcome.winner == me


def _count_moves(match: Match) -> tuple[int, int, bool]:
    """Return the number of finished rounds, of guesses in this round, and whether all is over."""
    guesses = len(match.current.turns) if match.current is not None else 0
    return len(match.played), guesses, match.outcome is not None


def _follows(before: Round, after: Round) -> bool:
    """Return whether both are the same round, and `after` has at most one guess more."""
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
    def age(self) -> float:
        """The seconds since the last answer was complete. Negative while its key pegs appear."""
        return self._clock.now() - self._began - self._motion.answer

    def begin(self, motion: Motion) -> None:
        """Start a motion instead of the current one."""
        self.close()
        self._motion, self._began = motion, self._clock.now()
        self._advance()

    def end(self) -> None:
        """Skip the rest of the motion."""
        if self._timer is not None:
            if self.age < 0:
                self._began = self._clock.now()
                self._motion = Motion()
            self._show(AT_REST)
        self.close()

    def close(self) -> None:
        """Cancel the timer."""
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
CONFETTI_DENSITY = 0.6  # pieces per cell of these rows; as many others fall past them
SCATTER_SECONDS = 0.5  # between the first and the last piece that falls past
HALVES_PER_ROW = 2  # halves of a row; a piece is half a cell
_CACHED_PIECE_SETS = 16  # sets of pieces, one for each match and extent


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


@lru_cache(maxsize=_CACHED_PIECE_SETS)
def make_pieces(code: str, extent: Extent, colours: tuple[str, ...]) -> tuple[Piece, ...]:
    """Return the pieces for the match with this code. Their number depends on the extent."""
    random = Random(code)  # noqa: S311 - not for cryptography
    halves = HALVES_PER_ROW * extent.rows
    pieces: list[Piece] = []
    for _number in range(round(RESTING_CONFETTI_ROWS * extent.columns * CONFETTI_DENSITY)):
        begin = random.uniform(0, SCATTER_SECONDS)
        speed = halves / (
            CONFETTI_SECONDS - SCATTER_SECONDS
        )  # the last piece has passed by FALL_SECONDS
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
        if half is not None and half < HALVES_PER_ROW * extent.rows:
            row, lower = divmod(half, HALVES_PER_ROW)
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
