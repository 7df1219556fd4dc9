"""The store: the threads and lanes through which a node reads and writes its database.

One thread writes and one reads; on PostgreSQL a third runs writes that wait for locks across all
nodes, because moves must never queue behind these.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from mastermind_protocol.errors import Reason
from mastermind_server.storage.notices import NotifyLatency
from mastermind_server.storage.opening import open_database
from mastermind_server.storage.schema import find_revision
from mastermind_server.storage.statements import accounts, log
from mastermind_server.storage.threads import DatabaseThread, Lane, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from mastermind_server.health.histogram import Histogram
    from mastermind_server.storage.database import Database, Session
    from mastermind_server.storage.notices import Notice
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow

P = ParamSpec("P")
T = TypeVar("T")

MOVES_PER_COMMIT = 256  # bounds the time of a transaction
MOVES_INTERVAL = 0.004  # seconds: eight moves share a disk sync at 2,000 a second
WRITES_PER_COMMIT = 2  # such as lines of chat, which delay a move by 3 ms
PLAYERS_PER_COMMIT = 32  # some 2 ms
PLAYERS_INTERVAL = 0.05  # seconds: 640 new players a second, three times the limit `handshakes`
READS_PER_GROUP = 32  # some 2 ms until the first is answered


class StoreMetrics(NamedTuple):
    """Totals since the store was opened: log rows written, failures, and times of groups.

    `notify` is from a commit until its notice arrives.
    """

    rows: int
    failures: int
    write: Histogram
    read: Histogram
    notify: Histogram


class Store:
    """Reads and writes a database. Create it with `Store.open` on a running event loop.

    A function of `storage.statements` takes a session first; `read` and `write` supply it. All
    methods raise StorageFailed when the database or its disk fails.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latency = NotifyLatency()
        self._moves = Lane(MOVES_PER_COMMIT, MOVES_INTERVAL, log.append_many)
        self._players = Lane(PLAYERS_PER_COMMIT, PLAYERS_INTERVAL, accounts.add_players)
        self._writes = Lane(WRITES_PER_COMMIT)
        self._reads = Lane(READS_PER_GROUP, atomic=False)
        self._locking = Lane(1) if database.shared else self._writes
        self._reader = DatabaseThread("store-reader", database, Reason.NOT_READ, [self._reads])
        self._writer = self._start_writer("store-writer", self._moves, self._writes, self._players)
        self._locking_writer = (
            self._start_writer("store-locking-writer", self._locking)
            if database.shared
            else self._writer
        )
        self._writers = {self._writer, self._locking_writer}

    @classmethod
    async def open(cls, place: Path | str) -> Store:
        """Open or create a SQLite file, or open a PostgreSQL database by its URL.

        Raises DatabaseUnusable, such as DatabaseLocked.
        """
        return cls(await asyncio.to_thread(open_database, place))

    @property
    def shared(self) -> bool:
        """Whether other nodes may use the same database."""
        return self._database.shared

    async def read(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of a query."""
        return await self._reader.submit(
            self._reads, lambda session: query(session, *args, **kwargs)
        )

    async def write(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a short write in a transaction and return its result after the commit.

        If `work` raises, it must not have changed anything; the same exception is raised here.
        """
        return await self._writer.submit(
            self._writes, lambda session: work(session, *args, **kwargs)
        )

    async def write_locking(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a write as `write` does, on a thread that may wait for other nodes' locks."""
        return await self._locking_writer.submit(
            self._locking, lambda session: work(session, *args, **kwargs)
        )

    def append(self, *rows: LogRow, projections: Sequence[Projection] = ()) -> Awaitable[None]:
        """Write rows of the log, all or none, and return a future that is done after the commit.

        The same commit writes the matches' new `projections`. The future raises as
        `statements.log.append` does.
        """
        alone = rows[0] if len(rows) == 1 and not projections else None
        return self._writer.submit(
            self._moves, lambda session: log.append(session, rows, projections), alone
        )

    async def add_player(self, new: accounts.NewPlayer) -> None:
        """Write a new player; of a crowd many share a commit."""
        await self._writer.submit(
            self._players, lambda session: accounts.add_players(session, [new]), new
        )

    def subscribe(self, callback: Callable[[Sequence[Notice]], None]) -> Callable[[], None]:
        """Call `callback` on the event loop with the notices of all nodes; return its unsubscriber.

        Notices may be lost with the connection. An empty batch means that the listener has
        connected or reconnected.
        """
        loop = asyncio.get_running_loop()

        def receive(notices: Sequence[Notice]) -> None:
            self._latency.on_receive(notices)
            loop.call_soon_threadsafe(callback, notices)

        return self._database.subscribe(receive)

    async def close(self) -> None:
        """Finish the pending writes and release the database.

        The reader closes first: the last connection to an SQLite file removes its write-ahead log,
        which fails if two close at once.
        """
        await self._reader.close()
        await asyncio.gather(*(writer.close() for writer in self._writers))
        self._database.close()

    @property
    def wait(self) -> float:
        """Seconds that the oldest pending request to the store has waited."""
        return max(self._reader.wait, *(writer.wait for writer in self._writers))

    async def check(self) -> int | None:
        """Return the free space of the database's disk in bytes; None if it is another machine's.

        Raises StorageFailed if the schema's revision cannot be read, or if the last lease renewal
        on another machine's disk failed. Raises OSError if the disk cannot be asked.
        """

        def check(session: Session) -> int | None:
            find_revision(session.connection)
            return self._database.find_free_bytes()

        free = await self.read(check)
        if free is None and self._locking_writer.failing:
            raise StorageFailed(Reason.NOT_SAVED)
        return free

    def measure(self) -> StoreMetrics:
        """Return the totals since the store was opened."""
        return StoreMetrics(
            rows=sum(writer.rows for writer in self._writers),
            failures=self._reader.failures + sum(writer.failures for writer in self._writers),
            write=self._writer.delays,
            read=self._reader.delays,
            notify=self._latency.delays,
        )

    def _start_writer(self, name: str, *lanes: Lane) -> DatabaseThread:
        return DatabaseThread(name, self._database, Reason.NOT_SAVED, lanes, self._latency.on_send)
