"""A clock whose timers come at once, and by its own time so much late as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mastermind_server.clock import Clock


class LateClock(Clock):
    """Its time goes on by its timers alone, each of which is `late` by so many seconds."""

    def __init__(self, late: float) -> None:
        self.late, self.timers = late, 0
        self._seconds = 0.0
        self._set = asyncio.Event()

    def now(self) -> float:
        return self._seconds

    def call_later(self, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        def call() -> None:
            self._seconds += seconds + self.late
            callback()

        self.timers += 1
        self._set.set()
        return asyncio.get_running_loop().call_later(0, call)

    async def until(self, timers: int) -> None:
        """Wait until so many timers have been set."""
        while self.timers < timers:
            self._set.clear()
            await self._set.wait()
