"""The clock of a server. Tests replace it to control time."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock:
    """The system clock, a monotonic clock, and timers of the running event loop."""

    def time_of_day(self) -> int:
        """Return the time in milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    now: Callable[[], float] = staticmethod(time.monotonic)
    """Return monotonic seconds. The clock of some event loops stops during an iteration."""

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` after an interval. The returned timer can be cancelled."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def sleep(self, seconds: float) -> None:
        """Return after an interval."""
        over = asyncio.Event()
        timer = self.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()
