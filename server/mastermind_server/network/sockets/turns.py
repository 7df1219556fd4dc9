"""A bound on the work in one turn of the event loop, so that nobody waits for a crowd.

Least of all who plays for a crowd that has not said hello: handshakes cost more than moves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from mastermind_server.tuning import NEWCOMERS_SECONDS, RELEASED_PER_TURN, TURN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mastermind_server.clock import Clock


class Turns:
    """Lets work begin while a turn of the loop is young; the rest waits, in order, for later turns.

    A piece of work is never interrupted: from the first in it a turn lasts TURN_SECONDS, and what
    was begun by then. For newcomers it lasts NEWCOMERS_SECONDS, and they come after all others.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began: float | None = None
        self._waiting: deque[Callable[[], object]] = deque()
        self._newcomers: deque[Callable[[], object]] = deque()

    def postpone(self, work: Callable[[], object], *, new: bool = False) -> bool:
        """Return False if there is time for the work now; else it is called in a later turn.

        It is `new` if it is for somebody who has not said hello.
        """
        waiting = self._newcomers if new else self._waiting
        if not self._is_spent(waiting, NEWCOMERS_SECONDS if new else TURN_SECONDS):
            return False
        waiting.append(work)
        return True

    async def wait(self) -> None:
        """Return when there is time for some work: mostly at once, within the same turn."""
        if self._is_spent(self._waiting, TURN_SECONDS):
            ready = asyncio.Event()
            self._waiting.append(ready.set)
            await ready.wait()

    def _is_spent(self, waiting: Collection[object], seconds: float) -> bool:
        if self._began is None:
            self._began = self._clock.now()
            asyncio.get_running_loop().call_soon(self._begin)
            return False
        return bool(waiting) or self._clock.now() - self._began >= seconds

    def _begin(self) -> None:
        """Begin a turn: some of those that wait come first, of newcomers one at least."""
        self._began = None
        if self._waiting or self._newcomers:
            self._began = self._clock.now()
            asyncio.get_running_loop().call_soon(self._begin)
            for _ in range(min(RELEASED_PER_TURN, len(self._waiting))):
                self._waiting.popleft()()
            for _ in range(min(RELEASED_PER_TURN, len(self._newcomers))):
                self._newcomers.popleft()()
                if self._clock.now() - self._began >= NEWCOMERS_SECONDS:
                    break
