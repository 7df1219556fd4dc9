"""The tables of this node: loaded when somebody needs one, and kept for some time after."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase
from mastermind_server import tuning
from mastermind_server.matches.tables.table import Loads, load_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_server.matches.tables.table import Table
    from mastermind_server.services import Services


class Visit:
    """The use of a table, by `async with`: as long as the block lasts it stays in memory.

    It has all that the log has up to a version. Raises Refused if there is no such match, or
    StorageFailed. A class, for every move is one.
    """

    __slots__ = ("_code", "_tables", "_version")

    def __init__(self, tables: Tables, code: str, version: int) -> None:
        self._tables, self._code, self._version = tables, code, version

    async def __aenter__(self) -> Table:
        self._tables.acquire(self._code)
        try:
            table = self._tables.get(self._code) or await self._tables.load(self._code)
            if table.stale:
                await table.read_beside()  # before the log, after which it is stale no more
            if table.stale or table.log.version < self._version:
                await table.read_on(self._version)
        except BaseException:
            self._tables.release(self._code)
            raise
        return table

    async def __aexit__(self, *_: object) -> None:
        self._tables.release(self._code)


class Tables:
    """Loads tables and drops them: those that nobody uses stay in memory for a while.

    `watchers` are called with a table whose phase, mover or followers changed, or at which a bot
    is to move.
    """

    def __init__(self, services: Services) -> None:
        self.watchers: list[Callable[[Table], None]] = []
        self._services = services
        self._tables: dict[str, Table] = {}
        self._uses: dict[str, int] = {}
        self._unused: OrderedDict[str, Table] = OrderedDict()  # the first is the next to go
        self._unused_rows = 0
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loads = Loads()
        self._rewritten: set[str] = set()  # while they were loaded

    def __len__(self) -> int:
        return len(self._tables)

    def stop(self) -> None:
        """Cancel all timers; the log has everything."""
        for table in self._tables.values():
            table.followers.stop()

    def get(self, code: str) -> Table | None:
        """Return the table of a match if it is in memory."""
        return self._tables.get(code)

    def get_used(self, code: str) -> Table | None:
        """Return the table of a match if somebody uses or follows it here."""
        return None if code in self._unused else self._tables.get(code)

    def lacks(self, code: str, version: int | None) -> bool:
        """Tell whether somebody here uses a match, without knowing that it has this version.

        That nobody uses reads on when it is used again.
        """
        table = self._tables.get(code)
        if table is None:
            return code in self._uses  # it is being loaded
        return code not in self._unused and (version is None or version > table.log.version)

    def list_used(self) -> list[Table]:
        """Return the tables that somebody uses or follows here."""
        return [table for code, table in self._tables.items() if code not in self._unused]

    def at(self, code: str, version: int = 0) -> Visit:
        """Return a use of the table of a match, which is loaded if need be.

        Whoever knows of a `version`, by way of another node, does not find less here.
        """
        return Visit(self, code, version)

    def acquire(self, code: str) -> None:
        """Keep a table in memory until it is released as often as it was acquired."""
        self._uses[code] = self._uses.get(code, 0) + 1
        if unused := self._unused.pop(code, None):
            self._unused_rows -= unused.rows

    def release(self, code: str) -> None:
        """Use a table no more. It is kept for a while, and what is then too much is dropped."""
        self._uses[code] -= 1
        if self._uses[code]:
            return
        del self._uses[code]
        table = self._tables.get(code)
        if table is None or table.followers:
            return
        if table.stale or table.rewritten:
            del self._tables[code]
        else:
            self._keep(code, table)

    def drop(self, code: str) -> None:
        """Keep a table no longer than somebody uses it: its log has been rewritten."""
        if unused := self._unused.pop(code, None):
            self._unused_rows -= unused.rows
            del self._tables[code]
        elif used := self._tables.get(code):
            used.rewritten = True
        elif code in self._uses:  # it is being loaded, from rows that may be those before
            self._rewritten.add(code)

    def drop_all(self) -> None:
        """Keep no table longer than somebody uses it: any log may have been rewritten."""
        for code in {*self._tables, *self._uses}:
            self.drop(code)

    async def load(self, code: str) -> Table:
        """Load the table of a match, once for all who acquired it. Raises Refused if there is none.

        Raises StorageFailed.
        """
        async with self._loading.setdefault(code, asyncio.Lock()):
            if loaded := self._tables.get(code):
                return loaded
            try:
                table = await load_table(code, self._services, self._tell_watchers, self._loads)
            finally:
                rewritten = code in self._rewritten
                self._rewritten.discard(code)
            if table is None:
                raise Refused(Reason.UNKNOWN_MATCH, field="match", match=code)
            table.rewritten = rewritten
            self._tables[code] = table
            return table

    def _keep(self, code: str, table: Table) -> None:
        """Keep a table for a while; of too many those go first that ended, then the oldest."""
        table.stale = self._services.store.shared  # nobody looks after it
        self._unused[code] = table
        self._unused_rows += table.rows
        if table.log.state.phase is Phase.FINISHED:
            self._unused.move_to_end(code, last=False)
        while len(self._unused) > tuning.TABLES_KEPT or self._unused_rows > tuning.ROWS_KEPT:
            dropped, ended = self._unused.popitem(last=False)
            self._unused_rows -= ended.rows
            del self._tables[dropped]

    def _tell_watchers(self, table: Table) -> None:
        for watcher in self.watchers:
            watcher(table)
