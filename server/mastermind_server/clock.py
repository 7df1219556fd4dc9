"""The clock of a server, which tests replace to control time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RETRY_SECONDS = 1.0  # from a failure to a retry: more retries help no full disk or busy machine


class Clock:
    """The time of day, monotonic time, and timers of the running event loop.

    From the last `set_time` on, the time of day advances with monotonic time. So a change of the
    system's clock changes no deadline.
    """

    def __init__(self) -> None:
        self.set_time(self.system_milliseconds())

    def system_milliseconds(self) -> int:
        """Return the system's time of day in milliseconds since 1970, which may jump."""
        return time.time_ns() // 1_000_000

    def set_time(self, milliseconds: int) -> None:
        """Set the time of day, in milliseconds since 1970."""
        self._started = milliseconds - 1000 * self.now()

    def unix_milliseconds(self) -> int:
        """Return the time of day in milliseconds since 1970."""
        return self.to_unix(self.now())

    def to_unix(self, at: float) -> int:
        """Return the time of day at the monotonic time `at`, in milliseconds since 1970."""
        return int(self._started + 1000 * at)

    now: Callable[[], float] = staticmethod(time.monotonic)
    """Return monotonic time in seconds.

    The time of an event loop is not used, because in uvloop it is constant during an iteration.
    """

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after `seconds`. Return the timer, which can be cancelled."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        over = asyncio.Event()
        timer = self.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()
