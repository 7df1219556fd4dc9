"""How fast a player, and an address, may ask: by what it costs the server, however it is sent."""

from __future__ import annotations

from collections import OrderedDict
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_protocol import requests
from mastermind_protocol.errors import Refused
from mastermind_server import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mastermind_server.clock import Clock
    from mastermind_server.matches.followers import Peer

COSTS: Mapping[type[requests.Request], int] = MappingProxyType(
    {
        requests.Open: limits.LOG_COST,
        requests.Join: limits.LOG_COST,
        requests.Follow: limits.LOG_COST,
        requests.Rematch: limits.LOG_COST,
        requests.Seek: limits.LIST_COST,
        requests.ListMatches: limits.LIST_COST,
        requests.Archive: limits.LIST_COST,
        requests.ListOwn: limits.LIST_COST,
    }
)
"""What a request costs beside a move, which costs 1."""


class Pace:
    """Lets whoever asks for too much wait: it is served more slowly, and nothing is lost."""

    def __init__(self, clock: Clock) -> None:
        self._players = Buckets(limits.WORK, clock.now)
        self._addresses = Buckets(limits.WORK_FROM, clock.now)

    def reserve(self, peer: Peer, request: requests.AnyRequest) -> float:
        """Use credit of the peer's player and address; return the seconds to wait for it."""
        cost = COSTS.get(type(request), 1)
        wait = self._addresses.reserve(peer.address, cost)
        if peer.player is not None:
            wait = max(wait, self._players.reserve(peer.player.id, cost))
        return wait


class TokenBucket:
    """Counts one client's use of a rate. `now` tells seconds that never go back."""

    __slots__ = ("_credit", "_now", "_rate", "_since")

    def __init__(self, rate: limits.Rate, now: Callable[[], float]) -> None:
        self._rate = rate
        self._now = now
        self._credit = float(rate.burst)
        self._since = now()

    def take(self) -> None:
        """Use one credit; raises Refused, which says when the next one is there."""
        if (wait := self.reserve()) > 0:
            self._credit += 1
            wait = ceil(1000 * wait) / 1000  # never too soon
            raise Refused(self._rate.reason, limit=self._rate.burst, retry_after=wait)

    def check(self) -> None:
        """Raise Refused if there is no credit; uses none."""
        self.take()
        self._credit += 1

    def reserve(self, cost: int = 1) -> float:
        """Use so many credits, on account if need be; return the seconds to wait for them."""
        rate, before = self._rate, self._since
        self._since = now = self._now()
        credit = min(rate.burst, self._credit + (now - before) * rate.per_second) - cost
        if credit >= 0:
            self._credit = credit
            return 0.0
        self._credit = credit = max(credit, -limits.MAX_DEBT * rate.burst)
        return -credit / rate.per_second


class Buckets:
    """A bucket a key, such as an address; the longest unused are forgotten first."""

    def __init__(self, rate: limits.Rate, now: Callable[[], float]) -> None:
        self._rate, self._now = rate, now
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, key: str) -> None:
        """Use one credit of this key; raises Refused."""
        self._find(key).take()

    def reserve(self, key: str, cost: int = 1) -> float:
        """Use so many credits of this key, on account if need be; return the seconds to wait."""
        return self._find(key).reserve(cost)

    def check(self, key: str) -> None:
        """Raise Refused if this key has no credit; uses none."""
        self._find(key).check()

    def _find(self, key: str) -> TokenBucket:
        if bucket := self._buckets.get(key):
            self._buckets.move_to_end(key)
            return bucket
        bucket = self._buckets[key] = TokenBucket(self._rate, self._now)
        if len(self._buckets) > limits.BUCKETS_KEPT:
            self._buckets.popitem(last=False)
        return bucket
