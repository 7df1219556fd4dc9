"""Detects that the line of a connection is dead.

A line can lose every packet without an error: a phone leaves a network, a laptop sleeps, a router
forgets the connection. TCP reports this after many minutes, so the client has to detect it.

**Evidence.** Any received byte proves that the line is alive: a message, a pong, a part of either.
Silence proves nothing, because the server may have nothing to send. So the client sends a ping
after a silence, and *suspects* the line if no byte arrives in the time for an answer.

**Times.** The line is *urgent* while a request is unanswered, and while the live clock of a match
with the player runs, because the opponent's move starts the player's time. Then a dead line is
suspected after at most QUIET_SECONDS + 1.5 * ANSWER_SECONDS = 5 s. Otherwise the first ping is sent
after IDLE_SECONDS.

**A WebSocket ping, and not the request `ping`.** The server's socket layer answers it at once. A
request waits for the earlier requests of its connection: advice, a review, or a move while the
database is away may take half a minute on a line that is alive. The ping is also cheaper: 43 us of
the server's CPU time instead of 52. A running clock causes at most one ping in QUIET_SECONDS, and
none while moves arrive.

**A suspicion is no proof.** A server that stalls looks like a dead line. If all clients dropped
their connections then, it would stall for longer. So a suspected connection stays in use while the
link opens another one. A welcome on the new connection ends the old one; a byte on the old
connection ends the attempt.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_client.clock import DelayTimer
from mastermind_client.network.connection.reconnecting import add_jitter

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from mastermind_client.clock import TimerClock

QUIET_SECONDS = 2.0  # of silence before a ping while urgent: longer than most round trips
IDLE_SECONDS = 20.0  # of silence before a ping otherwise: routers keep idle lines longer
ANSWER_SECONDS = 2.0  # and jitter, for a byte after a ping: TCP repeats a lost packet in 1 s


class Keepalive:
    """Pings a silent connection by calling `ping`, and suspects its line if nothing arrives.

    `suspected` is set while the line is suspected, and `alive` otherwise, until `close`.
    `is_urgent` returns whether the line is urgent.
    """

    def __init__(
        self,
        clock: TimerClock,
        random: Random,
        is_urgent: Callable[[], bool],
        ping: Callable[[], object],
    ) -> None:
        self.suspected, self.alive = asyncio.Event(), asyncio.Event()
        self.alive.set()
        self._clock, self._random = clock, random
        self._is_urgent, self._ping = is_urgent, ping
        self._urgent = False
        self._silent_since = clock.now()  # or urgent since, if that is later
        self._answer_due: float | None = None  # of a ping
        self._timer = DelayTimer(clock, self._find_delay, self._take_step)
        self.check()

    def record_data(self) -> None:
        """End the silence and the suspicion, because data has arrived."""
        self._silent_since, self._answer_due = self._clock.now(), None
        if self.suspected.is_set():
            self.suspected.clear()
            self.alive.set()
            self._timer.restart()

    def check(self) -> None:
        """Schedule the next ping again, after a request was sent or a message was handled."""
        self._update_urgency()
        self._timer.restart()

    def close(self) -> None:
        """Stop sending pings. Afterwards the line is neither alive nor suspected."""
        self._timer.close()
        self.alive.clear()
        self.suspected.clear()

    def _update_urgency(self) -> None:
        urgent = self._is_urgent()
        if urgent and not self._urgent:
            self._silent_since = self._clock.now()
        self._urgent = urgent

    def _find_delay(self) -> float | None:
        """Return the seconds until the next step, or None if the line is not alive."""
        if not self.alive.is_set():
            return None
        due = self._answer_due
        if due is None:
            due = self._silent_since + (QUIET_SECONDS if self._urgent else IDLE_SECONDS)
        return max(0.0, due - self._clock.now())

    def _take_step(self) -> None:
        """Send a ping, or suspect the line, unless data has arrived since the timer was started."""
        self._update_urgency()
        if self._find_delay():
            return
        if self._answer_due is None:
            self._answer_due = self._clock.now() + add_jitter(ANSWER_SECONDS, self._random)
            self._ping()
        else:
            self.alive.clear()
            self.suspected.set()
