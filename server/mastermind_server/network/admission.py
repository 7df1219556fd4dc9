"""Which sockets there is room for: in all, and from one address; none while the node drains."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_server import limits
from mastermind_server.network.pace import Buckets
from mastermind_server.network.router import describe

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.readiness import Readiness


class Admission:
    """Counts sockets by their addresses. `room` is for how many there are descriptors.

    A socket counts from when it is accepted until what it has asked for is done. `all_closed` is
    set while none is open. `turned_away` are those who found no room.
    """

    def __init__(self, clock: Clock, readiness: Readiness, room: int) -> None:
        self._readiness = readiness
        self._arrivals = Buckets(limits.ARRIVALS, clock.now)
        self._room = room
        self._counts: Counter[str] = Counter()
        self._open = self.turned_away = 0
        self._ended = False  # sockets may have been accepted just before
        self.all_closed = asyncio.Event()
        self.all_closed.set()

    @property
    def draining(self) -> bool:
        """Whether who comes now is to come again elsewhere, or later."""
        return self._readiness.draining

    def end(self) -> None:
        """Refuse all further sockets."""
        self._ended = True

    def accept(self, address: str) -> bool:
        """Count a socket; tell whether there is room for it, if only to tell it that it must go."""
        self._open += 1
        self._counts[address] += 1
        self.all_closed.clear()
        if self._is_welcome(address):
            return True
        self.turned_away += 1
        return False

    def refuse(self, address: str) -> bytes | None:
        """Return what a connection from there is told if it is one too many."""
        if self._count_excess(address) <= 0:
            return None
        self.turned_away += 1
        alone = self._counts[address] > limits.MAX_CONNECTIONS_PER_ADDRESS
        crowded = MastermindError(
            Reason.TOO_MANY_CONNECTIONS,
            limit=limits.MAX_CONNECTIONS_PER_ADDRESS if alone else self._room,
            retry_after=limits.REFUSED_SECONDS,
        )
        return encode(describe(crowded, None))

    def close(self) -> None:
        """Take note that a socket is closed."""
        self._open -= 1
        if not self._open:
            self.all_closed.set()

    def forget(self, address: str) -> None:
        """Count a socket no more."""
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]

    def _is_welcome(self, address: str) -> bool:
        if self._ended or self._count_excess(address) > limits.REFUSED_AT_ONCE:
            return False
        try:
            self._arrivals.take(address)
        except Refused:
            return False
        return True

    def _count_excess(self, address: str) -> int:
        """Return by how many there are too many, in all or from this address."""
        return max(
            self._counts.total() - self._room,
            self._counts[address] - limits.MAX_CONNECTIONS_PER_ADDRESS,
        )
