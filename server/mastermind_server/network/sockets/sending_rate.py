"""How fast one client may send; who sends faster is read more slowly, and nothing is lost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_server.network.pace import TokenBucket

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter


class SendingRate:
    """Counts the frames and bytes of a client, control frames and pieces of frames too.

    While it is `exceeded` nothing is to be read.
    """

    __slots__ = ("_bytes", "_clock", "_frames", "_met", "_timer", "exceeded")

    def __init__(self, limiter: Limiter, clock: Clock) -> None:
        self._frames = TokenBucket(limiter.limits.frames, clock.now)
        self._bytes = TokenBucket(limiter.limits.bytes, clock.now)
        self._met, self._clock = limiter.met, clock
        self._timer: asyncio.TimerHandle | None = None
        self.exceeded = False

    def charge(self, settled: Callable[[], object], frames: int, size: int = 0) -> None:
        """Count frames that have come, and the bytes of those whose number does not bound them.

        If they are too many, `settled` is called when they are so no more.
        """
        wait = 0.0
        if size and (wait := self._bytes.reserve(size)) > 0:
            self._met["bytes"] += 1
        if (asked := self._frames.reserve(frames)) > 0:
            self._met["frames"] += 1
            wait = max(wait, asked)
        if wait > 0:
            self.close()  # of what came before, where the last of it came late
            self.exceeded = True
            self._timer = self._clock.call_later(wait, partial(self._settle, settled))

    def close(self) -> None:
        """Wait for nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _settle(self, settled: Callable[[], object]) -> None:
        self._timer = None
        self.exceeded = False
        settled()
