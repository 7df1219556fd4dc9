"""The order of the players on each leaderboard, in the memory of a node.

A ranking is built from the players' standings in slices. Each request then reads only standings
that have changed since the last request: a standing changes with its player's rated match, and the
database has an index by the time of this match. So a place or a page costs the same with any number
of players, it includes all matches that ended before the request, and nodes need no notices. A
ranking takes 0.3 KiB of memory for each of its players.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.glicko import MAX_RATING
from mastermind_server.storage.rating_rows import (
    LEADERBOARD_WINDOW_MILLISECONDS,
    find_leaderboard_end,
)
from mastermind_server.storage.statements.leaderboard import list_candidates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.clock import Clock
    from mastermind_server.storage.rating_rows import Candidate
    from mastermind_server.storage.store import Store

SLICE_ROWS = 256  # standings in one read: they take the event loop below 1 ms
OVERLAP_MILLISECONDS = (
    60_000  # read again: a match is stored up to some seconds after the time of its end
)
REBUILD_MILLISECONDS = (
    600_000  # between two builds, which omit deleted players: 0.3 s for 50,000 players
)
_BUCKET_POINTS = 10.0  # of rating: 400 buckets, and 1,000 of 50,000 players in the largest
_BUCKET_COUNT = int(MAX_RATING / _BUCKET_POINTS) + 1

_Entry: TypeAlias = tuple[float, str, int]
"""Rating, id and end of a player, who leaves the leaderboard at the end, in ms since 1970.

A plain tuple, because the garbage collector does not visit it, as it would 50,000 named ones.
"""


class Ranking:
    """The players on the leaderboard of one set of rules, by rating and then by id, highest first.

    `built` and `updated` are the times when the builder, and the last update, began to read, in
    milliseconds since 1970. `epoch` is that of the store from which the builder read.
    """

    def __init__(self, now: int, epoch: str) -> None:
        self.built = self.updated = now
        self.epoch = epoch
        self._entries: dict[str, _Entry] = {}  # by player id
        self._ends: list[tuple[int, str]] = []  # a heap of ends and ids, also of replaced entries
        self._buckets: list[list[_Entry]] = [[] for _ in range(_BUCKET_COUNT)]  # each is sorted

    def __len__(self) -> int:
        """Return the number of players on the leaderboard."""
        return len(self._entries)

    def update(self, candidates: Iterable[Candidate], now: int) -> None:
        """Replace the entries of `candidates`, and remove all players with an end up to `now`."""
        for candidate in candidates:
            player, rating = candidate.player, candidate.rating
            end = find_leaderboard_end(candidate.after, candidate.at)
            entry = (rating, player, end)
            if self._entries.get(player) == entry:
                continue
            self.remove(player)
            self._entries[player] = entry
            heappush(self._ends, (end, player))
            insort(self._find_bucket(rating), entry)
        while self._ends and self._ends[0][0] <= now:
            end, player = heappop(self._ends)
            last = self._entries.get(player)
            if last is not None and last[2] == end:
                self.remove(player)

    def remove(self, player: str) -> None:
        """Remove the player with this id, if it is on the leaderboard."""
        entry = self._entries.pop(player, None)
        if entry is not None:
            bucket = self._find_bucket(entry[0])
            del bucket[bisect_left(bucket, entry)]

    def find_place(self, player: str) -> int | None:
        """Return the place of the player with this id, from 1, or None off the leaderboard."""
        entry = self._entries.get(player)
        if entry is None:
            return None
        number = int(entry[0] / _BUCKET_POINTS)
        bucket = self._buckets[number]
        above = sum(map(len, self._buckets[number + 1 :]))
        return above + len(bucket) - bisect_left(bucket, entry)

    def list_players(self, after: int, limit: int) -> list[str]:
        """Return the ids of up to `limit` players after the place `after`."""
        found: list[str] = []
        for bucket in reversed(self._buckets):
            if after >= len(bucket):
                after -= len(bucket)
                continue
            end = len(bucket) - after
            part = bucket[max(0, end - (limit - len(found))) : end]
            found += [player for _, player, _ in reversed(part)]
            after = 0
            if len(found) == limit:
                break
        return found

    def _find_bucket(self, rating: float) -> list[_Entry]:
        return self._buckets[int(rating / _BUCKET_POINTS)]


class Rankings:
    """The rankings of a node by rules. A ranking without players is not kept."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._rankings: dict[str, Ranking] = {}
        # One build at a time, so that other reads wait for one slice.
        self._building = asyncio.Lock()

    async def refresh(self, rules: str) -> Ranking:
        """Return the ranking by `rules`, up to date until the next `await`. Raises StorageFailed.

        It has all rated matches that were stored before this call, at most OVERLAP_MILLISECONDS
        after their ends. Other changes, such as deleted players, follow with the next build.
        """
        ranking = self._find_current(rules)
        if ranking is None:
            async with self._building:
                ranking = self._find_current(rules) or await self._build(rules)
        now = self._clock.unix_milliseconds()
        await self._read_changes(ranking, rules, min(ranking.updated, now) - OVERLAP_MILLISECONDS)
        if not ranking:
            self._rankings.pop(rules, None)
        return ranking

    def _find_current(self, rules: str) -> Ranking | None:
        """Return the ranking by `rules`, or None if it must be built."""
        ranking, now = self._rankings.get(rules), self._clock.unix_milliseconds()
        if ranking is None or abs(now - ranking.built) >= REBUILD_MILLISECONDS:
            return None
        if ranking.epoch != self._store.epoch:  # the store may have lost matches
            return None
        return ranking

    async def _build(self, rules: str) -> Ranking:
        now = self._clock.unix_milliseconds()
        ranking = Ranking(now, self._store.epoch)
        await self._read_changes(ranking, rules, now - LEADERBOARD_WINDOW_MILLISECONDS)
        self._rankings[rules] = ranking
        return ranking

    async def _read_changes(self, ranking: Ranking, rules: str, since: int) -> None:
        """Update `ranking` with the matches that ended after `since`, in ms since 1970."""
        began, key, more = self._clock.unix_milliseconds(), (since, ""), True
        while more:
            found = await self._store.read(list_candidates, rules, after=key, limit=SLICE_ROWS)
            ranking.update(found, self._clock.unix_milliseconds())
            if more := len(found) == SLICE_ROWS:
                key = (found[-1].at, found[-1].player)
        ranking.updated = began
