"""Limits on the number of connections: in all, per address, per /48 of IPv6, and before hello.

A draining node and banned networks get no connections.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, defaultdict
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server import tuning
from mastermind_server.network.addresses import PROXY, find_site
from mastermind_server.network.rate_limits import RateLimit

if TYPE_CHECKING:
    from mastermind_server.bans import Bans
    from mastermind_server.clock import Clock
    from mastermind_server.health.overload import Readiness
    from mastermind_server.limits import Limiter


class PendingConnection(Protocol):
    """A connection before hello. Its address does not change while pending."""

    @property
    def address(self) -> str:
        """The address that limits count."""

    def evict(self, limit: str) -> None:
        """Close the connection, because `limit` is exceeded."""


class PendingConnections:
    """Connections before hello, oldest first. Above a limit, the oldest connection is evicted.

    Honest clients say hello at once, so the oldest connection is the least likely to be honest.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._all: OrderedDict[PendingConnection, None] = OrderedDict()
        self._by_address: defaultdict[str, OrderedDict[PendingConnection, None]] = defaultdict(
            OrderedDict
        )

    def add(self, connection: PendingConnection) -> None:
        """Add a connection, and evict the oldest one above each limit.

        The limit per address does not apply to proxies.
        """
        limits, same = self._limiter.limits, self._by_address[connection.address]
        self._all[connection] = same[connection] = None
        if len(same) > limits.newcomers_per_address and connection.address != PROXY:
            self._evict(next(iter(same)), "newcomers_per_address")
        if len(self._all) > limits.newcomers:
            self._evict(next(iter(self._all)), "newcomers")

    def remove(self, connection: PendingConnection) -> None:
        """Remove a connection if it is pending."""
        if connection not in self._all:
            return
        del self._all[connection]
        same = self._by_address[connection.address]
        del same[connection]
        if not same:
            del self._by_address[connection.address]

    def _evict(self, connection: PendingConnection, limit: str) -> None:
        self.remove(connection)
        self._limiter.met[limit] += 1
        connection.evict(limit)


class ConnectionLimits:
    """Counts connections by address.

    A connection counts until its requests are done. A proxy's connection counts only in all until
    its request names the client. `all_closed` is set while no connection is open.
    """

    def __init__(self, limiter: Limiter, clock: Clock, readiness: Readiness, bans: Bans) -> None:
        self._readiness, self._bans, self._clock = readiness, bans, clock
        self._limiter = limiter
        self.pending = PendingConnections(limiter)
        self._arrivals = RateLimit(limiter, "arrivals", clock.now)
        self._arrivals_of_sites = RateLimit(limiter, "arrivals_of_site", clock.now)
        self._handshakes = RateLimit(limiter, "handshakes", clock.now)
        self._counts: Counter[str] = Counter()
        self._total = 0
        self._open = 0
        self._stopped = False
        self.all_closed = asyncio.Event()
        self.all_closed.set()

    @property
    def draining(self) -> bool:
        """Whether new clients are sent to other nodes."""
        return self._readiness.draining

    def stop(self) -> None:
        """Reject all further connections, also of sockets that are already accepted."""
        self._stopped = True

    def admits(self, address: str) -> bool:
        """Return whether to accept a socket, if only to send a refusal."""
        return not self._stopped and self._is_admitted(address, more=1)

    def add(self, address: str) -> bool:
        """Count an accepted socket; return whether to keep it."""
        self._open += 1
        self._count(address)
        self.all_closed.clear()
        return not self._stopped and not self._is_crowded(address)

    def move_from_proxy(self, address: str) -> bool:
        """Count a proxy's connection for its client; return whether the client is admitted."""
        self.release(PROXY)
        self._count(address)
        return self._is_admitted(address)

    def refuse(self, address: str) -> bytes | None:
        """Return the error message for a connection above a limit, or None."""
        excess, name = self._find_excess(address)
        if excess <= 0:
            return None
        self._limiter.met[name] += 1
        return self.describe(name)

    def describe(self, name: str) -> bytes:
        """Return the error message for a connection above the limit `name`."""
        error = MastermindError(
            Reason.TOO_MANY_CONNECTIONS,
            limit=getattr(self._limiter.limits, name),
            retry_after=tuning.REFUSED_SECONDS,
        )
        return encode(Error.of(error))

    def close(self) -> None:
        """Record that a socket is closed. The connection still counts until `release`."""
        self._open -= 1
        if not self._open:
            self.all_closed.set()

    def release(self, address: str) -> None:
        """Stop counting a connection."""
        self._total -= 1
        for network in _list_networks(address):
            self._counts[network] -= 1
            if not self._counts[network]:
                del self._counts[network]

    def _count(self, address: str) -> None:
        self._total += 1
        self._counts.update(_list_networks(address))

    def _is_admitted(self, address: str, more: int = 0) -> bool:
        if self._bans.find(address, self._clock.time_of_day()):
            self._bans.sockets += 1
            return False
        if self._is_crowded(address, more):
            return False
        if address == PROXY:
            return True
        try:
            self._arrivals.take(address)  # first, so that one address cannot use up the others
            if site := find_site(address):
                self._arrivals_of_sites.take(site)
            self._handshakes.take("all")
        except Refused:
            return False
        return True

    def _is_crowded(self, address: str, more: int = 0) -> bool:
        """Return whether `more` connections exceed a limit by more than can get a refusal."""
        excess, name = self._find_excess(address)
        if excess + more <= tuning.REFUSED_AT_ONCE:
            return False
        self._limiter.met[name] += 1
        return True

    def _find_excess(self, address: str) -> tuple[int, str]:
        """Return the largest excess over a limit that applies to `address`, and its name."""
        limits, counts = self._limiter.limits, self._counts
        excesses = [(self._total - limits.connections, "connections")]
        if address != PROXY:
            excess = counts[address] - limits.connections_per_address
            excesses.append((excess, "connections_per_address"))
            if site := find_site(address):
                excess = counts[site] - limits.connections_per_site
                excesses.append((excess, "connections_per_site"))
        return max(excesses)


def _list_networks(address: str) -> tuple[str, ...]:
    """Return the keys that count a connection: its address, and its /48 for IPv6."""
    site = find_site(address)
    return (address,) if site is None else (address, site)
