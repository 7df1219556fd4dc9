"""How fast a player, and an address, may ask: by what it costs the server, however it is sent."""

from __future__ import annotations

from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from mastermind_protocol import requests
from mastermind_protocol.errors import Reason, Refused
from mastermind_server import tuning
from mastermind_server.health.usage import AddressCosts
from mastermind_server.limits import Rate
from mastermind_server.network.sites import find_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.matches.tables.followers import Peer

COSTS: Mapping[type[requests.Request], int] = MappingProxyType(
    {
        requests.Open: tuning.LOG_COST,
        requests.Join: tuning.LOG_COST,
        requests.Follow: tuning.LOG_COST,
        requests.Rematch: tuning.LOG_COST,
        requests.Seek: tuning.LIST_COST,
        requests.ListMatches: tuning.LIST_COST,
        requests.Archive: tuning.LIST_COST,
        requests.ListOwn: tuning.LIST_COST,
    }
)
"""What a request costs beside a move, which costs 1."""


class Pace:
    """Lets whoever asks for too much wait: it is served more slowly, and nothing is lost.

    `costs` are what addresses have cost. Moves wait for no credit that others behind their address
    have used up by asking for logs and lists.
    """

    def __init__(self, limiter: Limiter, clock: Clock) -> None:
        self.costs = AddressCosts()
        self._players = Buckets(limiter, "work", clock.now)
        self._addresses = AddressBuckets(limiter, "work_of_address", clock.now)
        self._moves = AddressBuckets(limiter, "moves_of_address", clock.now)

    def reserve(self, peer: Peer, request: requests.AnyRequest) -> float:
        """Use credit of the peer's player and address; return the seconds to wait for it."""
        cost = COSTS.get(type(request), 1)
        self.costs.add(peer.address, cost)
        wait = (self._moves if cost == 1 else self._addresses).reserve(peer.address, cost)
        if peer.player is not None:
            wait = max(wait, self._players.reserve(peer.player.id, cost))
        return wait


class TokenBucket:
    """Counts one client's use of a rate. `now` tells seconds that never go back.

    With a `shared` one, which others use as well, there is credit only where both have it.
    """

    __slots__ = ("__weakref__", "_credit", "_now", "_rate", "_reason", "_shared", "_since")

    def __init__(
        self,
        rate: Rate,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
        shared: TokenBucket | None = None,
    ) -> None:
        self._rate, self._reason, self._shared = rate, reason, shared
        self._now = now
        self._credit = float(rate.burst)
        self._since = now()

    def take(self) -> None:
        """Use one credit; raises Refused."""
        self.check()
        self.reserve()

    def check(self) -> None:
        """Raise Refused, which says when there is a credit, if there is none; uses none."""
        rate = self._rate
        credit = self._credit + (self._now() - self._since) * rate.per_second
        if credit < 1:
            wait = ceil(1000 * (1 - credit) / rate.per_second) / 1000  # never too soon
            raise Refused(self._reason, limit=rate.burst, retry_after=wait)
        if self._shared is not None:
            self._shared.check()

    def give_back(self) -> None:
        """Let a credit that was used be there again: it was not needed."""
        self._credit += 1
        if self._shared is not None:
            self._shared.give_back()

    def reserve(self, cost: int = 1) -> float:
        """Use so many credits, on account if need be; return the seconds to wait for them."""
        rate, before, wait = self._rate, self._since, 0.0
        self._since = now = self._now()
        credit = self._credit + (now - before) * rate.per_second
        if credit > rate.burst:
            credit = rate.burst
        credit -= cost
        if credit < 0:
            credit = max(credit, -tuning.MAX_DEBT * rate.burst)
            wait = -credit / rate.per_second
        self._credit = credit
        return wait if self._shared is None else max(wait, self._shared.reserve(cost))


class Buckets:
    """A bucket a key, such as a player, of the rate of this name: how often it is met is counted.

    Those are forgotten that were not used while half of BUCKETS_KEPT others were.
    """

    def __init__(
        self,
        limiter: Limiter,
        name: str,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
    ) -> None:
        self._rate: Rate = getattr(limiter.limits, name)
        self._name, self._met = name, limiter.met
        self._now, self._reason = now, reason
        self._recent: dict[str, TokenBucket] = {}  # a move looks here alone
        self._older: dict[str, TokenBucket] = {}

    def take(self, key: str) -> None:
        """Use one credit of this key; raises Refused."""
        self.check(key)
        self._find(key).reserve()

    def check(self, key: str) -> None:
        """Raise Refused if this key has no credit; uses none."""
        try:
            self._find(key).check()
        except Refused:
            self._met[self._name] += 1
            raise

    def reserve(self, key: str, cost: int = 1) -> float:
        """Use so many credits of this key, on account if need be; return the seconds to wait."""
        wait = self._find(key).reserve(cost)
        if wait > 0:
            self._met[self._name] += 1
        return wait

    def give_back(self, key: str) -> None:
        """Let a credit that was taken be there again: it was not needed."""
        self._find(key).give_back()

    def _find(self, key: str) -> TokenBucket:
        bucket = self._recent.get(key)
        if bucket is None:
            bucket = self._older.pop(key, None) or self._make(key)
            if len(self._recent) >= tuning.BUCKETS_KEPT // 2:
                self._older, self._recent = self._recent, {}
            self._recent[key] = bucket
        return bucket

    def _make(self, key: str) -> TokenBucket:  # noqa: ARG002 - those of an address are not all alike
        return TokenBucket(self._rate, self._now, self._reason)


class AddressBuckets(Buckets):
    """A bucket an address; all those of a site of IPv6 share tuning.SITE_SHARES of one."""

    def __init__(
        self,
        limiter: Limiter,
        name: str,
        now: Callable[[], float],
        reason: Reason = Reason.TOO_MANY_REQUESTS,
    ) -> None:
        super().__init__(limiter, name, now, reason)
        self._sites: WeakValueDictionary[str, TokenBucket] = WeakValueDictionary()

    def _make(self, key: str) -> TokenBucket:
        site, shared = find_site(key), None
        if site is not None and (shared := self._sites.get(site)) is None:
            rate, shares = self._rate, tuning.SITE_SHARES
            together = Rate(burst=shares * rate.burst, per_second=shares * rate.per_second)
            shared = self._sites[site] = TokenBucket(together, self._now, self._reason)
        return TokenBucket(self._rate, self._now, self._reason, shared)
