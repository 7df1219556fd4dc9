"""Time, as far as outcomes depend on it: one object, so that a test can move it by hand."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock:
    """The machine's clock: seconds that never go back, and the running event loop's timers."""

    def time_of_day(self) -> int:
        """Return the milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    now: Callable[[], float] = staticmethod(time.monotonic)
    """Return the seconds since some moment in the past. A loop's own may stand still in a turn."""

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back after so many seconds, unless the timer is cancelled before."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        over = asyncio.Event()
        timer = self.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()
