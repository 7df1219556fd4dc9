"""The animations of a match.

The key pegs of an answer appear one by one. At the end of a round the tiles of the code are opened
one by one, and a wave lifts the tiles of the guess that broke the code. Confetti falls for the
winner of a match. A new code is sealed tile by tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.events import MatchEnd, RoundEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.clock import TimerClock
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
    return played.known_code is not None and played.maker != me


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
