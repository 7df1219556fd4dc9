"""What an operator is told of requests: which addresses cost most, and how long they take."""

from __future__ import annotations

import logging
import re
import secrets
from hashlib import blake2b
from heapq import nlargest
from math import inf
from typing import TYPE_CHECKING, get_args

from mastermind_protocol.requests import AnyRequest
from mastermind_server.health.histogram import Histogram
from mastermind_server.logs.log_lines import about

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mastermind_protocol.requests import Request

_LOG = logging.getLogger(__name__)
KEY_BYTES = 16
DIGEST_BYTES = 6  # twelve characters: no two of those shown are the same
_HASH = re.compile(rf"[0-9a-f]{{{2 * DIGEST_BYTES}}}")
ADDRESSES_KEPT = 1024  # the addresses with the highest cost, some 0.2 MiB; at times twice as many
ADDRESSES_SHOWN = 10  # in the metrics: each address is a time series
SLOW_SECONDS = 1.0  # slower requests are logged; this is a hundred times the usual time
SLOW_LINE_SECONDS = 10.0  # between two such lines: one cause slows many requests


def is_hash(text: str) -> bool:
    """Tell whether a text is what an address is told by."""
    return _HASH.fullmatch(text) is not None


class AddressCosts:
    """What the requests of each address have cost, in moves. Who costs little is forgotten.

    It tells of addresses only by a keyed hash, which is another in each process: whoever reads the
    metrics learns whether one address does it all, and of nobody where he is. By it an address can
    be banned.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(KEY_BYTES)
        self._costs: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._costs)

    def add(self, address: str, cost: int) -> None:
        """Count what a request costs."""
        try:
            self._costs[address] += cost
        except KeyError:  # a new one: of most there is something
            self._costs[address] = cost
            if len(self._costs) > 2 * ADDRESSES_KEPT:
                self._costs = dict(self._find_most(ADDRESSES_KEPT))

    def list_top(self) -> list[tuple[str, int]]:
        """Return the hashes of those who have cost most, and how much."""
        found = self._find_most(ADDRESSES_SHOWN)
        return [(self._hash(address), cost) for address, cost in found]

    def find(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the addresses by their hashes, of those of which these are the hashes."""
        hashed = ((self._hash(address), address) for address in self._costs) if hashes else ()
        return {each: address for each, address in hashed if each in hashes}

    def _find_most(self, most: int) -> list[tuple[str, int]]:
        return nlargest(most, self._costs.items(), key=lambda item: item[1])

    def _hash(self, address: str) -> str:
        return blake2b(address.encode(), key=self._key, digest_size=DIGEST_BYTES).hexdigest()


class RequestTimes:
    """How long requests take from when they are begun until they are answered, by what they are.

    Of slow ones the log tells: one in a while, for what slows one slows many.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        kinds: tuple[type[Request], ...] = get_args(AnyRequest)
        self._times = {kind: Histogram() for kind in kinds}
        self._now = now
        self._told = -inf
        self._untold = 0

    @property
    def by_kind(self) -> dict[str, Histogram]:
        """The times by the `op` of the requests."""
        return {str(kind.__struct_config__.tag): times for kind, times in self._times.items()}

    def add(self, request: AnyRequest, seconds: float, connection: int) -> None:
        """Count how long a request of a connection took."""
        self._times[type(request)].add(seconds)
        if seconds > SLOW_SECONDS:
            self._tell(request, seconds, connection)

    def _tell(self, request: AnyRequest, seconds: float, connection: int) -> None:
        now = self._now()
        if now - self._told < SLOW_LINE_SECONDS:
            self._untold += 1
            return
        log = about(_LOG, connection=connection, match=getattr(request, "match", None))
        kind, untold = type(request).__name__, self._untold
        log.warning("a request of type %s took %.1f s (%d more untold)", kind, seconds, untold)
        self._told, self._untold = now, 0
