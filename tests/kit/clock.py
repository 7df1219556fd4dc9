"""Clocks that stand still until the test moves them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from mastermind_server.clock import Clock


class ManualTimer(asyncio.TimerHandle):
    """One timer of a manual clock."""

    def __init__(self, due: float, seconds: float, callback: Callable[[], object]) -> None:
        super().__init__(due, callback, (), asyncio.get_running_loop())
        self.due, self.seconds, self.callback = due, seconds, callback

    def cancel(self) -> None:
        asyncio.Handle.cancel(self)  # no loop knows of it


class ManualClock(Clock):
    """Time passes by `skip` alone; whose time has come is called back in order.

    The time of day goes on by itself too. No two readings of it are alike, at whatever node of a
    test: what is written is listed in its order, and a fast machine writes twice in a millisecond.
    """

    _last_read: ClassVar = 0  # the time of day that was read last by any of them, without skips

    def __init__(self) -> None:
        self.seconds = self._began = 1000.0
        self._timers: list[ManualTimer] = []
        self._set = asyncio.Event()
        self._stopped = True

    def now(self) -> float:
        return self.seconds

    def time_of_day(self) -> int:
        ManualClock._last_read = max(super().time_of_day(), ManualClock._last_read + 1)
        return ManualClock._last_read + int(1000 * (self.seconds - self._began))

    def call_later(self, seconds: float, callback: Callable[[], object]) -> ManualTimer:
        timer = ManualTimer(self.seconds + seconds, seconds, callback)
        self._timers.append(timer)
        self._set.set()
        if not self._stopped:
            asyncio.get_running_loop().call_soon(self.skip, seconds)
        return timer

    def skip(self, seconds: float) -> None:
        """Let so much time pass, and call whose time has come."""
        end = self.seconds + seconds
        while due := sorted(self.pending, key=lambda timer: timer.due):
            if due[0].due > end:
                break
            self._timers.remove(due[0])
            self.seconds = due[0].due
            due[0].callback()
        self.seconds = end

    def let_go(self) -> None:
        """Let time fly from now on: a test has ended, and nobody is to wait for anything."""
        self._stopped = False
        for timer in self.pending:
            self.skip(max(0.0, timer.due - self.seconds))

    @property
    def pending(self) -> list[ManualTimer]:
        """The timers that are to come."""
        self._timers = [timer for timer in self._timers if not timer.cancelled()]
        return self._timers

    async def until(self, fits: Callable[[ManualTimer], bool]) -> ManualTimer:
        """Return a timer that fits, as soon as it is set."""
        while True:
            for timer in self.pending:
                if fits(timer):
                    return timer
            self._set.clear()
            async with asyncio.timeout(10):
                await self._set.wait()


class HurryingClock(ManualClock):
    """A clock that runs so fast that nobody has to wait for anything."""

    def now(self) -> float:
        self.skip(10)
        return self.seconds


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
