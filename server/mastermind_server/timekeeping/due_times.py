"""A heap of matches by the times at which they are due, with one timer for the first."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from mastermind_server.clock import Clock


class DueTimes:
    """Calls `wake` with the match codes whose times have passed, and forgets these.

    Times are in milliseconds since 1970. Each match has one time: the earliest.
    """

    def __init__(self, clock: Clock, wake: Callable[[Sequence[str]], None]) -> None:
        self._clock, self._wake = clock, wake
        self._heap: list[tuple[int, str]] = []
        self._times: dict[str, int] = {}  # the valid entry of each match in the heap
        self._timer: asyncio.TimerHandle | None = None

    def add(self, match_code: str, at: int) -> None:
        """Add a match that is due after `at`, unless it has an earlier time."""
        if self._times.get(match_code, at + 1) <= at:
            return
        self._times[match_code] = at
        heappush(self._heap, (at, match_code))
        self._set_timer()

    def cancel_timer(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self) -> None:
        self.cancel_timer()
        if self._heap:
            wait = (self._heap[0][0] + 1 - self._clock.unix_milliseconds()) / 1000
            self._timer = self._clock.call_later(max(0.0, wait), self._on_timer)

    def _on_timer(self) -> None:
        now, due = self._clock.unix_milliseconds(), []
        while self._heap and self._heap[0][0] < now:
            at, match_code = heappop(self._heap)
            if self._times.get(match_code) == at:
                del self._times[match_code]
                due.append(match_code)
        self._wake(due)
        self._set_timer()
