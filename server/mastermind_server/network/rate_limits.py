"""Rate limits by the generic cell rate algorithm, which delay or refuse excess requests.

A token bucket is one number per key: the time at which the bucket is full again. Full buckets are
not stored, so only recently used keys take memory.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from math import ceil
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from mastermind_protocol.errors import Reason, Refused
from mastermind_server.limits import LIMIT_NAMES
from mastermind_server.monitoring.usage import AddressCosts
from mastermind_server.network.addresses import find_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mastermind_protocol.events import Player
    from mastermind_server.limits import Limiter, Rate
    from mastermind_server.matches.tables.followers import Peer

SITE_FACTOR = 5  # times the rate of an address, for all addresses of an IPv6 /48, such as a campus
BUCKETS_KEPT = 10_000  # of one rate, some 4 MiB; long unused buckets are evicted
MAX_DEBT_BURSTS = 2  # bursts of debt, so that a disconnected crowd does not delay later clients

TOLERANCE_SECONDS = 1e-9  # seconds: rounding must not delay a client at exactly its rate


class RateLimit:
    """The token buckets of the limit `name`, by key, such as a player's id.

    A bucket holds `burst` tokens and gains `per_second` tokens each second; both numbers are those
    of the limit, multiplied by `factor`. `now` returns monotonic seconds. Refusals have the reason
    `reason`. `limiter.exceeded` counts refusals and delays.
    """

    def __init__(
        self,
        limiter: Limiter,
        name: str,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
        factor: int = 1,
    ) -> None:
        rate: Rate = getattr(limiter.limits, name)
        self._burst = factor * rate.burst
        self._interval = 1 / (factor * rate.per_second)  # seconds for one token
        self._fill_seconds = rate.burst / rate.per_second  # seconds to fill an empty bucket
        self._name, self._exceeded, self._now, self._reason = name, limiter.exceeded, now, reason
        self._full_at: dict[str | int, float] = {}
        self._sweep_at = BUCKETS_KEPT

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, key: str | int) -> None:
        """Take one token. Raises Refused if the bucket is empty."""
        self.check_bucket(key)
        self.reserve(key)

    def check_bucket(self, key: str | int) -> None:
        """Raise Refused with `retry_after` if the bucket is empty. Takes no token."""
        wait = self._full_at.get(key, 0.0) + self._interval - self._now() - self._fill_seconds
        if wait > TOLERANCE_SECONDS:
            self._exceeded[self._name] += 1
            retry_after = ceil(1000 * (wait - TOLERANCE_SECONDS)) / 1000
            raise Refused(self._reason, limit=self._burst, retry_after=retry_after)

    def reserve(self, key: str | int, cost: float = 1) -> float:
        """Take `cost` tokens, and return the seconds to wait until the bucket has no debt.

        A bucket with fewer than `cost` tokens goes into debt. The debt is at most MAX_DEBT_BURSTS
        times the burst, so that no client waits long.
        """
        now = self._now()
        full_at = self._full_at.get(key)
        if full_at is None and len(self._full_at) >= self._sweep_at:
            self._drop_full_buckets(now)
        if full_at is None or full_at < now:
            full_at = now
        full_at += cost * self._interval
        wait = full_at - now - self._fill_seconds
        if wait > TOLERANCE_SECONDS:
            self._exceeded[self._name] += 1
            wait = min(wait, MAX_DEBT_BURSTS * self._fill_seconds)
            full_at = now + self._fill_seconds + wait
        else:
            wait = 0.0
        self._full_at[key] = full_at
        return wait

    def refund(self, key: str | int) -> None:
        """Put back one token that was taken."""
        if key in self._full_at:
            self._full_at[key] -= self._interval

    def _drop_full_buckets(self, now: float) -> None:
        """Drop full buckets. Set `_sweep_at`, the number of buckets that triggers the next call."""
        self._full_at = {key: at for key, at in self._full_at.items() if at > now}
        self._sweep_at = max(BUCKETS_KEPT, 2 * len(self._full_at))


class AddressLimit:
    """A rate limit per address, and one per /48 of IPv6, which is SITE_FACTOR times as high."""

    def __init__(
        self,
        limiter: Limiter,
        name: str,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
    ) -> None:
        self._addresses = RateLimit(limiter, name, now, reason)
        self._sites = RateLimit(limiter, name, now, reason, SITE_FACTOR)

    def take(self, address: str) -> None:
        """Take a token of the address and one of its /48. Raises Refused if either has none."""
        self.check_bucket(address)
        self.reserve(address)

    def check_bucket(self, address: str) -> None:
        """Raise Refused if the bucket of the address or of its /48 is empty. Takes no token."""
        self._addresses.check_bucket(address)
        if site := find_site(address):
            self._sites.check_bucket(site)

    def reserve(self, address: str, cost: float = 1) -> float:
        """Take `cost` tokens of the address, and as many of its /48.

        Returns the seconds to wait until the address and the /48 have no debt.
        """
        wait = self._addresses.reserve(address, cost)
        if site := find_site(address):
            wait = max(wait, self._sites.reserve(site, cost))
        return wait

    def refund(self, address: str) -> None:
        """Put back one token of the address, and one of its /48."""
        self._addresses.refund(address)
        if site := find_site(address):
            self._sites.refund(site)


class AddressTurns:
    """Runs work of each address one piece after another, and likewise of each /48 of IPv6."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def enter(self, address: str) -> AsyncIterator[None]:
        """Run the block after the earlier blocks of the address and of its /48."""
        site = find_site(address)
        async with self._find_lock(address):
            if site is None:
                yield
            else:
                async with self._find_lock(site):
                    yield

    def _find_lock(self, network: str) -> asyncio.Lock:
        return self._locks.setdefault(network, asyncio.Lock())


class PeerLimit:
    """A rate limit per player and, for some limits, another one per address.

    The limit per player has the name `name`. If the limits contain this name with the suffix
    _of_address, that is the limit per address: for example `chat` and `chat_of_address`.
    """

    def __init__(
        self, limiter: Limiter, name: str, now: Callable[[], float], reason: Reason
    ) -> None:
        self._players = RateLimit(limiter, name, now, reason)
        of_address = f"{name}_of_address"
        self._addresses = (
            AddressLimit(limiter, of_address, now, reason) if of_address in LIMIT_NAMES else None
        )

    def check_bucket(self, peer: Peer, player: Player) -> None:
        """Raise Refused if the bucket of the player or the address is empty. Takes no token."""
        if self._addresses is not None:
            self._addresses.check_bucket(peer.address)
        self._players.check_bucket(player.id)

    def take(self, peer: Peer, player: Player) -> None:
        """Take a token of the player and one of the address. Raises Refused if either has none."""
        self.check_bucket(peer, player)
        self.reserve(peer, player)

    def reserve(self, peer: Peer, player: Player, cost: float = 1) -> None:
        """Take `cost` tokens of the player, and as many of the address.

        Buckets with fewer tokens go into debt.
        """
        if self._addresses is not None:
            self._addresses.reserve(peer.address, cost)
        self._players.reserve(player.id, cost)


class RequestCostLimits:
    """Rate limits on the cost of requests, per player and per address. A move costs 1.

    The address has a separate limit for requests of cost 1. So a move does not wait for the costly
    requests of other players at the address. `costs` adds up the cost of each address.
    """

    def __init__(self, limiter: Limiter, now: Callable[[], float]) -> None:
        self.costs = AddressCosts()
        self._players = RateLimit(limiter, "request_cost", now)
        self._addresses = AddressLimit(limiter, "request_cost_of_address", now)
        self._moves = AddressLimit(limiter, "moves_of_address", now)

    def reserve(self, peer: Peer, cost: int) -> float:
        """Charge the `cost` of a request to the player and address of `peer`.

        Returns the seconds to wait before the request is handled.
        """
        self.costs.add(peer.address, cost)
        wait = (self._moves if cost == 1 else self._addresses).reserve(peer.address, cost)
        if peer.player is not None:
            wait = max(wait, self._players.reserve(peer.player.id, cost))
        return wait


class ReceiveRates:
    """Rate limits on the frames, bytes and invalid messages that a connection receives."""

    def __init__(self, limiter: Limiter, now: Callable[[], float]) -> None:
        self._frames = RateLimit(limiter, "frames", now)
        self._bytes = RateLimit(limiter, "bytes", now)
        self.bad_frames = RateLimit(limiter, "bad_frames", now)

    def reserve(self, connection: int, frames: int, size: int) -> float:
        """Charge received frames and bytes to a connection; return the seconds to pause reading.

        `connection` is the number of the connection, and `size` the total size of the frames in
        bytes.
        """
        wait = self._frames.reserve(connection, frames)
        return max(wait, self._bytes.reserve(connection, size)) if size else wait
