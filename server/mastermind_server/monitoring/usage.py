"""Statistics of requests for operators: durations, and the addresses with the highest cost."""

from __future__ import annotations

import logging
import re
import secrets
from bisect import bisect_left
from hashlib import blake2b
from heapq import nlargest
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING, get_args

from mastermind_protocol.requests import AnyRequest
from mastermind_server.monitoring.logs import with_context

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mastermind_protocol.requests import Request

# In seconds: from less than a commit on a fast disk to longer than players wait.
BUCKET_BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Histogram:
    """Counts durations in seconds. `total` is the sum of all durations."""

    __slots__ = ("_counts", "total")

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKET_BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float, times: int = 1) -> None:
        """Count a duration `times` times."""
        self._counts[bisect_left(BUCKET_BOUNDS, seconds)] += times
        self.total += seconds * times

    @property
    def cumulative_buckets(self) -> list[tuple[float, int]]:
        """Pairs of an upper bound in seconds and the number of durations up to this bound.

        The pairs are in ascending order; the last bound is infinite.
        """
        return list(zip((*BUCKET_BOUNDS, float("inf")), accumulate(self._counts), strict=True))


_LOG = logging.getLogger(__name__)
HASH_KEY_BYTES = 16
ADDRESS_HASH_BYTES = 6  # twelve characters; the shown addresses have different hashes
_HASH_PATTERN = re.compile(rf"[0-9a-f]{{{2 * ADDRESS_HASH_BYTES}}}")
ADDRESSES_KEPT = 1024  # the addresses with the highest cost, some 0.2 MiB; at times twice as many
ADDRESSES_SHOWN = 10  # in the metrics: each address is a time series
SLOW_REQUEST_SECONDS = 1.0  # slower requests are logged; this is a hundred times the usual time
SLOW_LOG_INTERVAL_SECONDS = 10.0  # between two such lines: one cause slows many requests


def is_address_hash(text: str) -> bool:
    """Return whether a text has the format of a hash of an address."""
    return _HASH_PATTERN.fullmatch(text) is not None


class AddressCosts:
    """Sums the costs of requests by address. The unit is the cost of a move.

    Addresses with a low cost are evicted. The metrics contain keyed hashes instead of addresses.
    Each process draws its own key. An operator can ban an address by its hash.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(HASH_KEY_BYTES)
        self._costs: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._costs)

    def add(self, address: str, cost: int) -> None:
        """Add the cost of a request."""
        try:
            self._costs[address] += cost
        except KeyError:  # a new address, which is the rarer case
            self._costs[address] = cost
            if len(self._costs) > 2 * ADDRESSES_KEPT:
                self._costs = dict(self._find_costliest(ADDRESSES_KEPT))

    def list_costliest(self) -> list[tuple[str, int]]:
        """Return the ADDRESSES_SHOWN highest costs, as pairs of an address's hash and its cost."""
        found = self._find_costliest(ADDRESSES_SHOWN)
        return [(self._hash(address), cost) for address, cost in found]

    def find_addresses(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the known addresses with a hash in `hashes`, by hash."""
        hashed = ((self._hash(address), address) for address in self._costs) if hashes else ()
        return {each: address for each, address in hashed if each in hashes}

    def _find_costliest(self, count: int) -> list[tuple[str, int]]:
        return nlargest(count, self._costs.items(), key=lambda item: item[1])

    def _hash(self, address: str) -> str:
        return blake2b(address.encode(), key=self._key, digest_size=ADDRESS_HASH_BYTES).hexdigest()


class RequestDurations:
    """Histograms of the time from a request's start to its answer, by kind of request.

    A slow request is logged if no other was logged in the last `SLOW_LOG_INTERVAL_SECONDS`, because
    one cause slows many requests.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        kinds: tuple[type[Request], ...] = get_args(AnyRequest)
        self._durations = {kind: Histogram() for kind in kinds}
        self._now = now
        self._logged_at = -inf
        self._skipped = 0

    @property
    def by_kind(self) -> dict[str, Histogram]:
        """The histograms, by the field `op` of requests."""
        return {str(kind.__struct_config__.tag): each for kind, each in self._durations.items()}

    def add(self, request: AnyRequest, seconds: float, connection: int) -> None:
        """Count the duration of a request, and log it if it was slow.

        `connection` is the number of the connection, for the log.
        """
        self._durations[type(request)].add(seconds)
        if seconds > SLOW_REQUEST_SECONDS:
            self._log_slow(request, seconds, connection)

    def _log_slow(self, request: AnyRequest, seconds: float, connection: int) -> None:
        now = self._now()
        if now - self._logged_at < SLOW_LOG_INTERVAL_SECONDS:
            self._skipped += 1
            return
        log = with_context(_LOG, connection=connection, match=getattr(request, "match", None))
        kind, skipped = type(request).__name__, self._skipped
        log.warning("a request of type %s took %.1f s (%d more not logged)", kind, seconds, skipped)
        self._logged_at, self._skipped = now, 0
