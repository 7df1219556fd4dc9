"""The lag of the event loop: how late its timers run. It delays all players."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from mastermind_server.health.histogram import Histogram

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_server.clock import Clock

LAG_SECONDS = 0.25  # between two measurements: rare enough for an idle CPU to sleep
LAGS_KEPT = 4  # the lag lasts if all of these are late; a single full collection is one


class LoopLag:
    """Measures its own timer's delay in seconds, repeatedly until `stop`.

    Calls `on_measure` with `lasting` after each measurement.
    """

    def __init__(self, clock: Clock, on_measure: Callable[[float], None]) -> None:
        self.delays = Histogram()
        self._clock, self._on_measure = clock, on_measure
        self._last: deque[float] = deque(maxlen=LAGS_KEPT)
        self._timer: asyncio.TimerHandle
        self._schedule()

    @property
    def lasting(self) -> float:
        """The lowest of the last delays: a single long job does not count."""
        return min(self._last) if len(self._last) == LAGS_KEPT else 0.0

    def stop(self) -> None:
        """Stop measuring."""
        self._timer.cancel()

    def _schedule(self) -> None:
        self._due = self._clock.now() + LAG_SECONDS
        self._timer = self._clock.call_later(LAG_SECONDS, self._measure)

    def _measure(self) -> None:
        late = max(0.0, self._clock.now() - self._due)
        self._last.append(late)
        self.delays.add(late)
        self._on_measure(self.lasting)
        self._schedule()
