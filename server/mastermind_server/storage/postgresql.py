"""PostgreSQL, the store of many nodes: sessions with it, and what one node tells the others."""

from __future__ import annotations

import logging
import os
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, ClassVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from mastermind_server import tuning
from mastermind_server.storage.database import Database, DatabaseUnusable, Session, explain
from mastermind_server.storage.news import News, read_news, write_news
from mastermind_server.storage.schema import SchemaUnknown, check_schema, log, migrate

try:
    import psycopg
    from psycopg.pq import TransactionStatus
except ImportError as missing:
    raise DatabaseUnusable(
        "PostgreSQL needs the package psycopg: pip install 'networked-mastermind[postgresql]'"
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from psycopg import Connection
    from psycopg.rows import TupleRow

    from mastermind_server.storage.rows import LogRow

_LOG = logging.getLogger(__name__)
CHANNEL = "mastermind"
_MIGRATION = 0x6D61737465726D  # a lock by this number is held while tables change
_APPEND_TOGETHER = (
    "INSERT INTO log (match, version, at, events, player, request, digest)"
    " SELECT * FROM unnest(%b::varchar[], %b::int[], %b::bigint[], %b::bytea[],"
    " %b::varchar[], %b::bigint[], %b::bytea[])"  # binary: a third of the cost of text
    " AS fresh (match, version, at, events, player, request, digest)"
    " WHERE NOT EXISTS (SELECT 1 FROM chat"
    " WHERE chat.player = fresh.player AND chat.request = fresh.request)"
    " ON CONFLICT DO NOTHING RETURNING match, version"
)
_DIALECT: sa.Dialect = PGDialect_psycopg(paramstyle="format")  # type: ignore[no-untyped-call]
# The last hour's rows are counted by it: it takes some bytes for a megabyte of them, as they come
# in the order of time. SQLite needs none, for it numbers them. It is no part of the schema's module
# as SQLAlchemy would load all of PostgreSQL there, which is a tenth of a server's start.
sa.Index(
    "ix_log_at", log.c.at, postgresql_using="brin", postgresql_with={"autosummarize": "on"}
).ddl_if(dialect="postgresql")


class PostgresSession(Session):
    """A connection to the server of the database. Each statement is a transaction of its own."""

    dialect: ClassVar[sa.Dialect] = _DIALECT
    failures = (sa.exc.SQLAlchemyError, psycopg.Error)
    conflicts = (psycopg.IntegrityError, psycopg.DataError)
    collisions = (
        psycopg.errors.DeadlockDetected,
        psycopg.errors.LockNotAvailable,
        psycopg.errors.SerializationFailure,
    )
    driver: Connection[TupleRow]

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection)
        # Of our own: the driver closes its when it finds it broken, and others may be so numbered.
        self._line = socket.socket(fileno=os.dup(self.driver.fileno()))

    @property
    def broken(self) -> bool:
        """Whether the connection is of no more use: another may be."""
        return self.driver.info.transaction_status is not TransactionStatus.IDLE

    @staticmethod
    def insert(table: sa.Table) -> postgresql.Insert:
        """Return a statement that can say what is to be done ON CONFLICT."""
        return postgresql.insert(table)

    def transaction(self) -> AbstractContextManager[object]:
        """Do all that the block does, or nothing; within another one, that part of it."""
        return self.driver.transaction()

    def append_together(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Append rows by one statement; return which it has not appended, by number.

        Of several for one place the first, for the answer tells no more than a place. And in one
        order on all nodes: those that want the same places wait for each other in no circle.
        """
        first = {(row.match, row.version): n for n, row in reversed(list(enumerate(rows)))}
        fresh = [rows[first[place]] for place in sorted(first)]
        columns = [list(column) for column in zip(*fresh, strict=True)]
        try:
            cursor = self.driver.execute(_APPEND_TOGETHER, columns)
        except UnicodeError:  # before anything is sent
            return range(len(rows))
        if cursor.rowcount == len(rows):
            return ()
        there = {first[place] for place in cursor.fetchall()}
        return [n for n in range(len(rows)) if n not in there]

    def tell(self, news: Iterable[News]) -> None:
        """Tell all nodes what is on disk now: for all that a group has written, at once.

        In a transaction of its own, for others' commits wait for one that tells.
        """
        for text in write_news(news):
            self.driver.execute("SELECT pg_notify(%s, %s)", (CHANNEL, text))

    def take_turns(self, what: str) -> None:
        """Wait until no other transaction takes turns at this, as long as this one lasts."""
        self.driver.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (what,))

    def interrupt(self) -> None:
        """Let what the session waits for fail: a server that is cut off says nothing."""
        with suppress(OSError):  # it is closed already
            self._line.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def patient(self, seconds: float) -> Iterator[None]:
        """Interrupt what the block waits for, if it takes so long."""
        timer = threading.Timer(seconds, self.interrupt)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def close(self) -> None:
        """Let go of the connection: without a rollback, which a lost one cannot do."""
        self.connection.invalidate()
        super().close()
        self._line.close()


class PostgresDatabase(Database):
    """A PostgreSQL database that other nodes have too."""

    shared: ClassVar[bool] = True
    session = PostgresSession
    patience = tuning.DATABASE_SECONDS

    def __init__(self, url: str, *, hurried: bool = True) -> None:
        """Connect to the database with this URL, which must have this version's tables.

        `hurried` is as in `make_engine`. Raises DatabaseUnusable if it cannot be used.
        """
        self._engine = make_engine(url, hurried=hurried)
        try:
            with self._engine.connect() as connection:
                check_schema(connection)
        except (SchemaUnknown, *PostgresSession.failures) as error:
            raise DatabaseUnusable(f"the database cannot be used: {explain(error)}") from error

    def connect(self) -> PostgresSession:
        """Return a new session, for the thread that asks."""
        return PostgresSession(self._engine.connect())

    def listen(self, hear: Callable[[Sequence[News]], None]) -> Callable[[], None]:
        """Hear, on a thread of its own, what nodes tell; return what ends that."""
        return Listener(self, hear).stop

    def find_room(self) -> None:
        """Return None: the disk is another machine's."""

    def close(self) -> None:
        """Let go of the database, once all sessions are out of use."""
        self._engine.dispose()


class Listener:
    """A thread that hears what nodes tell. A connection that is lost is made again."""

    def __init__(self, database: PostgresDatabase, hear: Callable[[Sequence[News]], None]) -> None:
        self._database, self._hear = database, hear
        self._session: PostgresSession | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-listener", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hear no more; what was heard before may still come."""
        self._stopped.set()
        if (session := self._session) is not None:
            session.interrupt()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._listen()
            except Exception as error:  # such as news that nobody can read
                bug = None if isinstance(error, PostgresSession.failures) else error
                if not self._stopped.wait(tuning.RETRY_SECONDS):
                    _LOG.warning("other nodes are not heard: %s", explain(error), exc_info=bug)

    def _listen(self) -> None:
        session = self._session = self._database.connect()
        try:
            with session.patient(tuning.LISTEN_SECONDS):
                session.driver.execute(f"LISTEN {CHANNEL}")
            self._hear(())  # what was told before, nobody heard
            while not self._stopped.is_set():
                for notice in session.driver.notifies(timeout=tuning.LISTEN_SECONDS):
                    self._hear(read_news(notice.payload))
                with session.patient(tuning.LISTEN_SECONDS):  # it may be cut without a word
                    session.driver.execute("SELECT 1")
        finally:
            self._session = None
            session.close()


def migrate_database(url: str) -> None:
    """Bring a database up to this version's tables; raises DatabaseUnusable."""
    engine = make_engine(url, hurried=False).execution_options(isolation_level="READ COMMITTED")
    try:
        with engine.begin() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION)))
            migrate(connection)
    except (SchemaUnknown, *PostgresSession.failures) as error:
        raise DatabaseUnusable(f"the database cannot be used: {explain(error)}") from error


def make_engine(url: str, *, hurried: bool = True) -> sa.Engine:
    """Return what connects to the database with a postgresql:// URL. Raises DatabaseUnusable.

    Unless it is `hurried`, as nodes are, it waits for others, and for whoever uses it.
    """
    try:
        parsed = sa.make_url(url).set(drivername="postgresql+psycopg")
    except (sa.exc.ArgumentError, ValueError) as error:
        raise DatabaseUnusable("that is no URL of a database: postgresql://...") from error
    return sa.create_engine(
        parsed,
        hide_parameters=True,  # of what failed, in the log
        poolclass=sa.pool.NullPool,
        pool_reset_on_return=None,  # one that broke cannot be reset
        isolation_level="AUTOCOMMIT",
        connect_args={
            "connect_timeout": tuning.CONNECT_SECONDS,
            "application_name": "mastermind",
            "options": f"{parsed.query.get('options', '')} {_write_settings(hurried=hurried)}",
        },
    )


def _write_settings(*, hurried: bool) -> str:
    """Return the settings of our sessions, whatever the database's owner has set for others.

    What is acknowledged is on disk; and what a node that is cut off has begun keeps no other from
    its matches.
    """
    lock, transaction = (tuning.LOCK_SECONDS, tuning.TRANSACTION_SECONDS) if hurried else (0, 0)
    settings = {
        "synchronous_commit": "on",
        "default_transaction_isolation": r"read\ committed",
        "lock_timeout": f"{lock * 1000:.0f}",
        "idle_in_transaction_session_timeout": f"{transaction * 1000:.0f}",
    }
    return " ".join(f"-c {name}={value}" for name, value in settings.items())
