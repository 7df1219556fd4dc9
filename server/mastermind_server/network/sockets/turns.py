"""A bound on the work in one turn of the event loop, so that nobody waits for a crowd.

Least of all who plays for a crowd that has not said hello: handshakes cost more than moves.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from mastermind_server.tuning import NEWCOMERS_SECONDS, RELEASED_PER_TURN, TURN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from mastermind_server.clock import Clock


class _Rota:
    """Work that waits, of one address after the other: none has others wait for all of its own."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[Callable[[], object]]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, address: str, work: Callable[[], object]) -> None:
        """Let it wait behind what waits of this address."""
        self._waiting.setdefault(address, deque()).append(work)
        self._size += 1

    def pop(self) -> Callable[[], object]:
        """Return the next, of the address that has waited the longest for its turn."""
        address, works = self._waiting.popitem(last=False)
        work = works.popleft()
        self._size -= 1
        if works:
            self._waiting[address] = works
        return work


class Turns:
    """Lets work begin while a turn of the loop is young; the rest waits for later turns.

    A piece of work is never interrupted: from the first in it a turn lasts TURN_SECONDS, and what
    was begun by then. For newcomers it lasts NEWCOMERS_SECONDS, and they come after all others.
    What waits is done in order, but for one address after the other.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began: float | None = None
        self._waiting = _Rota()
        self._newcomers: deque[Callable[[], object]] = deque()

    def postpone(self, address: str, work: Callable[[], object]) -> bool:
        """Return False if there is time for the work now; else it is called in a later turn."""
        if not self._is_spent(self._waiting, TURN_SECONDS):
            return False
        self._waiting.append(address, work)
        return True

    def has_time_for_newcomers(self) -> bool:
        """Tell whether there is time for somebody who has not said hello."""
        return not self._is_spent(self._newcomers, NEWCOMERS_SECONDS)

    def postpone_newcomer(self, work: Callable[[], object]) -> bool:
        """Do the same for somebody who has not said hello."""
        if self.has_time_for_newcomers():
            return False
        self._newcomers.append(work)
        return True

    def serve_newcomer(self, work: Callable[[], object]) -> None:
        """Do some work for such a one, now or in a later turn."""
        if not self.postpone_newcomer(work):
            work()

    async def wait(self, address: str) -> None:
        """Return when there is time for some work: mostly at once, within the same turn."""
        ready = asyncio.Event()
        if self.postpone(address, ready.set):
            await ready.wait()

    def _is_spent(self, waiting: Sized, seconds: float) -> bool:
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
                self._waiting.pop()()
            for _ in range(min(RELEASED_PER_TURN, len(self._newcomers))):
                self._newcomers.popleft()()
                if self._clock.now() - self._began >= NEWCOMERS_SECONDS:
                    break
