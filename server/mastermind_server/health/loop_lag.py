"""How late the event loop is with what it has to do: all players wait, whoever causes it."""

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
    """A timer that measures by how much it is late, in seconds, again and again until `stop`.

    Each time it tells `feel` what is `lasting` of it.
    """

    def __init__(self, clock: Clock, feel: Callable[[float], None]) -> None:
        self.delays = Histogram()
        self._clock, self._feel = clock, feel
        self._last: deque[float] = deque(maxlen=LAGS_KEPT)
        self._timer: asyncio.TimerHandle
        self._plan()

    @property
    def lasting(self) -> float:
        """By how much it has been late each of the last times: one piece of long work is not it."""
        return min(self._last) if len(self._last) == LAGS_KEPT else 0.0

    def stop(self) -> None:
        """Measure no more."""
        self._timer.cancel()

    def _plan(self) -> None:
        self._due = self._clock.now() + LAG_SECONDS
        self._timer = self._clock.call_later(LAG_SECONDS, self._measure)

    def _measure(self) -> None:
        late = max(0.0, self._clock.now() - self._due)
        self._last.append(late)
        self.delays.add(late)
        self._feel(self.lasting)
        self._plan()
