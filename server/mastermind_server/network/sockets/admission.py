"""Which sockets there is room for: in all, from one address, and from one site of IPv6.

There is none while the node drains, nor for a network that is banned.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server import tuning
from mastermind_server.network.rate_limits import RateLimit
from mastermind_server.network.sites import find_site
from mastermind_server.network.sockets.address import PROXY
from mastermind_server.network.sockets.newcomers import Newcomers

if TYPE_CHECKING:
    from mastermind_server.bans import Bans
    from mastermind_server.clock import Clock
    from mastermind_server.health.overload import Readiness
    from mastermind_server.limits import Limiter


class Admission:
    """Counts sockets by their addresses.

    A socket counts from when there is a connection until what it has asked for is done; a proxy's
    counts only in all until it tells whose it is. `newcomers` are those that have not said hello.
    `all_closed` is set while none is open.
    """

    def __init__(self, limiter: Limiter, clock: Clock, readiness: Readiness, bans: Bans) -> None:
        self._readiness, self._bans, self._clock = readiness, bans, clock
        self._limiter = limiter
        self.newcomers = Newcomers(limiter)
        self._arrivals = RateLimit(limiter, "arrivals", clock.now)
        self._arrivals_of_sites = RateLimit(limiter, "arrivals_of_site", clock.now)
        self._handshakes = RateLimit(limiter, "handshakes", clock.now)
        self._counts: Counter[str] = Counter()
        self._total = 0
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

    def admits(self, address: str) -> bool:
        """Tell whether a socket that has come is let in, if only to be told that it must go."""
        return not self._ended and self._is_welcome(address, more=1)

    def enter(self, address: str) -> bool:
        """Count a socket that was let in; tell whether there still is room for it."""
        self._open += 1
        self._count(address)
        self.all_closed.clear()
        return not self._ended and not self._is_crowded(address)

    def introduce(self, address: str) -> bool:
        """Count a socket that a proxy has opened as its client's; tell whether that is let in."""
        self.forget(PROXY)
        self._count(address)
        return self._is_welcome(address)

    def refuse(self, address: str) -> bytes | None:
        """Return what a connection from there is told if it is one too many."""
        excess, name = self._find_excess(address)
        if excess <= 0:
            return None
        self._limiter.met[name] += 1
        return self.describe(name)

    def describe(self, name: str) -> bytes:
        """Return what a connection is told that has to go for this limit."""
        crowded = MastermindError(
            Reason.TOO_MANY_CONNECTIONS,
            limit=getattr(self._limiter.limits, name),
            retry_after=tuning.REFUSED_SECONDS,
        )
        return encode(Error.of(crowded))

    def close(self) -> None:
        """Take note that a socket is closed."""
        self._open -= 1
        if not self._open:
            self.all_closed.set()

    def forget(self, address: str) -> None:
        """Count a socket no more."""
        self._total -= 1
        for network in _find_networks(address):
            self._counts[network] -= 1
            if not self._counts[network]:
                del self._counts[network]

    def _count(self, address: str) -> None:
        self._total += 1
        self._counts.update(_find_networks(address))

    def _is_welcome(self, address: str, more: int = 0) -> bool:
        if self._bans.find(address, self._clock.time_of_day()):
            self._bans.sockets += 1
            return False
        if self._is_crowded(address, more):
            return False
        if address == PROXY:
            return True
        try:
            self._arrivals.take(address)  # first: who comes too fast takes nothing from others
            if site := find_site(address):
                self._arrivals_of_sites.take(site)
            self._handshakes.take("all")
        except Refused:
            return False
        return True

    def _is_crowded(self, address: str, more: int = 0) -> bool:
        """Tell whether there are more, with so many `more`, than can be told that they must go."""
        excess, name = self._find_excess(address)
        if excess + more <= tuning.REFUSED_AT_ONCE:
            return False
        self._limiter.met[name] += 1
        return True

    def _find_excess(self, address: str) -> tuple[int, str]:
        """Return by how many there are too many, in all or from there, and by which limit."""
        limits, counts = self._limiter.limits, self._counts
        excesses = [(self._total - limits.connections, "connections")]
        if address != PROXY:
            here = counts[address] - limits.connections_per_address
            excesses.append((here, "connections_per_address"))
            if site := find_site(address):
                there = counts[site] - limits.connections_per_site
                excesses.append((there, "connections_per_site"))
        return max(excesses)


def _find_networks(address: str) -> tuple[str, ...]:
    """Return what a socket is counted by: its address, and its site if it has one."""
    site = find_site(address)
    return (address,) if site is None else (address, site)
