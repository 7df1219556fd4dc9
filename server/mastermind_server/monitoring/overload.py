"""Reasons to refuse requests: the lag of the event loop, the load level, and draining."""

from __future__ import annotations

from collections import deque
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from mastermind_server.monitoring.usage import Histogram

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Mapping

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
    """The load of a queue, which determines the requests that the server refuses.

    At BUSY it refuses requests that no match waits for: new matches, lists and analyses. At
    OVERLOADED it also refuses new players, chat, and joining and following matches. Moves, and
    requests that bring a player back to a match, are refused only if the queue of the store is
    full.
    """

    CALM = 0
    BUSY = 1
    OVERLOADED = 2


class Queue(StrEnum):
    """A queue of requests: the event loop, or a lane of the store.

    The values are labels of a metric.
    """

    EVENT_LOOP = "event_loop"
    READS = "reads"
    LOOKUPS = "lookups"
    MOVES = "moves"
    WRITES = "writes"
    NEW_PLAYERS = "new_players"
    LOCKING_WRITES = "locking_writes"


class Load:
    """The load level of each queue, CALM at first. `highest` is the highest of them.

    A slow queue affects only the requests that need it: slow queries for lists refuse no match.
    """

    __slots__ = ("highest", "levels")

    def __init__(self) -> None:
        self.levels = dict.fromkeys(Queue, Level.CALM)
        self.highest = Level.CALM

    def update(self, lag_seconds: float, store_waits: Mapping[Queue, float]) -> None:
        """Set the levels for this lag of the event loop and these waits in the store's queues.

        Waits are in seconds.
        """
        self.levels[Queue.EVENT_LOOP] = _find_level(
            lag_seconds, BUSY_LAG_SECONDS, OVERLOADED_LAG_SECONDS
        )
        for queue, wait in store_waits.items():
            self.levels[queue] = _find_level(wait, BUSY_STORE_SECONDS, OVERLOADED_STORE_SECONDS)
        self.highest = max(self.levels.values())

    def find_level(self, queues: Iterable[Queue]) -> Level:
        """Return the load level for requests that need `queues` and the event loop."""
        return max(self.levels[queue] for queue in (Queue.EVENT_LOOP, *queues))


def _find_level(seconds: float, busy: float, overloaded: float) -> Level:
    if seconds > overloaded:
        return Level.OVERLOADED
    return Level.BUSY if seconds > busy else Level.CALM


class Readiness:
    """Whether this node is `draining`: before it stops, it refuses new clients and matches."""

    __slots__ = ("draining",)

    def __init__(self) -> None:
        self.draining = False
