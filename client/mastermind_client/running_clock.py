"""The running clock of a match, and a timer that follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.clock import MINUTE, SECOND
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.clock import TimerClock
    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match

TENTHS_BELOW = 10 * SECOND
ALARM_PART = 10  # the last tenth of the time: the bell rings, and the clock is reversed
LATE = 1  # milliseconds after a change, so that a timer never runs just before it


class RunningClock(NamedTuple):
    """The time of the player to move: `left` of the `total`, in milliseconds.

    `total` is the time at the start of the round or of the move. `live` is as in `Clock`.
    """

    player: str
    left: int
    total: int
    live: bool = True

    @property
    def alarming(self) -> bool:
        """Whether a live clock is in the last tenth of its time."""
        return self.live and self.left * ALARM_PART <= self.total

    @property
    def counts_tenths(self) -> bool:
        """Whether tenths of seconds are shown."""
        return self.live and self.left < TENTHS_BELOW

    @property
    def step(self) -> int:
        """The milliseconds in which the shown time changes by one. Days change each minute."""
        if not self.live:
            return MINUTE
        return SECOND // 10 if self.counts_tenths else SECOND


class ClockPhase(NamedTuple):
    """A phase of a match with a clock of its own."""

    rounds: int
    phase: Phase
    guesses: int


def find_running_clock(mirror: Mirror) -> RunningClock | None:
    """Return the running clock of the received state, or None if no clock runs."""
    match, left = mirror.state, mirror.time_left
    if match.clock is None or match.to_move is None or left is None:
        return None
    setting = match.phase is Phase.SETTING
    total = match.clock.setting if setting else match.clock.breaking
    return RunningClock(match.to_move.id, left, total, match.clock.live)


def find_time(match: Match, running: RunningClock | None, player: Player) -> int | None:
    """Return the time of a player in milliseconds, or None if it has none.

    This is the time left to the player to move. The other player has the time of a round or a guess
    ahead, unless the match has no further one. Clocks of days run only for the player to move.
    """
    if running is not None and running.player == player.id:
        return running.left
    if match.clock is None or not match.clock.live or match.phase is Phase.FINISHED:
        return None
    waits_for_code = match.phase is Phase.SETTING and match.breaker == player
    gathering = match.phase is Phase.GATHERING
    last = match.round_number == match.opened.rounds
    return match.clock.breaking if gathering or waits_for_code or not last else None


def find_phase(match: Match) -> ClockPhase:
    """Return the phase in which a clock runs: a round, or a guess if each has its own time."""
    turns = match.current.turns if match.current is not None else ()
    per_move = match.clock is not None and match.clock.move
    return ClockPhase(len(match.played), match.phase, len(turns) if per_move else 0)


class ClockTimer:
    """Calls `on_due` each time a delay is over. `find_delay` returns the next delay in seconds.

    Without a delay no timer runs, until `restart` is called.
    """

    def __init__(
        self,
        clock: TimerClock,
        find_delay: Callable[[], float | None],
        on_due: Callable[[], object],
    ) -> None:
        self._clock, self._find_delay, self._on_due = clock, find_delay, on_due
        self._timer: asyncio.TimerHandle | None = None

    def restart(self) -> None:
        """Find the delay anew, after the clock of the match has changed."""
        self.close()
        delay = self._find_delay()
        if delay is not None:
            self._timer = self._clock.call_later(delay, self._run)

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        self._on_due()
        self.restart()


def find_tick(running: RunningClock | None) -> float | None:
    """Return the seconds until the shown time changes, or None if it does not change."""
    if running is None or running.left == 0:
        return None
    return (running.left % running.step + LATE) / SECOND


def find_next_threshold(running: RunningClock | None, thresholds: tuple[int, ...]) -> float | None:
    """Return the seconds until the clock reaches the next of the `thresholds`, or None."""
    if running is None or not running.live:
        return None
    below = [each for each in thresholds if each < running.left]
    return (running.left - max(below) + LATE) / SECOND if below else None
