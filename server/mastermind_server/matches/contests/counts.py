"""The numbers of tries at the codes of days, in the memory of a node.

The number of tries that began some time ago is kept, and a request counts only later ones, by an
index. So it costs the same with any number of tries.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.days import find_tries_end
from mastermind_server.matches.rankings import OVERLAP_MILLISECONDS, REBUILD_MILLISECONDS
from mastermind_server.storage.statements.tries import count_tries

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store

KEPT_COUNTS = 1_024  # of a day and rules: a year of DAY_RULES in 0.3 MiB


class _Count(NamedTuple):
    """The number of tries that began before `until`, first counted at `counted`.

    Both are in milliseconds since 1970. `epoch` is that of the store.
    """

    number: int
    until: int
    counted: int
    epoch: str


class TryCounts:
    """Counts the tries of days. Tries of deleted players count for REBUILD_MILLISECONDS more."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._counts: OrderedDict[tuple[int, str], _Count] = OrderedDict()  # the first is evicted

    async def count(self, day: int, rules: str) -> int:
        """Return the number of tries of a day, also running ones. Raises StorageFailed."""
        key, now = (day, rules), self._clock.unix_milliseconds()
        end = find_tries_end(day)  # no try begins so late
        until = min(now - OVERLAP_MILLISECONDS, end)
        last = self._counts.get(key)
        if last is None or not self._is_valid(last, now):
            last = _Count(0, 0, now, self._store.epoch)
        if until > last.until:
            more = await self._store.read(count_tries, day, rules, last.until, until)
            last = last._replace(number=last.number + more, until=until)
        self._keep(key, last)
        if last.until == end:
            return last.number
        return last.number + await self._store.read(count_tries, day, rules, last.until, end)

    def _is_valid(self, count: _Count, now: int) -> bool:
        """Return whether `count` is recent, and the clock was not set back since."""
        recent = abs(now - count.counted) < REBUILD_MILLISECONDS
        return recent and count.until <= now and count.epoch == self._store.epoch

    def _keep(self, key: tuple[int, str], count: _Count) -> None:
        """Keep `count`, and evict the least recently used count."""
        self._counts[key] = count
        self._counts.move_to_end(key)
        if len(self._counts) > KEPT_COUNTS:
            self._counts.popitem(last=False)
