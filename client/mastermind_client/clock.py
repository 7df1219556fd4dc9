"""The clock of the interfaces, a timer, and the time to leave. Tests control the clock."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

LEAVE_SECONDS = 2.0  # that a leaving player waits for the server


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
    """A clock that passes exceptions of its callbacks to `on_error` instead of the event loop."""

    def __init__(self, clock: TimerClock, on_error: Callable[[Exception], object]) -> None:
        self._clock, self._on_error = clock, on_error

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return self._clock.now()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after `seconds`, unless the timer is cancelled."""

        def call() -> None:
            try:
                callback()
            except Exception as error:
                self._on_error(error)

        return self._clock.call_later(seconds, call)


class DelayTimer:
    """Calls `on_due` again and again, each time after the seconds that `find_delay` returns.

    `restart` starts the timer. If `find_delay` returns None, it stops until the next `restart`.
    """

    def __init__(
        self,
        clock: TimerClock,
        find_delay: Callable[[], float | None],
        on_due: Callable[[], object],
    ) -> None:
        self._clock, self._find_delay, self._on_due = clock, find_delay, on_due
        self._timer: asyncio.TimerHandle | None = None

    def restart(self) -> None:
        """Cancel the pending timer, and start one with the present result of `find_delay`."""
        self.close()
        delay = self._find_delay()
        if delay is not None:
            self._timer = self._clock.call_later(delay, self._run)

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        self._on_due()
        self.restart()
