"""Time, as far as what is shown depends on it: one object, so that a test can move it by hand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class TimerClock(Protocol):
    """Seconds that never go back, and timers by them."""

    def now(self) -> float:
        """Return the seconds since some moment in the past."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back after so many seconds, unless the timer is cancelled before."""
        ...


class LoopClock:
    """The clock of the event loop that runs."""

    def now(self) -> float:
        """Return the seconds since some moment in the past."""
        return asyncio.get_running_loop().time()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back after so many seconds, unless the timer is cancelled before."""
        return asyncio.get_running_loop().call_later(seconds, callback)


class GuardedClock:
    """A clock whose failing callbacks are passed to `fail` instead of the event loop."""

    def __init__(self, clock: TimerClock, fail: Callable[[Exception], object]) -> None:
        self._clock, self._fail = clock, fail

    def now(self) -> float:
        """Return the seconds since some moment in the past."""
        return self._clock.now()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back after so many seconds, unless the timer is cancelled before."""

        def call() -> None:
            try:
                callback()
            except Exception as error:
                self._fail(error)

        return self._clock.call_later(seconds, call)
