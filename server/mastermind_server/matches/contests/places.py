"""The places of the tries at the code of each day, in the memory of a node.

Memory has the result of each try, in 8 bytes, and not its player: a page of places is read from the
database, from the result at its start on. The results of a day are read in slices. Each
later request reads only tries that have ended since the last request, by an index. So a place or a
page costs the same with any number of tries, and nodes need no notices.

A try is stored some time after its end. So each request reads the last RECENT_MILLISECONDS again,
and every SETTLING_MILLISECONDS one request reads the last OVERLAP_MILLISECONDS. Earlier endings are
*settled*: they are not read again until the ranking is built anew, without deleted players.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left, insort
from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

from mastermind_server.matches.rankings import OVERLAP_MILLISECONDS, REBUILD_MILLISECONDS
from mastermind_server.storage.statements.tries import (
    count_unfinished,
    list_endings,
    list_results,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.clock import Clock
    from mastermind_server.storage.statements.tries import EndedTry
    from mastermind_server.storage.store import Store

SLICE_ROWS = 512  # tries in one read: they take the event loop below 1 ms
RECENT_MILLISECONDS = 2_000  # at 2,000 endings a minute 67 tries, which take 0.2 ms
SETTLING_MILLISECONDS = 10_000  # between two reads of OVERLAP_MILLISECONDS, of 2,000 tries
KEPT_DAYS = 128  # of one set of rules each: a month of DAY_RULES, and today
KEPT_TRIES = 2_000_000  # of all kept days: 16 MB; a larger day is kept alone
MILLISECONDS_BITS = 32  # of a try, which takes at most a day and a half

DayKey: TypeAlias = tuple[int, str]
"""The number of a day, and the name of rules."""


class DayRanking:
    """The results of the ended tries at one code, in order.

    `limit` is the limit of guesses. If `closed`, the code is revealed: no try can end, and
    unfinished tries count as not broken. Times are in milliseconds since 1970: the builder began to
    read at `built`, and the last update at `updated`. All endings before `settled` are known.
    `epoch` is that of the store at the time `built`. `unfinished` is the number of unfinished tries
    of a closed day, and `unfinished_counted` that of the counted ones.
    """

    def __init__(self, limit: int, now: int, epoch: str, *, closed: bool) -> None:
        self.limit, self.closed, self.epoch = limit, closed, epoch
        self.built = self.updated = now
        self.settled = now - OVERLAP_MILLISECONDS
        self.unfinished = self.unfinished_counted = 0
        self._counted, self._others = array("q"), array("q")  # results, sorted
        self._unsettled: dict[str, int] = {}  # ends of known tries, by player id
        self._unbroken = _pack(limit + 1, 0)  # the lowest result without a broken code

    def __len__(self) -> int:
        """Return the number of tries that have ended. If `closed`, these are all."""
        return len(self._counted) + len(self._others) + self.unfinished

    @property
    def counted(self) -> int:
        """The number of tries in the list of places."""
        return len(self._counted) + self.unfinished_counted

    @property
    def counted_ended(self) -> int:
        """The number of tries in the list of places that have ended in time."""
        return len(self._counted)

    @property
    def distribution(self) -> tuple[int, ...]:
        """The number of tries with 1, 2, ... guesses, and last the number without the code."""
        starts = [self._count_below(_pack(n, 0)) for n in range(1, self.limit + 2)]
        return tuple(
            after - start for start, after in zip(starts, (*starts[1:], len(self)), strict=True)
        )

    def add_next(self, tries: Iterable[EndedTry]) -> None:
        """Append tries, which a builder reads in the order of their results."""
        for each in tries:
            self._find_array(each).append(_pack(each.guesses, each.milliseconds))
            if each.ended >= self.settled:
                self._unsettled[each.player] = each.ended

    def update(self, tries: Iterable[EndedTry]) -> None:
        """Add the unknown ones of `tries`."""
        for each in tries:
            if each.ended >= self.settled and each.player not in self._unsettled:
                self._unsettled[each.player] = each.ended
                insort(self._find_array(each), _pack(each.guesses, each.milliseconds))

    def settle(self, time: int) -> None:
        """Ignore tries in later updates that ended before `time`."""
        self.settled = max(self.settled, time)
        self._unsettled = {
            player: ended for player, ended in self._unsettled.items() if ended >= self.settled
        }

    def find_place(self, guesses: int, milliseconds: int) -> int:
        """Return the place of a counted try with this result, from 1. Equal results share it.

        Tries that did not break the code share the last place.
        """
        result = min(_pack(guesses, milliseconds), self._unbroken)
        return 1 + bisect_left(self._counted, result)

    def find_better(self, guesses: int, milliseconds: int) -> int | None:
        """Return the percentage of the other tries that a try with this result beats.

        It is rounded down. Return None without other tries.
        """
        others = len(self) - 1
        if others < 1:
            return None
        result = _pack(guesses, milliseconds)
        beaten = len(self) - self._count_below(result + 1) if result < self._unbroken else 0
        return 100 * beaten // others

    def find_start(self, after: int) -> tuple[tuple[int, int], int] | None:
        """Return the result at the place in the list after the first `after` counted tries.

        The second value is the number of earlier tries with this result. Return None after the
        last counted try that has ended.
        """
        if after >= len(self._counted):
            return None
        result = self._counted[after]
        return _unpack(result), after - bisect_left(self._counted, result)

    def _count_below(self, result: int) -> int:
        """Return the number of tries with a better result."""
        return bisect_left(self._counted, result) + bisect_left(self._others, result)

    def _find_array(self, ended: EndedTry) -> array[int]:
        return self._counted if ended.counted else self._others


class DayRankings:
    """The rankings of a node by day and rules."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._rankings: OrderedDict[DayKey, DayRanking] = OrderedDict()  # the first is evicted next
        # One build at a time, so that other reads wait for one slice.
        self._building = asyncio.Lock()

    async def refresh(self, day: int, rules: str, limit: int, *, closed: bool) -> DayRanking:
        """Return the ranking of a day, up to date until the next `await`. Raises StorageFailed.

        `limit` is the limit of guesses. The ranking has all tries that were stored before this
        call, at most RECENT_MILLISECONDS after their ends. Others follow within
        SETTLING_MILLISECONDS.
        """
        key = (day, rules)
        ranking = self._find_current(key, closed=closed)
        if ranking is None:
            async with self._building:
                ranking = self._find_current(key, closed=closed)
                if ranking is None:
                    ranking = await self._build(key, limit, closed=closed)
        if not ranking.closed:
            await self._read_endings(ranking, key)
        self._keep(key, ranking)
        return ranking

    def _find_current(self, key: DayKey, *, closed: bool) -> DayRanking | None:
        """Return the ranking of a day, or None if it must be built."""
        ranking, now = self._rankings.get(key), self._clock.unix_milliseconds()
        if ranking is None or (closed and not ranking.closed):
            return None
        if abs(now - ranking.built) >= REBUILD_MILLISECONDS or now < ranking.settled:
            return None
        if ranking.epoch != self._store.epoch:  # the store may have lost tries
            return None
        return ranking

    async def _build(self, key: DayKey, limit: int, *, closed: bool) -> DayRanking:
        now = self._clock.unix_milliseconds()
        ranking = DayRanking(limit, now, self._store.epoch, closed=closed)
        for counted in (True, False):
            after, more = (0, 0, ""), True
            while more:
                found = await self._store.read(
                    list_results, *key, after, SLICE_ROWS, counted=counted
                )
                ranking.add_next(found)
                if more := len(found) == SLICE_ROWS:
                    after = (found[-1].guesses, found[-1].milliseconds, found[-1].player)
        if closed:
            counts = await self._store.read(count_unfinished, *key)
            ranking.unfinished, ranking.unfinished_counted = counts
        return ranking

    async def _read_endings(self, ranking: DayRanking, key: DayKey) -> None:
        """Add the tries that have ended since the last call."""
        began = self._clock.unix_milliseconds()
        settles = began - OVERLAP_MILLISECONDS >= ranking.settled + SETTLING_MILLISECONDS
        recent = max(ranking.settled, min(ranking.updated, began) - RECENT_MILLISECONDS)
        after, more = (ranking.settled if settles else recent, ""), True
        while more:
            found = await self._store.read(list_endings, *key, after, SLICE_ROWS)
            ranking.update(found)
            if more := len(found) == SLICE_ROWS:
                after = (found[-1].ended, found[-1].player)
        ranking.updated = began
        if settles:
            ranking.settle(began - OVERLAP_MILLISECONDS)

    def _keep(self, key: DayKey, ranking: DayRanking) -> None:
        """Keep `ranking`, and evict the least recently used rankings."""
        self._rankings[key] = ranking
        self._rankings.move_to_end(key)
        kept = sum(map(len, self._rankings.values()))
        while len(self._rankings) > 1 and (len(self._rankings) > KEPT_DAYS or kept > KEPT_TRIES):
            kept -= len(self._rankings.popitem(last=False)[1])


def _pack(guesses: int, milliseconds: int) -> int:
    """Return a number that orders results: fewer guesses, then less time."""
    return guesses << MILLISECONDS_BITS | milliseconds


def _unpack(result: int) -> tuple[int, int]:
    return result >> MILLISECONDS_BITS, result & ((1 << MILLISECONDS_BITS) - 1)
