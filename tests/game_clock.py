"""Time that a test holds."""

from __future__ import annotations

import asyncio


class GameClock:
    """Seconds that pass when a test lets them: for rates, and for the timers of its loop.

    What a loop waits for in earnest goes on beside it, so that a test that hangs still fails.
    """

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def skip(self, seconds: float) -> None:
        """Let so many seconds pass at once; the timers that are due by then go off."""
        self.seconds += seconds
        loop = asyncio.get_running_loop()
        before = loop.time
        loop.time = lambda: before() + seconds  # type: ignore[method-assign]  # a loop of one test
