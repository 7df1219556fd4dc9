"""Times in which this process served no moves. Players do not lose these times on their clocks."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_server.timekeeping.outages import NEVER, Outage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.errors import MastermindError
    from mastermind_server.clock import Clock

INTERVAL_SECONDS = 0.1  # between two measurements: 0.15 % of a core
PAUSE_SECONDS = 0.05  # a shorter delay is no pause; an idle machine is 0.005 late
RETRY_SECONDS = 2.0  # for a client to repeat a move after the store failed
STORED_SECONDS = 0.25  # shorter pauses are not stored, and are lost if the process is killed
PAUSES_KEPT = 1000  # only a match that has been idle for long needs more of them
POLLS_KEPT = 1000  # polls of the sockets: one whenever a player's time may have ended
_FAILURES = (Reason.NOT_READ, Reason.NOT_SAVED, Reason.OVERLOADED)


class Pauses:
    """The newest pauses of this process, and the newest times at which it polled the sockets.

    Between `start` and `stop`, a timer measures pauses of the event loop while the clock of a match
    may run: see `extend_measuring`. If such a pause may have delayed a request,
    `record_pause_if_late` must be called before the request is served.

    A failure of the store is a pause too, which lasts until clients have repeated their moves. No
    flag may fall until `flags_held_until`: the end of the newest pause of this kind, or NEVER while
    the node stops. `closed_at` is the time since which the only node of the store has drained, so
    that players cannot come in; None if they can.

    All times are in milliseconds since 1970, by `day_clock`. `unwritten` contains the pauses
    that must still be stored. `given_back_seconds` is the time that players got back on their
    clocks, for pauses and for outages of servers.
    """

    def __init__(self, day_clock: Clock) -> None:
        self._day_clock = day_clock
        self._clock: Clock | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._measured_at = 0.0  # the time of the last measurement, by `_clock`
        self._until = 0  # the end of measuring, in milliseconds since 1970
        self._pauses: deque[Outage] = deque(maxlen=PAUSES_KEPT)
        self._polls: deque[tuple[int, int]] = deque(maxlen=POLLS_KEPT)
        self.unwritten: list[Outage] = []  # pauses that are not in the store yet
        self.flags_held_until = 0
        self.closed_at: int | None = None
        self.given_back_seconds = 0.0

    def start(self, clock: Clock) -> None:
        """Measure pauses by `clock` from now on, with its timers."""
        self._clock = clock

    def stop(self) -> None:
        """Measure no pauses from now on."""
        self._clock = None
        if self._timer is not None:
            self._timer.cancel()

    def hold_flags(self) -> None:
        """Let no flag of this process fall from now on, because it stops."""
        self.flags_held_until = NEVER

    def extend_measuring(self, until: int) -> None:
        """Make the timer measure pauses at least until `until`, in milliseconds since 1970.

        Returns at once. If the clock of a match may run longer, another call must follow.
        """
        self._until = max(self._until, until)
        if self._timer is None:
            self._set_timer()

    def record_pause_if_late(self) -> None:
        """Record a pause from the last measurement until now, if the next measurement is overdue.

        Does nothing if the measurement is overdue by at most PAUSE_SECONDS.
        """
        if self._clock is None or self._timer is None:
            return
        now = self._clock.now()
        if now - self._measured_at - INTERVAL_SECONDS > PAUSE_SECONDS:
            self._add(now - self._measured_at)
            self._measured_at = now

    def _measure(self) -> None:
        self.record_pause_if_late()
        self._timer = None
        if self._day_clock.unix_milliseconds() <= self._until:
            self._set_timer()

    def _set_timer(self) -> None:
        if self._clock is not None:
            self._measured_at = self._clock.now()
            self._timer = self._clock.call_later(INTERVAL_SECONDS, self._measure)

    def add_failure(self, error: MastermindError, since: float) -> None:
        """Record a pause from `since`, in monotonic seconds, if `error` is a failure of the store.

        The pause ends RETRY_SECONDS from now, when clients have repeated their moves.
        """
        if error.reason in _FAILURES:
            self._add(self._day_clock.now() - since, RETRY_SECONDS)
            self.flags_held_until = max(self.flags_held_until, self._pauses[-1].ended)

    def add_delay(self, since: float) -> None:
        """Record a pause from `since`, in monotonic seconds, until now.

        Does nothing if the pause is at most PAUSE_SECONDS long.
        """
        late = self._day_clock.now() - since
        if late > PAUSE_SECONDS:
            self._add(late)

    def _add(self, late: float, more: float = 0.0) -> None:
        """Record a pause that began `late` seconds ago and ends `more` seconds from now."""
        now = self._day_clock.unix_milliseconds()
        pause = Outage(now - int(1000 * late), now + int(1000 * more))
        self._pauses.append(pause)
        if late + more > STORED_SECONDS:
            self.unwritten.append(pause)

    def list_all(self) -> Sequence[Outage]:
        """Return the newest PAUSES_KEPT pauses, the oldest of them first."""
        return self._pauses

    def record_poll(self) -> None:
        """Record the start and end of the next poll of the sockets, for `has_polled`.

        The poll starts now, and ends when the event loop has read the data that the poll found. A
        callback that is scheduled now runs after the poll, but before the reads. So it schedules a
        second callback, which runs after the reads and records the end.
        """
        loop = asyncio.get_running_loop()
        began = self._day_clock.unix_milliseconds()
        loop.call_soon(loop.call_soon, self._end_poll, began)

    def _end_poll(self, began: int) -> None:
        self._polls.append((began, self._day_clock.unix_milliseconds()))

    def has_polled(self, since: int, until: int) -> bool:
        """Return whether a recorded poll began after `since` and ended before `until`.

        If so, data that was read at `until` cannot have arrived before `since`. Both are in
        milliseconds since 1970.
        """
        return any(began > since and ended < until for began, ended in self._polls)
