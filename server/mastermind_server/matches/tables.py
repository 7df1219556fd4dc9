"""The tables of this node: loaded when somebody needs one, and kept for some time after."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason, Refused
from mastermind_server import limits
from mastermind_server.matches.table import load_table

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mastermind_server.matches.table import Table
    from mastermind_server.services import Services


@dataclass(slots=True, eq=False)
class _Use:
    """How many use a table just now, and who of them loads it."""

    count: int = 0
    loading: asyncio.Lock = field(default_factory=asyncio.Lock)


class Tables:
    """Loads tables and drops them: those that nobody uses stay in memory for a while.

    `watcher` is called with a table at which something has happened, or which somebody has begun to
    follow.
    """

    def __init__(self, services: Services) -> None:
        self.watcher: Callable[[Table], None] | None = None
        self._services = services
        self._tables: dict[str, Table] = {}
        self._unused: OrderedDict[str, None] = OrderedDict()  # of these, the longest unused first
        self._uses: dict[str, _Use] = {}
        self._loads = asyncio.Semaphore(limits.TABLES_LOADED_AT_ONCE)

    def stop(self) -> None:
        """Cancel all timers; the log has everything."""
        for table in self._tables.values():
            table.followers.stop()

    def get(self, code: str) -> Table | None:
        """Return the table of a match if it is in memory."""
        return self._tables.get(code)

    @asynccontextmanager
    async def at(self, code: str) -> AsyncIterator[Table]:
        """Use the table of a match, loading it if need be. Raises Refused if there is none."""
        use = self.acquire(code)
        try:
            yield self._tables.get(code) or await self._load(code, use)
        finally:
            self.release(code)

    def acquire(self, code: str) -> _Use:
        """Keep a table in memory until it is released as often as it was acquired."""
        use = self._uses.setdefault(code, _Use())
        use.count += 1
        self._unused.pop(code, None)
        return use

    def release(self, code: str) -> None:
        """Use a table no more. It is kept for a while, and what is then too much is dropped."""
        use = self._uses[code]
        use.count -= 1
        if use.count:
            return
        del self._uses[code]
        table = self._tables.get(code)
        if table is None or table.followers:
            return
        if table.stale:
            del self._tables[code]
            return
        self._unused[code] = None
        while len(self._unused) > limits.TABLES_KEPT or self._count_rows() > limits.ROWS_KEPT:
            dropped, _ = self._unused.popitem(last=False)
            del self._tables[dropped]

    async def _load(self, code: str, use: _Use) -> Table:
        async with use.loading:  # whoever comes meanwhile takes what is loaded here
            if loaded := self._tables.get(code):
                return loaded
            async with self._loads:
                table = await load_table(code, self._services, self._tell_watcher)
            if table is None:
                raise Refused(Reason.UNKNOWN_MATCH, field="match", match=code)
            self._tables[code] = table
            return table

    def _count_rows(self) -> int:
        return sum(self._tables[code].log.version for code in self._unused)

    def _tell_watcher(self, table: Table) -> None:
        if self.watcher is not None:
            self.watcher(table)
