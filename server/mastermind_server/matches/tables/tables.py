"""The tables in memory on this node, with a cache of unused tables."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from websockets.frames import CloseCode

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import MATCH_PART_LENGTH
from mastermind_protocol.match import Phase
from mastermind_server.matches.tables.followed import FollowedMatches
from mastermind_server.matches.tables.followers import make_restart_reason
from mastermind_server.matches.tables.lost_rows import LostRows
from mastermind_server.matches.tables.match_log import (
    ROWS_BEFORE_PAUSES,
    ROWS_PER_QUERY,
    MatchLog,
    read_rows,
)
from mastermind_server.matches.tables.table import Table
from mastermind_server.storage.statements.log import read_chat, read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mastermind_server.services import Services

TABLES_KEPT = 256  # unused tables in the cache: loading a table is slow
DISCONNECTS_PER_ITERATION = 64  # followers of a dropped table, which may have thousands
ROWS_KEPT = 50_000  # in the cache, with lines of chat, some 34 MiB; the longest match has 40,000


class TableUse:
    """A context manager that yields a table, and keeps the table in memory within the block.

    The table has at least the rows up to `version`, if the log has them. Raises Refused for an
    unknown match, and StorageFailed. This is a class, because each move uses one and a generator is
    slower.
    """

    __slots__ = ("_code", "_tables", "_version")

    def __init__(self, tables: Tables, match_code: str, version: int) -> None:
        self._tables, self._code, self._version = tables, match_code, version

    async def __aenter__(self) -> Table:
        self._tables.keep_table(self._code)
        try:
            table = self._tables.get(self._code) or await self._tables.load(self._code)
            if table.log.epoch != self._tables.epochs.current:
                await self._tables.confirm(table)
                table.check_not_dropped()  # the request was decided on its rows
            if table.stale:
                await table.read_new_lines()  # first, because reading rows resets `stale`
            if table.stale or table.log.version < self._version:
                await table.read_new_rows(self._version)
        except BaseException:
            self._tables.release_table(self._code)
            raise
        return table

    async def __aexit__(self, *_: object) -> None:
        self._tables.release_table(self._code)


class Tables:
    """Loads tables when they are used, and caches them afterwards.

    Each of `watchers` is called with a table when its phase or followers have changed, and when a
    bot must move. `followed` are the matches that clients follow on this node. `lost` counts the
    rows in memory that the store has lost.
    """

    def __init__(self, services: Services) -> None:
        self.watchers: list[Callable[[Table], None]] = []
        self.followed = FollowedMatches()
        self.lost, self.epochs = LostRows(), services.store.epochs
        self._services, self._interests = services, services.store.interests
        self._tables: dict[str, Table] = {}
        self._uses: dict[str, int] = {}
        self._unused: OrderedDict[str, Table] = OrderedDict()  # the first is evicted next
        self._unused_rows = 0
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._load_limiter = LoadLimiter()
        self._rewritten: set[str] = (
            set()
        )  # codes of logs rewritten during the loading of their table

    def __len__(self) -> int:
        return len(self._tables)

    def cancel_timers(self) -> None:
        """Cancel the timers of all tables."""
        for table in self._tables.values():
            table.followers.cancel_timer()

    def get(self, match_code: str) -> Table | None:
        """Return the table of a match if it is in memory."""
        return self._tables.get(match_code)

    def get_used(self, match_code: str) -> Table | None:
        """Return the table of a match if it is in use or followed on this node."""
        return None if match_code in self._unused else self._tables.get(match_code)

    def lacks_version(self, match_code: str, version: int | None) -> bool:
        """Return whether the table of `match_code` is in use or followed, and lacks row `version`.

        A change of chat or presence has no `version`: the result is then whether the table is in
        use or followed. Other tables read the store when they are used again.
        """
        table = self._tables.get(match_code)
        if table is None:
            return match_code in self._uses  # it is being loaded
        return match_code not in self._unused and (version is None or version > table.log.version)

    def list_loaded(self) -> list[Table]:
        """Return all tables in memory, including the cached ones."""
        return list(self._tables.values())

    def list_used(self) -> list[Table]:
        """Return the tables that are in use or followed on this node."""
        return [
            table for match_code, table in self._tables.items() if match_code not in self._unused
        ]

    def list_codes(self) -> Iterator[str]:
        """Yield the codes of the tables that are in use, are being loaded, or are followed."""
        yield from self._uses
        yield from (code for code in self._tables if code not in self._unused)

    def use(self, match_code: str, version: int = 0) -> TableUse:
        """Return a context manager for the table of a match.

        The table has read at least the rows up to `version`, if the log has them. A client may know
        `version` from another node before this node has read the row.
        """
        return TableUse(self, match_code, version)

    def keep_table(self, match_code: str) -> None:
        """Add a use of a table. It stays in memory until `release_table` has ended all uses."""
        self._uses[match_code] = self._uses.get(match_code, 0) + 1
        if match_code[-MATCH_PART_LENGTH:] not in self._interests.wanted:  # saves three calls
            self._interests.add(match_code)
        if unused := self._unused.pop(match_code, None):
            self._unused_rows -= unused.row_count

    def release_table(self, match_code: str) -> None:
        """End a use that `keep_table` added.

        After the last use, cache the table, or drop it if it is outdated. A table with followers
        stays as it is.
        """
        self._uses[match_code] -= 1
        if self._uses[match_code]:
            return
        del self._uses[match_code]
        table = self._tables.get(match_code)
        if table is None or table.followers.seated or table.followers.watching:
            return
        if table.stale or table.rewritten:
            del self._tables[match_code]
        else:
            self._cache_table(match_code, table)

    def evict_rewritten(self, match_code: str) -> None:
        """Evict the table of a match after its log was rewritten.

        A table in use, or with followers, is evicted later, by `release_table`.
        """
        if unused := self._unused.pop(match_code, None):
            self._unused_rows -= unused.row_count
            del self._tables[match_code]
        elif used := self._tables.get(match_code):
            used.rewritten = True
        elif match_code in self._uses:  # it is being loaded, perhaps with the earlier rows
            self._rewritten.add(match_code)

    def evict_all(self) -> None:
        """Evict all tables, because any log may have been rewritten."""
        for match_code in {*self._tables, *self._uses}:
            self.evict_rewritten(match_code)

    async def confirm(self, table: Table) -> None:
        """Compare a table with the store, and drop it if the store has lost rows of it.

        Its followers are then disconnected, as by a restart, and read the match again. Raises
        StorageFailed.
        """
        kept = await table.confirm()
        if kept is None or table.dropped:  # by an earlier call
            return
        self.lost.add(table.log, kept)
        if not table.confirmed:
            table.dropped = True
            self._remove(table)
            await self._disconnect_followers(table)

    def _remove(self, table: Table) -> None:
        match_code = table.log.code
        if self._tables.get(match_code) is table:
            del self._tables[match_code]
            if self._unused.pop(match_code, None):
                self._unused_rows -= table.row_count

    async def _disconnect_followers(self, table: Table) -> None:
        """Disconnect the followers of a table, over several iterations of the event loop."""
        followers = table.followers
        for number, peer in enumerate([*followers.seated, *followers.watching], start=1):
            table.unfollow(peer)
            peer.end(CloseCode.SERVICE_RESTART, make_restart_reason(self.lost.disconnected))
            self.lost.disconnected += 1
            if number % DISCONNECTS_PER_ITERATION == 0:
                await asyncio.sleep(0)
        self.call_watchers(table)

    async def load(self, match_code: str) -> Table:
        """Return the table of a match. Concurrent calls load it once.

        Raises Refused for an unknown match, and StorageFailed.
        """
        async with self._loading.setdefault(match_code, asyncio.Lock()):
            if loaded := self._tables.get(match_code):
                return loaded
            try:
                table = await load_table(
                    match_code,
                    self._services,
                    self.followed,
                    self.call_watchers,
                    self._load_limiter,
                )
            finally:
                rewritten = match_code in self._rewritten
                self._rewritten.discard(match_code)
            if table is None:
                raise Refused(Reason.UNKNOWN_MATCH, field="match", match=match_code)
            table.rewritten = rewritten
            self._tables[match_code] = table
            return table

    def _cache_table(self, match_code: str, table: Table) -> None:
        """Cache a table. Above the limits of the cache, evict tables.

        Finished matches are evicted first, then the least recently used ones.
        """
        table.stale = self._services.store.shared  # it gets no notifications
        self._unused[match_code] = table
        self._unused_rows += table.row_count
        if table.log.state.phase is Phase.FINISHED:
            self._unused.move_to_end(match_code, last=False)
        while len(self._unused) > TABLES_KEPT or self._unused_rows > ROWS_KEPT:
            evicted, unused = self._unused.popitem(last=False)
            self._unused_rows -= unused.row_count
            del self._tables[evicted]

    def call_watchers(self, table: Table) -> None:
        """Call `watchers` with a table."""
        for watcher in self.watchers:
            watcher(table)


TABLES_LOADED_AT_ONCE = 2  # of each length: bounds the rows folded in one iteration of the loop


class LoadLimiter:
    """Semaphores that limit the number of logs that are read at once.

    Logs of different lengths have different semaphores, so that short logs do not wait for long
    ones.
    """

    __slots__ = ("long", "short", "very_long")

    def __init__(self) -> None:
        self.short = asyncio.Semaphore(TABLES_LOADED_AT_ONCE)  # the first batch of any log
        self.long = asyncio.Semaphore(TABLES_LOADED_AT_ONCE)
        self.very_long = asyncio.Semaphore(TABLES_LOADED_AT_ONCE)  # read with pauses


async def load_table(
    match_code: str,
    services: Services,
    followed: FollowedMatches,
    changed: Callable[[Table], None],
    limiter: LoadLimiter,
) -> Table | None:
    """Read a match and return its table, or None if the match is unknown. Raises StorageFailed."""
    rows, state, epoch = [], None, services.store.epoch
    async with limiter.short:
        async for row, decision in read_rows(services, match_code, epoch, first_batch=True):
            rows.append(row)
            state = decision.after
        if state is None:
            return None
        if len(rows) < ROWS_PER_QUERY:
            return await _make_table(
                MatchLog(match_code, rows, state, epoch), services, followed, changed
            )
    very_long = await services.store.look_up(read_log, match_code, ROWS_BEFORE_PAUSES, 1)
    async with limiter.very_long if very_long else limiter.long:
        at = rows[0].at
        async for row, decision in read_rows(services, match_code, epoch, len(rows), state, at):
            rows.append(row)
            state = decision.after
        return await _make_table(
            MatchLog(match_code, rows, state, epoch), services, followed, changed
        )


async def _make_table(
    log: MatchLog, services: Services, followed: FollowedMatches, changed: Callable[[Table], None]
) -> Table:
    chat = await services.store.look_up(read_chat, log.code)
    table = Table(log, chat, services, followed, changed)
    await table.read_outages()
    return table
