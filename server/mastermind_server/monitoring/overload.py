"""Reasons to refuse requests: the lag of the event loop, the load level, and draining."""

from __future__ import annotations

from collections import deque
from enum import IntEnum
from typing import TYPE_CHECKING

from mastermind_server.monitoring.usage import Histogram

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_server.clock import Clock

RESTART_RETRY_SECONDS = 1.0  # until a client that a restart refused may retry: proxies have noticed
OVERLOADED_RETRY_SECONDS = 2.0  # until a client that load shedding refused may retry

LAG_INTERVAL_SECONDS = 0.25  # between two measurements: 0.15 % of an idle core
LAGS_KEPT = 4  # only a lag in all of these is sustained; a full garbage collection causes one
BUSY_LAG_SECONDS = 0.05  # an idle server on a full machine has 0.005
OVERLOADED_LAG_SECONDS = 0.2  # every player notices this
BUSY_STORE_SECONDS = 0.5  # a hundred times a commit
OVERLOADED_STORE_SECONDS = 2.0  # well below DATABASE_TIMEOUT_SECONDS, after which moves fail


class LoopLag:
    """Measures the lag of the event loop every LAG_INTERVAL_SECONDS, until `stop`.

    The lag is the time in seconds by which a timer fires late. `histogram` counts all lags. After
    each measurement, `on_measure` is called with `sustained_lag`.
    """

    def __init__(self, clock: Clock, on_measure: Callable[[float], None]) -> None:
        self.histogram = Histogram()
        self._clock, self._on_measure = clock, on_measure
        self._last: deque[float] = deque(maxlen=LAGS_KEPT)
        self._timer: asyncio.TimerHandle
        self._schedule_measurement()

    @property
    def sustained_lag(self) -> float:
        """The lowest of the newest LAGS_KEPT lags, in seconds; 0 before LAGS_KEPT measurements.

        A single long callback does not raise it.
        """
        return min(self._last) if len(self._last) == LAGS_KEPT else 0.0

    def stop(self) -> None:
        """Stop measuring."""
        self._timer.cancel()

    def _schedule_measurement(self) -> None:
        self._due = self._clock.now() + LAG_INTERVAL_SECONDS
        self._timer = self._clock.call_later(LAG_INTERVAL_SECONDS, self._measure)

    def _measure(self) -> None:
        late = max(0.0, self._clock.now() - self._due)
        self._last.append(late)
        self.histogram.add(late)
        self._on_measure(self.sustained_lag)
        self._schedule_measurement()


class Level(IntEnum):
    """The load of the server, which determines the requests that the server refuses.

    At BUSY it refuses requests that no match waits for: new matches, lists, reviews and advice. At
    OVERLOADED it also refuses new players, chat, and joining and following matches. Moves, and
    requests that bring a player back to a match, are refused only if the queue of the store is
    full.
    """

    CALM = 0
    BUSY = 1
    OVERLOADED = 2


class Load:
    """The load level of this node, CALM at first."""

    __slots__ = ("level",)

    def __init__(self) -> None:
        self.level = Level.CALM

    def update(self, lag_seconds: float, store_wait_seconds: float) -> None:
        """Set `level` for this lag of the event loop and this wait for the store."""
        if lag_seconds > OVERLOADED_LAG_SECONDS or store_wait_seconds > OVERLOADED_STORE_SECONDS:
            self.level = Level.OVERLOADED
        elif lag_seconds > BUSY_LAG_SECONDS or store_wait_seconds > BUSY_STORE_SECONDS:
            self.level = Level.BUSY
        else:
            self.level = Level.CALM


class Readiness:
    """Whether this node is `draining`: before it stops, it refuses new clients and matches."""

    __slots__ = ("draining",)

    def __init__(self) -> None:
        self.draining = False
