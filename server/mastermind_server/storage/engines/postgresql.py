"""PostgreSQL, a database for several nodes: sessions, and the listener for notices."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.storage.engines.database import Database, DatabaseUnusable, Session
from mastermind_server.storage.engines.listener import Listener, name_channel
from mastermind_server.storage.engines.postgresql_engine import (
    DIALECT,
    POOLER_ADVICE,
    Hosts,
    build_parameters,
    find_host,
    make_engine,
)
from mastermind_server.storage.epochs import make_epoch
from mastermind_server.storage.notices import Interests, Notice, encode_notices
from mastermind_server.storage.revisions import SchemaUnknown, check_schema, migrate
from mastermind_server.storage.schema import log

try:
    import psycopg
    from psycopg import AsyncConnection
    from psycopg.pq import TransactionStatus
except ImportError as missing:
    raise DatabaseUnusable(
        "PostgreSQL needs the package psycopg: pip install 'networked-mastermind[postgresql]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from psycopg import Connection
    from psycopg.rows import TupleRow

    from mastermind_server.storage.rows import LogRow

_LOG = logging.getLogger(__name__)
_MIGRATION_LOCK_ID = 0x6D61737465726D  # the number of the advisory lock during a migration
_INSERT_LOG = (
    "INSERT INTO log (match, version, at, events, player, request, digest)"
    " SELECT * FROM unnest(%b::varchar[], %b::int[], %b::bigint[], %b::bytea[],"
    " %b::varchar[], %b::bigint[], %b::bytea[])"  # binary costs a third of text
    " AS fresh (match, version, at, events, player, request, digest)"
    " WHERE NOT EXISTS (SELECT 1 FROM chat"
    " WHERE chat.player = fresh.player AND chat.request = fresh.request)"
    " AND (fresh.version = 1 OR EXISTS (SELECT 1 FROM log AS earlier"
    " WHERE earlier.match = fresh.match AND earlier.version = fresh.version - 1))"
    " ON CONFLICT DO NOTHING RETURNING match, version"
)
_NOTIFY = (
    "SELECT pg_notify(channel, text)"
    " FROM unnest(%s::varchar[], %s::varchar[]) AS fresh (channel, text)"
)
_READ_EPOCH = (  # fails during recovery, when nothing can be written either
    "SELECT system_identifier,"
    " substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),"  # the timeline: a promotion begins one
    " (SELECT oid FROM pg_database WHERE datname = current_database())"  # new if restored
    " FROM pg_control_system()"
)
# A commit with WAL, so it waits for a synchronous standby as a move does. It needs no table.
_WAIT_FOR_STANDBY = "SELECT pg_logical_emit_message(true, 'mastermind', '')"
# For the count of the last hour's rows. A BRIN index is tiny, because rows arrive in order of time.
# SQLite needs no index, because it numbers its rows. The index is not in `schema`, because
# SQLAlchemy would then load its PostgreSQL dialect, which is a tenth of a server's start.
sa.Index(
    "ix_log_at", log.c.at, postgresql_using="brin", postgresql_with={"autosummarize": "on"}
).ddl_if(dialect="postgresql")
DATABASE_TIMEOUT_SECONDS = 5.0  # until a group of writes or reads fails
NODE_CONNECTIONS = 5  # of four database threads and the listener
_ADVICE = {  # PostgreSQL gives connection errors no code; in other languages there is no advice
    "too many (clients|connections)|connection slots": f"a node needs {NODE_CONNECTIONS}"
    " connections and a command 1: raise max_connections, or the limit of this role or database",
    "unsupported startup parameter|pooling mode": POOLER_ADVICE,
    'database ".*" does not exist': "create it, and run mastermind-server migrate",
    "permission denied for": "use the role that owns the database and runs mastermind-server"
    " migrate",
    "password authentication failed|no password supplied": "MASTERMIND_STORE_PASSWORD_FILE names"
    " the file with the password",
    "no pg_hba.conf entry": "let this host and user in by pg_hba.conf; ?sslmode=require at the"
    " end of the URL asks for TLS",
    "during recovery|recovery is in progress|session is read-only|read-only transaction": "a"
    " standby or a read-only database cannot be used: name the primary",
}
_HOST_FAILURES = re.compile(r"^- host: '(.*?)'.*: (.*)$", re.MULTILINE)  # psycopg's, of several
CLOSING_READS = 3  # of an error, and of the end of data


class PostgresSession(Session):
    """A connection to PostgreSQL, in autocommit mode outside `transaction`."""

    shared = True
    dialect: ClassVar[sa.Dialect] = DIALECT
    database_errors = (sa.exc.SQLAlchemyError, psycopg.Error)
    write_errors = (psycopg.IntegrityError, psycopg.DataError)
    concurrency_errors = (
        psycopg.errors.DeadlockDetected,
        psycopg.errors.LockNotAvailable,
        psycopg.errors.SerializationFailure,
    )
    read_only_errors = (psycopg.errors.ReadOnlySqlTransaction,)
    begin_snapshot_sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    advice: ClassVar[Mapping[str, str]] = _ADVICE
    driver: Connection[TupleRow]

    def __init__(self, connection: sa.Connection, hosts: Hosts | None = None) -> None:
        """Take over a connection to one of `hosts`, which is postponed if it fails."""
        super().__init__(connection)
        self._hosts, self.host = hosts, find_host(self.driver)
        # A copy of the driver's descriptor: the driver closes the original when the connection
        # breaks, and its number may then belong to another socket.
        self._socket = socket.socket(fileno=os.dup(self.driver.fileno()))

    @property
    def broken(self) -> bool:
        """Whether the connection is lost, still in a transaction, or to a read-only server."""
        idle = self.driver.info.transaction_status is TransactionStatus.IDLE
        return self.read_only or not idle

    def wait_for_standby(self) -> None:
        """Return when the synchronous standby, if there is one, has all rows that can be read.

        A primary that crashes while a commit waits for its standby shows the rows of this commit
        after its restart, when no standby may have them: a node that repeated the answer to their
        request would acknowledge what the next failover loses.
        """
        self.driver.execute(_WAIT_FOR_STANDBY)

    def read_epoch(self) -> str:
        """Return the epoch of the database's history. Fails on a standby."""
        return make_epoch(*(self.driver.execute(_READ_EPOCH).fetchone() or ()))

    def detect_disconnection(self) -> None:
        """Read the socket if it has data: a closed connection has an error or the end of data.

        This takes microseconds, and nothing is sent.
        """
        for _ in range(CLOSING_READS):
            try:
                self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            except BlockingIOError:  # no data: the connection is idle
                return
            except OSError:
                _LOG.debug("a connection to PostgreSQL was reset")
            with suppress(psycopg.OperationalError):  # the connection is then broken
                self.driver.pgconn.consume_input()

    @staticmethod
    def insert(table: sa.Table) -> postgresql.Insert:
        """Return an INSERT into `table` that supports ON CONFLICT."""
        return postgresql.insert(table)

    def begin(self) -> AbstractContextManager[object]:
        """Return a context manager: a transaction, or a savepoint within a transaction."""
        return self.driver.transaction()

    def insert_log(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Insert log rows by one statement. Return the indices in `rows` of the rejected rows.

        Of rows with the same (match, version), only the first is tried, because the statement
        reports conflicts by this key. Of consecutive rows of a match, only the first is inserted,
        because the statement does not see its own rows. Rows are sorted, so that concurrent writers
        lock them in the same order and cannot deadlock.
        """
        first = {(row.match, row.version): n for n, row in reversed(list(enumerate(rows)))}
        fresh = [rows[first[key]] for key in sorted(first)]
        columns = [list(column) for column in zip(*fresh, strict=True)]
        try:
            cursor = self.driver.execute(_INSERT_LOG, columns)
        except UnicodeError:  # raised before anything is sent
            return range(len(rows))
        if cursor.rowcount == len(rows):
            return ()
        inserted = {first[key] for key in cursor.fetchall()}
        return [n for n in range(len(rows)) if n not in inserted]

    def notify(self, notices: Iterable[Notice]) -> None:
        """Send `notices` to all nodes."""
        parts, texts = zip(*encode_notices(notices), strict=True)
        self.driver.execute(_NOTIFY, ([name_channel(part) for part in parts], list(texts)))

    def advisory_lock(self, name: str) -> None:
        """Acquire the lock `name`, which all nodes share, until the transaction ends."""
        self.driver.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (name,))

    @classmethod
    def explain(cls, error: Exception) -> str:
        """Return the summary of an error, of all hosts if none can be used, with advice."""
        if failures := _HOST_FAILURES.findall(str(error)):
            error = psycopg.OperationalError(", ".join(map(": ".join, failures)))
        return super().explain(error)

    def interrupt(self) -> None:
        """Make the running statement fail, even if PostgreSQL cannot be reached."""
        with suppress(OSError):  # closed already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection without a rollback, which would fail on a lost connection."""
        if self._hosts is not None and self.broken:
            self._hosts.postpone(self.host)
        self.connection.invalidate()
        super().close()
        self._socket.close()


class PostgresDatabase(Database):
    """A PostgreSQL database, which several nodes may use."""

    session = PostgresSession
    timeout = DATABASE_TIMEOUT_SECONDS

    def __init__(self, url: str, *, timeouts: bool = True) -> None:
        """Connect to the database at `url`, and check that it has this version's tables.

        Without `timeouts`, waits for locks and idle transactions have no limit. Raises
        DatabaseUnusable.
        """
        self._engine = make_engine(url, timeouts=timeouts)
        self._hosts = Hosts(self._engine.url)
        sa.event.listen(self._engine, "do_connect", self._order_hosts)
        try:
            with closing(self.connect()) as session:
                check_schema(session.connection)
                self.epoch = session.read_epoch()
        except (SchemaUnknown, *PostgresSession.database_errors) as error:
            raise _make_unusable(error) from error

    def connect(self) -> PostgresSession:
        """Return a new session for the calling thread."""
        session = PostgresSession(self._engine.connect(), self._hosts)
        self._hosts.prefer(session.host)
        return session

    def _order_hosts(self, _dialect: object, _record: object, _: object, parameters: Any) -> None:
        parameters |= self._hosts.parameters

    async def listen(
        self, interests: Interests, callback: Callable[[Sequence[Notice]], None]
    ) -> None:
        """Call `callback` with notices of all nodes, until cancelled. Reconnects if necessary."""
        while True:
            try:
                await self._listen_once(interests, callback)
            except Exception as error:  # such as a malformed notice
                bug = None if isinstance(error, psycopg.Error) else error
                _LOG.warning(
                    "no notices from other nodes: %s", PostgresSession.explain(error), exc_info=bug
                )
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen_once(
        self, interests: Interests, callback: Callable[[Sequence[Notice]], None]
    ) -> None:
        parameters = build_parameters(self._engine.url, timeouts=True) | self._hosts.parameters
        connection = await AsyncConnection.connect(autocommit=True, **parameters)
        try:
            host = find_host(connection)
            await Listener(connection, interests, callback).run(
                lambda: host == self._hosts.first or not self._hosts.parameters
            )
        finally:
            await connection.close()

    def read_free_disk_bytes(self) -> None:
        """Return None, because another machine may have the disk."""

    def close(self) -> None:
        """Close the database. The caller has closed all sessions."""
        self._engine.dispose()


def connect(url: str) -> PostgresSession:
    """Return a session of the database at `url`, with tables of any revision.

    Raises DatabaseUnusable.
    """
    try:
        return PostgresSession(make_engine(url).connect())
    except PostgresSession.database_errors as error:
        raise _make_unusable(error) from error


def migrate_database(url: str) -> None:
    """Migrate the database at `url` to this version's tables. Raises DatabaseUnusable."""
    engine = make_engine(url, timeouts=False).execution_options(isolation_level="READ COMMITTED")
    try:
        with engine.begin() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK_ID)))
            migrate(connection)
    except (SchemaUnknown, *PostgresSession.database_errors) as error:
        raise _make_unusable(error) from error


def _make_unusable(error: Exception) -> DatabaseUnusable:
    return DatabaseUnusable(f"the database cannot be used: {PostgresSession.explain(error)}")
