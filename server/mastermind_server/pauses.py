"""When this process could serve no move. The clocks of matches give this time back."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.errors import MastermindError
    from mastermind_server.clock import Clock

PAUSE_SECONDS = 0.05  # an idle machine is 0.005 late; a flag is late by a shorter pause and a tick
RETRY_SECONDS = 2.0  # for a client to repeat a move after the store failed
STORED_SECONDS = 0.25  # shorter pauses are not stored: a kill forgets them
PAUSES_KEPT = 1000  # a match that needs more of them has been idle for long
POLLS_KEPT = 1000  # of the sockets: those of the last minute, if few times end
_FAILURES = (Reason.NOT_READ, Reason.NOT_SAVED, Reason.OVERLOADED)


class Outage(NamedTuple):
    """A time from `began` to `ended` in which players could not move.

    Both are in milliseconds since 1970.
    """

    began: int
    ended: int


class Pauses:
    """The pauses of the event loop, and its complete polls of the sockets.

    `tick` must be called at a fixed interval. `check` must be called before a request is served
    that a pause may have delayed. Pauses and polls are in the time of day of `day_clock`.
    `unwritten` contains the pauses that must still be stored.

    A pause by a failure of the store lasts until clients have repeated their moves. The last such
    pause ends at `store_ready`, in milliseconds since 1970, which may be in the future.
    `given_back` is the sum of the seconds that matches have given back, for pauses and for outages
    of servers.
    """

    def __init__(self, day_clock: Clock) -> None:
        self._day_clock = day_clock
        self._clock: Clock | None = None
        self._interval = self._last = 0.0
        self._pauses: deque[Outage] = deque(maxlen=PAUSES_KEPT)
        self._polls: deque[tuple[int, int]] = deque(maxlen=POLLS_KEPT)
        self.unwritten: list[Outage] = []  # pauses that are not in the store yet
        self.store_ready = 0
        self.given_back = 0.0

    def start(self, clock: Clock, interval: float) -> None:
        """Measure pauses by `clock` from now on. `tick` is called every `interval` seconds."""
        self._clock, self._interval, self._last = clock, interval, clock.now()

    def tick(self) -> None:
        """Record a pause if the event loop has not called `tick` in time. Record a poll too."""
        self.check()
        if self._clock is not None:
            self._last = self._clock.now()
        self.note_poll()

    def check(self) -> None:
        """Record a pause since the last tick if the next tick is late."""
        if self._clock is None:
            return
        now = self._clock.now()
        if now - self._last - self._interval > PAUSE_SECONDS:
            self._add(now - self._last)
            self._last = now

    def add_failure(self, error: MastermindError, since: float) -> None:
        """Record a pause from `since`, in monotonic seconds, if `error` is a failure of the store.

        The pause ends RETRY_SECONDS from now, when clients have repeated their moves.
        """
        if error.reason in _FAILURES:
            self._add(self._day_clock.now() - since, RETRY_SECONDS)
            self.store_ready = self._pauses[-1].ended

    def add_delay(self, since: float) -> None:
        """Record a pause from `since`, in monotonic seconds, until now.

        Does nothing if this is at most PAUSE_SECONDS.
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
        """Return the last PAUSES_KEPT pauses, the oldest first."""
        return self._pauses

    def note_poll(self) -> None:
        """Record a poll of the sockets. It begins now, and ends when its data has been read.

        An iteration of the event loop runs its callbacks before it reads the data that its poll
        found. So a second callback marks the end.
        """
        loop = asyncio.get_running_loop()
        began = self._day_clock.unix_milliseconds()
        loop.call_soon(loop.call_soon, self._end_poll, began)

    def _end_poll(self, began: int) -> None:
        self._polls.append((began, self._day_clock.unix_milliseconds()))

    def has_polled(self, since: int, until: int) -> bool:
        """Return whether a complete poll lies between `since` and `until`, in ms since 1970.

        If so, data that was read at `until` cannot have arrived before `since`.
        """
        return any(began > since and ended < until for began, ended in self._polls)


def measure_lost_time(outages: Sequence[Outage], since: int, until: int) -> int:
    """Return the milliseconds from `since` to `until` that are in at least one of `outages`.

    `since` and `until` are in milliseconds since 1970.
    """
    lost = 0
    for began, ended in sorted(outages):
        lost += max(0, min(ended, until) - max(began, since))
        since = max(since, ended)
    return lost


def unite_outages(outages: Sequence[Outage]) -> list[Outage]:
    """Return `outages` in order; those that overlap become one."""
    united: list[Outage] = []
    for outage in sorted(outages):
        if united and outage.began <= united[-1].ended:
            united[-1] = Outage(united[-1].began, max(united[-1].ended, outage.ended))
        else:
            united.append(outage)
    return united
