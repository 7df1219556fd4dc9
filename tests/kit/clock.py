"""Clocks controlled by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

import pytest

from mastermind_server.clock import Clock
from mastermind_server.limits import DEFAULT_LIMITS
from mastermind_server.network.sockets.connection import CLOSE_SECONDS


def near(milliseconds: float, tolerance: int = 1000) -> object:
    """Return what equals a difference of two times of day of a `ManualClock`.

    The difference may be off by `tolerance`, because each reading of the clock adds a millisecond.
    """
    return pytest.approx(milliseconds, abs=tolerance)


class ManualTimer(asyncio.TimerHandle):
    """One timer of a `ManualClock`."""

    def __init__(self, due: float, seconds: float, callback: Callable[[], object]) -> None:
        super().__init__(due, callback, (), asyncio.get_running_loop())
        self.due, self.seconds, self.callback = due, seconds, callback

    def cancel(self) -> None:
        asyncio.Handle.cancel(self)  # the loop does not know this timer


class ManualClock(Clock):
    """A clock that advances only by `skip`, which runs expired timers in order.

    The time of day starts in 2033: a test that compares it with the system's fails on any machine.
    All readings differ, even between the nodes of a test, because lists are sorted by time.
    """

    _last_read: ClassVar = 2_000_000_000_000  # the time of day of any instance, without skips

    def __init__(self) -> None:
        self.seconds = self._began = 1000.0
        self._timers: list[ManualTimer] = []
        self._set = asyncio.Event()
        self._stopped = True
        self._jumped = self._jump_time = 0
        super().__init__()

    @property
    def skipped(self) -> float:
        """The sum of the arguments of `skip`, in seconds."""
        return self.seconds - self._began

    def now(self) -> float:
        return self.seconds

    def unix_milliseconds(self) -> int:
        ManualClock._last_read += 1
        return ManualClock._last_read + self._jumped + int(1000 * self.skipped)

    def system_milliseconds(self) -> int:
        return self.unix_milliseconds()

    def to_unix(self, at: float) -> int:
        """Return the time of day at the monotonic time `at`, but none before the last jump.

        Connections use the system's clock, so the delay of a message on a busy machine counts in
        `at`: a message that was sent after a jump must not seem to be read before.
        """
        return max(self._jump_time, self.unix_milliseconds() - int(1000 * (self.now() - at)))

    def call_later(self, seconds: float, callback: Callable[[], object]) -> ManualTimer:
        timer = ManualTimer(self.seconds + seconds, seconds, callback)
        self._timers.append(timer)
        self._set.set()
        if not self._stopped:
            asyncio.get_running_loop().call_soon(self.skip, seconds)
        return timer

    def skip(self, seconds: float) -> None:
        """Advance the clock by `seconds`, and run the timers that expire, in order."""
        end = self.seconds + seconds
        while due := sorted(self.pending, key=lambda timer: timer.due):
            if due[0].due > end:
                break
            self._timers.remove(due[0])
            self.seconds = due[0].due
            due[0].callback()
        self.seconds = end

    def jump(self, time: int) -> None:
        """Set the time of day to `time`, in milliseconds since 1970. Timers and delays go on."""
        self._jumped += time - self.unix_milliseconds()
        self._jump_time = time

    def run_all_timers(self) -> None:
        """Run all pending timers now, and each new timer as soon as it is set."""
        self._stopped = False
        for timer in self.pending:
            self.skip(max(0.0, timer.due - self.seconds))

    @property
    def pending(self) -> list[ManualTimer]:
        """The timers that have neither run nor been cancelled."""
        self._timers = [timer for timer in self._timers if not timer.cancelled()]
        return self._timers

    async def until(self, fits: Callable[[ManualTimer], bool]) -> ManualTimer:
        """Wait until a timer that `fits` is set, and return that timer."""
        while True:
            for timer in self.pending:
                if fits(timer):
                    return timer
            self._set.clear()
            async with asyncio.timeout(10):
                await self._set.wait()


def is_debt(timer: ManualTimer) -> bool:
    """Return whether a timer is that of a client that has sent or asked too much."""
    others = (
        DEFAULT_LIMITS.handshake_seconds,
        DEFAULT_LIMITS.hello_seconds,
        DEFAULT_LIMITS.ping_seconds,
        CLOSE_SECONDS,
    )
    return timer.seconds not in others


class HurryingClock(ManualClock):
    """A clock that advances 10 seconds at each reading, so that every wait ends soon."""

    def now(self) -> float:
        self.skip(10)
        return self.seconds


class LateClock(Clock):
    """A clock that advances only when timers run, each `late` seconds too late."""

    def __init__(self, late: float) -> None:
        self.late, self.timers = late, 0
        self._seconds = 0.0
        super().__init__()
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
        """Wait until at least `timers` timers have been set in total."""
        while self.timers < timers:
            self._set.clear()
            await self._set.wait()
