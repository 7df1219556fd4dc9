"""The times in which this process stood still, which the clocks of matches give back."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_server.clock import Clock

PAUSE_SECONDS = 1.0  # shorter pauses are normal on a busy machine
PAUSES_KEPT = 100  # a match that needs more of them has been idle for long


class Outage(NamedTuple):
    """A time in which players could not move, in milliseconds since 1970."""

    began: int
    ended: int


class Pauses:
    """The pauses of the event loop that were longer than PAUSE_SECONDS.

    `check` must be called regularly, and before a request that was delayed by a pause is served.
    They are recorded in the time of day of `day_clock`. `given_back` has the seconds that matches
    have given back, for pauses and for outages of servers.
    """

    def __init__(self, day_clock: Clock) -> None:
        self._day_clock = day_clock
        self._clock: Clock | None = None
        self._interval = self._last = 0.0
        self._pauses: deque[Outage] = deque(maxlen=PAUSES_KEPT)
        self.unwritten: list[Outage] = []  # pauses that are not in the store yet
        self.given_back = 0.0

    def start(self, clock: Clock, interval: float) -> None:
        """Measure by `clock` from now on. `check` is called every `interval` seconds."""
        self._clock, self._interval, self._last = clock, interval, clock.now()

    def check(self) -> None:
        """Record a pause if the last call was too long ago."""
        if self._clock is None:
            return
        now = self._clock.now()
        late = now - self._last - self._interval
        self._last = now
        if late > PAUSE_SECONDS:
            ended = self._day_clock.unix_milliseconds()
            pause = Outage(ended - int(1000 * late), ended)
            self._pauses.append(pause)
            self.unwritten.append(pause)

    def list_all(self) -> Sequence[Outage]:
        """Return the last PAUSES_KEPT pauses, the oldest first."""
        return self._pauses


def measure_lost_time(outages: Sequence[Outage], since: int, until: int) -> int:
    """Return the milliseconds from `since` to `until` that are in at least one of `outages`."""
    lost = 0
    for began, ended in sorted(outages):
        lost += max(0, min(ended, until) - max(began, since))
        since = max(since, ended)
    return lost
