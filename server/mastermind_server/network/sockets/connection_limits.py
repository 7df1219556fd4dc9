"""Limits on all connections, on those of an address or a /48 of IPv6, and on pending ones.

A connection is pending until its hello. Between the page requests of a browser it is idle.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, defaultdict
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server.network.addresses import PROXY_ADDRESS, find_site
from mastermind_server.network.rate_limits import RateLimit

if TYPE_CHECKING:
    from mastermind_server.bans import Bans
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.monitoring.overload import Readiness

REFUSED_AT_ONCE = 32  # connections above a limit that get a refusal, not just a close
REFUSED_RETRY_SECONDS = 5.0  # until a connection that a limit refused may retry


class PendingConnection(Protocol):
    """A connection before its hello.

    `address` is that of the client, or UNKNOWN_ADDRESS or PROXY_ADDRESS. It must not change while
    the connection is in `pool`.
    """

    address: str
    pool: PendingConnections | None

    def evict(self, limit: str) -> None:
        """Close the connection, because the limit named `limit` is exceeded."""


class PendingConnections:
    """Connections before their hello. Above a limit, the oldest one is evicted.

    `name` is the name of the limit on their number: `pending_connections` or `idle_pages`. Honest
    clients send their hello at once, so the oldest connection is probably an attacker's.
    """

    def __init__(self, limiter: Limiter, name: str) -> None:
        self._limiter, self._name = limiter, name
        self._all: OrderedDict[PendingConnection, None] = OrderedDict()
        self._by_address: defaultdict[str, OrderedDict[PendingConnection, None]] = defaultdict(
            OrderedDict
        )

    def add(self, connection: PendingConnection) -> None:
        """Add a connection. If a limit is exceeded, evict the oldest connection that it counts.

        The limit `name` counts all connections here. The limit with the suffix _per_address, such
        as `idle_pages_per_address`, counts those of one address. It does not apply to proxies.
        """
        limits, same = self._limiter.limits, self._by_address[connection.address]
        connection.pool = self
        self._all[connection] = same[connection] = None
        of_address = f"{self._name}_per_address"
        if len(same) > getattr(limits, of_address) and connection.address != PROXY_ADDRESS:
            self._evict(next(iter(same)), of_address)
        if len(self._all) > getattr(limits, self._name):
            self._evict(next(iter(self._all)), self._name)

    def remove(self, connection: PendingConnection) -> None:
        """Remove a connection, which must be here."""
        connection.pool = None
        del self._all[connection]
        same = self._by_address[connection.address]
        del same[connection]
        if not same:
            del self._by_address[connection.address]

    def _evict(self, connection: PendingConnection, limit: str) -> None:
        self._limiter.exceeded[limit] += 1
        connection.evict(limit)
        self.remove(connection)


class ConnectionLimits:
    """Counts connections by address, and admits or refuses new ones.

    A connection is counted until its last request is handled. The limits per address apply to a
    proxy's connection only when the proxy has named the client. `pending` contains the connections
    before a hello, except those in `idle_pages`: connections of browsers between two page requests.
    `all_closed` is set while no socket is open.
    """

    def __init__(self, limiter: Limiter, clock: Clock, readiness: Readiness, bans: Bans) -> None:
        self._readiness, self._bans, self._clock = readiness, bans, clock
        self._limiter = limiter
        self.pending = PendingConnections(limiter, "pending_connections")
        self.idle_pages = PendingConnections(limiter, "idle_pages")
        self._sockets = RateLimit(limiter, "sockets", clock.now)
        self._sockets_of_address = RateLimit(limiter, "sockets_of_address", clock.now)
        self._sockets_of_site = RateLimit(limiter, "sockets_of_site", clock.now)
        self._handshakes = RateLimit(limiter, "handshakes", clock.now)
        self._counts: Counter[str] = Counter()
        self._total = 0
        self._open = 0
        self._rejects_all = False
        self.all_closed = asyncio.Event()
        self.all_closed.set()

    @property
    def draining(self) -> bool:
        """Whether this node is draining, so that new clients must use other nodes."""
        return self._readiness.draining

    def reject_new_sockets(self) -> None:
        """Reject all new sockets from now on, even accepted ones without a `Connection`."""
        self._rejects_all = True

    def admits(self, address: str) -> bool:
        """Return whether to keep an accepted socket of `address`. Takes tokens of the rate limits.

        Up to REFUSED_AT_ONCE sockets above a limit are kept, so that they get an error message.
        """
        if self._rejects_all or not self._is_admitted(address, uncounted=1):
            return False
        return address == PROXY_ADDRESS or self._try_take_tokens(address, self._sockets)

    def add(self, address: str) -> bool:
        """Count the connection of an accepted socket, and return whether to keep it.

        In either case `record_close` and `stop_counting` must follow.
        """
        self._open += 1
        self._count_connection(address)
        self.all_closed.clear()
        return not self._rejects_all and not self._is_crowded(address)

    def change_address(self, connection: PendingConnection, address: str) -> bool:
        """Count a connection for another address. Return whether to keep it."""
        pool, old = connection.pool, connection.address
        self.change_pool(connection, None)
        self.stop_counting(old)
        connection.address = address
        self._count_connection(address)
        admitted = self._is_admitted(address)
        if admitted:
            self.change_pool(connection, pool)
        return admitted

    def change_pool(self, connection: PendingConnection, pool: PendingConnections | None) -> None:
        """Count a connection in `pool`, as the newest one, and no longer in its earlier pool."""
        if connection.pool is not None:
            connection.pool.remove(connection)
        if pool is not None:
            pool.add(connection)

    def admits_handshake(self, address: str, *, proxied: bool) -> bool:
        """Return whether rate limits allow a WebSocket handshake, and take their tokens.

        `proxied` is true if a proxy has sent the handshake.
        """
        if proxied:
            return address == PROXY_ADDRESS or self._try_take_tokens(address, self._handshakes)
        return _try_take(self._handshakes, "all")

    def find_refusal(self, address: str) -> bytes | None:
        """Return the error message if the connections of `address` exceed a limit, or None."""
        excess, name = self._find_excess(address)
        if excess <= 0:
            return None
        self._limiter.exceeded[name] += 1
        return self.make_refusal(name)

    def make_refusal(self, name: str) -> bytes:
        """Return the error message for a connection above the limit `name`."""
        error = MastermindError(
            Reason.TOO_MANY_CONNECTIONS,
            limit=getattr(self._limiter.limits, name),
            retry_after=REFUSED_RETRY_SECONDS,
        )
        return encode(Error.of(error))

    def record_close(self) -> None:
        """Record that a socket is closed. Its connection still counts until `stop_counting`."""
        self._open -= 1
        if not self._open:
            self.all_closed.set()

    def stop_counting(self, address: str) -> None:
        """Stop counting a connection of `address`."""
        self._total -= 1
        for network in _list_networks(address):
            self._counts[network] -= 1
            if not self._counts[network]:
                del self._counts[network]

    def _count_connection(self, address: str) -> None:
        self._total += 1
        self._counts.update(_list_networks(address))

    def _is_admitted(self, address: str, uncounted: int = 0) -> bool:
        if self._bans.find(address, self._clock.unix_milliseconds()):
            self._bans.rejected_sockets += 1
            return False
        return not self._is_crowded(address, uncounted)

    def _try_take_tokens(self, address: str, limit: RateLimit) -> bool:
        """Take a token of `address`, one of its /48 and one of `limit`.

        Return False if a bucket is empty.
        """
        site = find_site(address)
        return (
            # first, so that one address cannot use up the others
            _try_take(self._sockets_of_address, address)
            and (site is None or _try_take(self._sockets_of_site, site))
            and _try_take(limit, "all")
        )

    def _is_crowded(self, address: str, uncounted: int = 0) -> bool:
        """Return whether a limit of `address` is exceeded by more than REFUSED_AT_ONCE connections.

        `uncounted` is the number of its connections that are not counted yet.
        """
        excess, name = self._find_excess(address)
        if excess + uncounted <= REFUSED_AT_ONCE:
            return False
        self._limiter.exceeded[name] += 1
        return True

    def _find_excess(self, address: str) -> tuple[int, str]:
        """Return the largest excess over a limit for `address`, and the name of that limit."""
        limits, counts = self._limiter.limits, self._counts
        excesses = [(self._total - limits.connections, "connections")]
        if address != PROXY_ADDRESS:
            excess = counts[address] - limits.connections_per_address
            excesses.append((excess, "connections_per_address"))
            if site := find_site(address):
                excess = counts[site] - limits.connections_per_site
                excesses.append((excess, "connections_per_site"))
        return max(excesses)


def _try_take(limit: RateLimit, key: str) -> bool:
    """Take a token and return True, or return False if the bucket is empty."""
    try:
        limit.take(key)
    except Refused:
        return False
    return True


def _list_networks(address: str) -> tuple[str, ...]:
    """Return the keys under which a connection of `address` is counted.

    They are `address` itself and, for IPv6, its /48.
    """
    site = find_site(address)
    return (address,) if site is None else (address, site)
