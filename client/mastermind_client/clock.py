"""The clock of the interfaces. Tests replace it by a clock that they control."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class TimerClock(Protocol):
    """A monotonic clock with timers."""

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after `seconds`, unless the timer is cancelled."""
        ...


class LoopClock:
    """The clock of the running event loop."""

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return asyncio.get_running_loop().time()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after `seconds`, unless the timer is cancelled."""
        return asyncio.get_running_loop().call_later(seconds, callback)


class GuardedClock:
    """A clock that passes exceptions of its callbacks to `fail` instead of the event loop."""

    def __init__(self, clock: TimerClock, fail: Callable[[Exception], object]) -> None:
        self._clock, self._fail = clock, fail

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return self._clock.now()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after `seconds`, unless the timer is cancelled."""

        def call() -> None:
            try:
                callback()
            except Exception as error:
                self._fail(error)

        return self._clock.call_later(seconds, call)
