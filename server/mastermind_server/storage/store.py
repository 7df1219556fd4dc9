"""The store of a node: its database threads and their lanes. Also opens databases for commands.

One thread writes. One runs queries for clients, such as pages of the leaderboard. Another one runs
lookups of few rows, which matches, clocks, leases and operators need: no slow query of a client can
delay or interrupt these. On PostgreSQL one more thread runs writes that wait for locks across all
nodes, because moves must never queue behind these locks.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from enum import Enum, auto
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from mastermind_protocol.errors import Reason
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.monitoring.overload import Queue
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.sqlite import SqliteFile, connect_file
from mastermind_server.storage.epochs import Epochs
from mastermind_server.storage.lanes import Lane
from mastermind_server.storage.notices import Interests, NotifyLatency
from mastermind_server.storage.revisions import find_revision
from mastermind_server.storage.statements import accounts, log, ratings
from mastermind_server.storage.statements.standbys import Standbys, read_standbys
from mastermind_server.storage.threads import DatabaseThread, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from mastermind_server.monitoring.usage import Histogram
    from mastermind_server.storage.conditions import Condition
    from mastermind_server.storage.engines.database import Database, Session
    from mastermind_server.storage.notices import Notice
    from mastermind_server.storage.rating_rows import NameClaim, RatingRow
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow


class SessionMode(Enum):
    """How a command uses a database.

    READ        Servers may use the database, too. Tables of any revision are accepted.
    WRITE       Servers may use the database, too. In a SQLite file, their moves wait for each
                transaction, so transactions must be short. Fails for another revision.
    EXCLUSIVE   SQLite: fails if a server uses the file, and migrates older tables.
                PostgreSQL: the same as WRITE.
    """

    READ = auto()
    WRITE = auto()
    EXCLUSIVE = auto()


@contextmanager
def open_session(location: Path | str, mode: SessionMode) -> Iterator[Session]:
    """Yield a session of an existing SQLite file, or of a PostgreSQL database by its URL.

    Raises DatabaseLocked if `mode` is EXCLUSIVE and a server uses the file. Raises DatabaseUnusable
    if the database cannot be opened, or if a statement of the block fails.
    """
    name = location if isinstance(location, Path) else "the database"
    with ExitStack() as stack:
        session = _connect(location, mode, stack)
        stack.callback(session.close)
        try:
            yield session
        except session.database_errors as error:
            raise DatabaseUnusable(f"{name} cannot be used: {session.explain(error)}") from error


def open_database(location: Path | str, *, timeouts: bool = True) -> Database:
    """Open or create a SQLite file, or open a PostgreSQL database by its URL.

    Without `timeouts`, PostgreSQL waits for locks without a limit. Raises DatabaseLocked if another
    server uses the file, and DatabaseUnusable for other errors.
    """
    if isinstance(location, Path):
        return SqliteFile(location)
    # Its driver is an extra.
    from mastermind_server.storage.engines.postgresql import PostgresDatabase

    return PostgresDatabase(location, timeouts=timeouts)


def _connect(location: Path | str, mode: SessionMode, stack: ExitStack) -> Session:
    if isinstance(location, Path) and mode is not SessionMode.EXCLUSIVE:
        return connect_file(location, read_only=mode is SessionMode.READ)
    if isinstance(location, Path) and not location.exists():
        raise DatabaseUnusable(f"{location} cannot be used: there is no such file")
    if isinstance(location, str) and mode is SessionMode.READ:
        from mastermind_server.storage.engines.postgresql import connect  # its driver is an extra

        return connect(location)
    database = open_database(location, timeouts=False)
    stack.callback(database.close)
    return database.connect()


P = ParamSpec("P")
T = TypeVar("T")

MOVES_PER_COMMIT = 256  # bounds the time of a transaction
MOVES_COMMIT_INTERVAL_SECONDS = 0.008  # seconds: at 500 moves a second, four share a disk sync
ENOUGH_MOVES = 8  # for a commit: twice as many need as much CPU each, and wait 4 ms longer
WRITES_PER_COMMIT = 2  # such as chat lines, which delay a move by up to 3 ms
NEW_PLAYERS_PER_COMMIT = 32  # take some 2 ms
NEW_PLAYERS_COMMIT_INTERVAL_SECONDS = (
    0.05  # seconds: 640 new players a second, three times the limit `handshakes`
)
READS_PER_GROUP = 32  # take some 2 ms; the results of a group are returned together


query_seconds: ContextVar[float] = ContextVar("query_seconds", default=0.0)
"""The running time, in seconds, of the current asyncio task's queries by `Store.read`.

Waiting in the queue, and the queries of others, do not count.
"""


class StoreMetrics(NamedTuple):
    """Totals since the store was opened: written log rows, failed jobs, and rated matches.

    The histograms `write`, `read` and `lookup` have the delays of jobs (see `DatabaseThread`).
    `notify` has the times from a commit until this node receives its notice.
    """

    rows: int
    failures: int
    write: Histogram
    read: Histogram
    lookup: Histogram
    notify: Histogram
    rated_matches: int


class Store:
    """Reads and writes a database. Use `Store.open` to create a store on a running event loop.

    Functions of `storage.statements` take a session as their first argument, which `read` and
    `write` supply. All methods raise StorageFailed if the database fails or is overloaded, or if
    its history has changed during the call: `epochs` has then adopted the new epoch. `read`
    measures queries by `timer`, in seconds. `standbys` is the last result of `refresh_standbys`.
    """

    def __init__(self, database: Database) -> None:
        self.timer: Callable[[], float] = perf_counter
        self.standbys: Standbys | None = None
        self._database = database
        self.epochs = Epochs(database.epoch)
        self.interests = Interests()
        self._latency = NotifyLatency()
        self._rated_matches = 0  # stored by `append_rated`
        self._moves = Lane(
            MOVES_PER_COMMIT,
            MOVES_COMMIT_INTERVAL_SECONDS,
            log.append_many,
            enough_jobs=ENOUGH_MOVES,
        )
        self._players = Lane(
            NEW_PLAYERS_PER_COMMIT, NEW_PLAYERS_COMMIT_INTERVAL_SECONDS, accounts.add_players
        )
        self._writes = Lane(WRITES_PER_COMMIT)
        self._reads = Lane(READS_PER_GROUP, atomic=False)
        self._locking = Lane(1) if database.shared else self._writes
        self._lookups = Lane(READS_PER_GROUP, atomic=False)
        self._reader = self._start_reader("store-reader", self._reads)
        self._looker = self._start_reader("store-lookups", self._lookups)
        self._writer = self._start_writer("store-writer", self._moves, self._writes, self._players)
        self._locking_writer = (
            self._start_writer("store-locking-writer", self._locking)
            if database.shared
            else self._writer
        )
        self._writers = {self._writer, self._locking_writer}
        self._queues = {
            Queue.READS: (self._reader, self._reads),
            Queue.LOOKUPS: (self._looker, self._lookups),
            Queue.MOVES: (self._writer, self._moves),
            Queue.WRITES: (self._writer, self._writes),
            Queue.NEW_PLAYERS: (self._writer, self._players),
            Queue.LOCKING_WRITES: (self._locking_writer, self._locking),
        }

    @classmethod
    async def open(cls, location: Path | str) -> Store:
        """Return the store of a SQLite file, created if missing, or of a PostgreSQL URL.

        Raises DatabaseLocked if another server uses the file, and DatabaseUnusable for other
        errors.
        """
        return cls(await asyncio.to_thread(open_database, location))

    @property
    def shared(self) -> bool:
        """Whether other nodes may use the same database."""
        return self._database.shared

    @property
    def epoch(self) -> str:
        """The epoch of the store's history. Calls that begin now fail if the store has another."""
        return self.epochs.current

    def check_epoch(self, epoch: str) -> None:
        """Raise StorageFailed if `epoch` is not that of the store.

        Must be called before a read or write that depends on rows that were read earlier, with the
        epoch of these rows, in the same iteration of the event loop.
        """
        if epoch != self.epochs.current:
            raise StorageFailed(Reason.NOT_SAVED, retry_after=RETRY_SECONDS)

    def take_earlier_rows(self) -> list[LogRow]:
        """Return the last log rows that this node wrote in earlier epochs, one of each thread.

        A history that has these rows has all rows that this node wrote before. The next call
        returns none of them.
        """
        return [
            writer.last_rows.pop(epoch)
            for writer in self._writers
            for epoch in list(writer.last_rows)
            if epoch != self.epoch
        ]

    async def read(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of `query`, which is called with a session and these arguments.

        Adds the running time to `query_seconds`, also if the query fails or is interrupted.
        """
        times: list[float] = []  # of the start and the end

        def run(session: Session) -> T:
            times.append(self.timer())
            try:
                return query(session, *args, **kwargs)
            finally:
                times.append(self.timer())

        try:
            return await self._reader.submit(self._reads, run)
        finally:
            if times:
                started, ended = (*times, self.timer())[:2]  # it may still run
                query_seconds.set(query_seconds.get() + ended - started)

    async def look_up(
        self, query: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of `query` like `read`, but never wait for a query of `read`.

        `query` must read a limited number of rows by an index, so that it takes milliseconds.
        """
        return await self._looker.submit(
            self._lookups, lambda session: query(session, *args, **kwargs)
        )

    async def write(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work`, a short write, in a transaction. Return its result after the commit.

        `work` is called with a session and these arguments. If `work` raises, it must have changed
        nothing, and `write` raises the same exception.
        """
        return await self._writer.submit(
            self._writes, lambda session: work(session, *args, **kwargs)
        )

    async def write_locking(
        self, work: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work` like `write`, on a thread whose jobs may wait for row locks of other nodes."""
        return await self._locking_writer.submit(
            self._locking, lambda session: work(session, *args, **kwargs)
        )

    def append(
        self,
        *rows: LogRow,
        projections: Sequence[Projection] = (),
        conditions: Sequence[Condition] = (),
    ) -> Awaitable[None]:
        """Write rows of the log and `projections` in one commit, all or none.

        The returned future is done after the commit. It raises RowTaken or ReusedId if
        `statements.log.append` rejects a row, ConditionFailed, and DayNotOpen. Only a write with
        `conditions` may wait for locks of other nodes; the end of a try waits at most for the
        statement that reveals its code.
        """
        if conditions:
            return self.write_locking(log.append, rows, projections, conditions)
        alone = rows[0] if len(rows) == 1 and not projections else None
        return self._writer.submit(
            self._moves, lambda session: log.append(session, rows, projections), alone
        )

    async def append_rated(
        self,
        row: LogRow,
        projections: Sequence[Projection],
        rated: Sequence[RatingRow],
        claims: Sequence[NameClaim],
    ) -> None:
        """Write the last log row of a rated match with its projections, ratings and name claims.

        All rows are in one commit. Raises RatingsChanged, RowTaken or ReusedId, and then writes
        nothing (see `statements.ratings.append_rated`).
        """
        await self.write_locking(ratings.append_rated, [row], projections, rated, claims)
        self._rated_matches += 1

    async def add_player(self, new: accounts.NewPlayer) -> None:
        """Write a new player. Concurrent calls share a commit."""
        await self._writer.submit(
            self._players, lambda session: accounts.add_players(session, [new]), new
        )

    async def listen(self, callback: Callable[[Sequence[Notice]], None]) -> None:
        """Call `callback` with the notices that nodes send, until cancelled.

        Of matches, only those arrive whose parts are in `interests`. The callback gets an empty
        sequence after each connect, because earlier notices may be lost.
        """

        def receive(notices: Sequence[Notice]) -> None:
            self._latency.stop_timing(notices)
            callback(notices)

        await self._database.listen(self.interests, receive)

    async def close(self) -> None:
        """Finish the pending jobs and close the database.

        The readers close first, one by one: the last connection to a SQLite file removes its
        write-ahead log, which fails if two connections close at once.
        """
        await self._reader.close()
        await self._looker.close()
        await asyncio.gather(*(writer.close() for writer in self._writers))
        self._database.close()

    def measure_waits(self) -> dict[Queue, float]:
        """Return the time that the oldest unfinished job of each queue has waited, in seconds.

        It is 0 for a queue without jobs.
        """
        return {queue: thread.measure_wait(lane) for queue, (thread, lane) in self._queues.items()}

    async def check_health(self) -> int | None:
        """Return the free bytes of the database's disk; None if it may be another machine's disk.

        Raises StorageFailed if a query fails, if the last locking write to PostgreSQL failed, or if
        the last move failed and no write can begin.
        Raises OSError if the free space cannot be read.
        """

        def check(session: Session) -> int | None:
            find_revision(session.connection)
            return self._database.read_free_disk_bytes()

        free = await self.look_up(check)
        if free is None and (cause := self._locking_writer.last_cause) is not None:
            raise StorageFailed(Reason.NOT_SAVED, cause=cause)
        if self._writer.last_cause is not None:  # while clients stay away, no move tries again
            await self.write(lambda _: None)
        return free

    async def refresh_standbys(self) -> None:
        """Read `standbys`, which are None for a SQLite file and while the database fails."""
        self.standbys = None
        if self.shared:
            with suppress(StorageFailed):
                self.standbys = await self.look_up(read_standbys)

    def measure(self) -> StoreMetrics:
        """Return the totals since the store was opened."""
        return StoreMetrics(
            rows=sum(writer.rows for writer in self._writers),
            failures=sum(
                thread.failures for thread in {self._reader, self._looker, *self._writers}
            ),
            write=self._writer.delays,
            read=self._reader.delays,
            lookup=self._looker.delays,
            notify=self._latency.delays,
            rated_matches=self._rated_matches,
        )

    def _start_reader(self, name: str, lane: Lane) -> DatabaseThread:
        return DatabaseThread(name, self._database, self.epochs, Reason.NOT_READ, [lane])

    def _start_writer(self, name: str, *lanes: Lane) -> DatabaseThread:
        failure, on_notices = Reason.NOT_SAVED, self._latency.start_timing
        return DatabaseThread(name, self._database, self.epochs, failure, lanes, on_notices)
