"""Which sockets there is room for: in all, and from one address.

There is none while the node drains, nor for a network that is banned.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_server import tuning
from mastermind_server.network.pace import Buckets
from mastermind_server.network.refusals import describe

if TYPE_CHECKING:
    from mastermind_server.bans import Bans
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.readiness import Readiness


class Admission:
    """Counts sockets by their addresses.

    A socket counts from when it is accepted until what it has asked for is done. `all_closed` is
    set while none is open.
    """

    def __init__(self, limiter: Limiter, clock: Clock, readiness: Readiness, bans: Bans) -> None:
        self._readiness, self._bans, self._clock = readiness, bans, clock
        self._limiter = limiter
        self._arrivals = Buckets(limiter, "arrivals", clock.now)
        self._counts: Counter[str] = Counter()
        self._open = 0
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
        return self._is_welcome(address)

    def refuse(self, address: str) -> bytes | None:
        """Return what a connection from there is told if it is one too many."""
        excess, name = self._find_excess(address)
        if excess <= 0:
            return None
        self._limiter.met[name] += 1
        crowded = MastermindError(
            Reason.TOO_MANY_CONNECTIONS,
            limit=getattr(self._limiter.limits, name),
            retry_after=tuning.REFUSED_SECONDS,
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
        if self._ended:
            return False
        if self._bans.find_address(address, self._clock.time_of_day()):
            self._bans.sockets += 1
            return False
        excess, name = self._find_excess(address)
        if excess > tuning.REFUSED_AT_ONCE:
            self._limiter.met[name] += 1
            return False
        try:
            self._arrivals.take(address)
        except Refused:
            return False
        return True

    def _find_excess(self, address: str) -> tuple[int, str]:
        """Return by how many there are too many, in all or of this address, and by which limit."""
        limits = self._limiter.limits
        return max(
            (self._counts.total() - limits.connections, "connections"),
            (self._counts[address] - limits.connections_per_address, "connections_per_address"),
        )
