"""Rate limits by the generic cell rate algorithm: excess requests are delayed or refused.

A token bucket is one number for each key: the time at which it is full again. Full buckets need no
entry, so only keys that were used a short time ago take memory.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason, Refused
from mastermind_server.health.usage import AddressCosts
from mastermind_server.limits import NAMES
from mastermind_server.network.addresses import find_site
from mastermind_server.tuning import BUCKETS_KEPT, MAX_DEBT, SITE_SHARES

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_protocol.events import Player
    from mastermind_server.limits import Limiter, Rate
    from mastermind_server.matches.tables.followers import Peer

TOLERANCE = 1e-9  # seconds: rounding must not delay a client that keeps exactly to its rate


class RateLimit:
    """The buckets of one limit, by key, such as a player's id or a connection's number.

    A bucket holds `burst` tokens and gains `per_second`, both multiplied by `shares`. `now` returns
    seconds that never decrease. Each refusal or delay is counted in `limiter.met`.
    """

    def __init__(
        self,
        limiter: Limiter,
        name: str,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
        shares: int = 1,
    ) -> None:
        rate: Rate = getattr(limiter.limits, name)
        self._burst = shares * rate.burst
        self._interval = 1 / (shares * rate.per_second)  # seconds for one token
        self._depth = rate.burst / rate.per_second  # seconds to fill an empty bucket
        self._name, self._met, self._now, self._reason = name, limiter.met, now, reason
        self._full_at: dict[str | int, float] = {}
        self._swept_above = BUCKETS_KEPT

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, key: str | int) -> None:
        """Take one token. Raises Refused."""
        self.check(key)
        self.reserve(key)

    def check(self, key: str | int) -> None:
        """Raise Refused, with the time until the next token, if the bucket is empty. Takes none."""
        wait = self._full_at.get(key, 0.0) + self._interval - self._now() - self._depth
        if wait > TOLERANCE:
            self._met[self._name] += 1
            retry_after = ceil(1000 * (wait - TOLERANCE)) / 1000
            raise Refused(self._reason, limit=self._burst, retry_after=retry_after)

    def reserve(self, key: str | int, cost: int = 1) -> float:
        """Take `cost` tokens, on credit if need be; return the seconds until they are there.

        The credit is bounded by MAX_DEBT bursts, so that a client never waits long.
        """
        now = self._now()
        full_at = self._full_at.get(key)
        if full_at is None and len(self._full_at) >= self._swept_above:
            self._sweep(now)
        if full_at is None or full_at < now:
            full_at = now
        full_at += cost * self._interval
        wait = full_at - now - self._depth
        if wait > TOLERANCE:
            self._met[self._name] += 1
            wait = min(wait, MAX_DEBT * self._depth)
            full_at = now + self._depth + wait
        else:
            wait = 0.0
        self._full_at[key] = full_at
        return wait

    def refund(self, key: str | int) -> None:
        """Return a token that was taken."""
        if key in self._full_at:
            self._full_at[key] -= self._interval

    def _sweep(self, now: float) -> None:
        """Drop the full buckets; the next sweep is when the number of buckets has doubled."""
        self._full_at = {key: at for key, at in self._full_at.items() if at > now}
        self._swept_above = max(BUCKETS_KEPT, 2 * len(self._full_at))


class AddressLimit:
    """A rate limit by address; the addresses of a /48 share SITE_SHARES buckets in addition."""

    def __init__(
        self,
        limiter: Limiter,
        name: str,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
    ) -> None:
        self._addresses = RateLimit(limiter, name, now, reason)
        self._sites = RateLimit(limiter, name, now, reason, SITE_SHARES)

    def take(self, address: str) -> None:
        """Take one token of the address and its /48. Raises Refused."""
        self.check(address)
        self.reserve(address)

    def check(self, address: str) -> None:
        """Raise Refused if the address or its /48 has no token. Takes none."""
        self._addresses.check(address)
        if site := find_site(address):
            self._sites.check(site)

    def reserve(self, address: str, cost: int = 1) -> float:
        """Take tokens of the address and its /48; return the seconds until they are there."""
        wait = self._addresses.reserve(address, cost)
        if site := find_site(address):
            wait = max(wait, self._sites.reserve(site, cost))
        return wait

    def refund(self, address: str) -> None:
        """Return a token that was taken."""
        self._addresses.refund(address)
        if site := find_site(address):
            self._sites.refund(site)


class PeerLimit:
    """Two rate limits: `name` per player and, if defined, `name`_of_address per address."""

    def __init__(
        self, limiter: Limiter, name: str, now: Callable[[], float], reason: Reason
    ) -> None:
        self._players = RateLimit(limiter, name, now, reason)
        of_address = f"{name}_of_address"
        self._addresses = (
            AddressLimit(limiter, of_address, now, reason) if of_address in NAMES else None
        )

    def check(self, peer: Peer, player: Player) -> None:
        """Raise Refused if the address or the player has no token. Takes none."""
        if self._addresses is not None:
            self._addresses.check(peer.address)
        self._players.check(player.id)

    def take(self, peer: Peer, player: Player) -> None:
        """Take one token of both. Raises Refused."""
        self.check(peer, player)
        self.reserve(peer, player)

    def reserve(self, peer: Peer, player: Player, cost: int = 1) -> None:
        """Take `cost` tokens from the player's bucket and the address's, below zero if needed."""
        if self._addresses is not None:
            self._addresses.reserve(peer.address, cost)
        self._players.reserve(player.id, cost)


class WorkLimits:
    """The limits on the cost of requests, in moves, of players and addresses.

    Moves of an address have a limit of their own: they never wait for the logs and lists that
    others at the address ask for. `costs` holds the sum of each address.
    """

    def __init__(self, limiter: Limiter, now: Callable[[], float]) -> None:
        self.costs = AddressCosts()
        self._players = RateLimit(limiter, "work", now)
        self._addresses = AddressLimit(limiter, "work_of_address", now)
        self._moves = AddressLimit(limiter, "moves_of_address", now)

    def reserve(self, peer: Peer, cost: int) -> float:
        """Charge a request to its player and address; return the seconds to delay it."""
        self.costs.add(peer.address, cost)
        wait = (self._moves if cost == 1 else self._addresses).reserve(peer.address, cost)
        if peer.player is not None:
            wait = max(wait, self._players.reserve(peer.player.id, cost))
        return wait


class InboundRates:
    """The inbound rates of connections, by the number of the connection."""

    def __init__(self, limiter: Limiter, now: Callable[[], float]) -> None:
        self._frames = RateLimit(limiter, "frames", now)
        self._bytes = RateLimit(limiter, "bytes", now)
        self.bad_frames = RateLimit(limiter, "bad_frames", now)

    def reserve(self, connection: int, frames: int, size: int) -> float:
        """Count received frames and `size` bytes; return the seconds to pause reading."""
        wait = self._frames.reserve(connection, frames)
        return max(wait, self._bytes.reserve(connection, size)) if size else wait
