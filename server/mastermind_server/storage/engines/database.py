"""The base classes of databases and their sessions, for SQLite and PostgreSQL.

Both have the same tables. SQLAlchemy compiles frequent statements once, and the bare driver runs
them, because running them through SQLAlchemy would be most of their cost.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy.dialects import postgresql, sqlite
    from sqlalchemy.engine import Connection

    from mastermind_server.storage.notices import Interests, Notice
    from mastermind_server.storage.rows import LogRow


class DatabaseUnusable(OSError):
    """The database cannot be used: it is unreachable, of another program or of another version."""


class DatabaseLocked(DatabaseUnusable):
    """Another server process has locked this SQLite file."""


class Cursor(Protocol):
    """The result of a statement. `rowcount` is the number of changed rows."""

    rowcount: int

    def fetchall(self) -> list[Any]:
        """Return all remaining rows."""
        ...

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows."""
        ...


class Session(ABC):
    """A database connection of one thread.

    `connection` is SQLAlchemy's connection, and `driver` the driver's own. Outside `transaction`
    each statement commits by itself. Functions append to `notices` if they change rows that other
    nodes keep in memory. The thread sends the notices after the commit. `epoch` is empty until the
    thread has read it. `last_row` is the last log row of a commit, or of the running transaction.
    """

    shared: ClassVar[bool]  # whether other nodes may use the same database
    dialect: ClassVar[sa.Dialect]
    database_errors: ClassVar[
        tuple[type[Exception], ...]
    ]  # all exceptions of SQLAlchemy and the driver
    write_errors: ClassVar[tuple[type[Exception], ...]]  # by one invalid write
    concurrency_errors: ClassVar[tuple[type[Exception], ...]] = ()  # by concurrent transactions
    read_only_errors: ClassVar[tuple[type[Exception], ...]] = ()  # of a demoted primary
    begin_snapshot_sql: ClassVar[str]  # begins a transaction that reads one state
    advice: ClassVar[Mapping[str, str]] = {}  # by patterns of error messages; see `explain`

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.driver: Any = connection.connection.driver_connection
        self.notices: list[Notice] = []
        self.epoch = ""
        self.last_row: LogRow | None = None
        self.read_only = False

    @property
    @abstractmethod
    def broken(self) -> bool:
        """Whether the session is unusable: its connection is lost, or it is `read_only`."""

    @abstractmethod
    def read_epoch(self) -> str:
        """Return the epoch of the database's history. Raises one of `database_errors`."""

    @abstractmethod
    def wait_for_standby(self) -> None:
        """Return when all rows that the session can read would survive a failover.

        Raises one of `database_errors`.
        """

    def note_error(self, error: Exception) -> None:
        """Set `read_only` if `error`, the error of a job, is one of `read_only_errors`."""
        cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
        self.read_only |= isinstance(cause, self.read_only_errors)

    @abstractmethod
    def detect_disconnection(self) -> None:
        """Make the session `broken` if the database has closed its idle connection."""

    @staticmethod
    @abstractmethod
    def insert(table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """Return an INSERT into `table` that supports ON CONFLICT."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes of the block. If the block raises, drop its changes and notices.

        Within another transaction the block is a savepoint.
        """
        count, last_row = len(self.notices), self.last_row
        try:
            with self.begin():
                yield
        except BaseException:
            del self.notices[count:]
            self.last_row = last_row
            raise

    @abstractmethod
    def begin(self) -> AbstractContextManager[object]:
        """Return a transaction, or a savepoint within a transaction, as a context manager."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run all reads of the block on the same state of the database. Locks nothing.

        The block must not write. Between two reads it must not wait for longer than a second.
        """
        self.driver.execute(self.begin_snapshot_sql)
        try:
            yield
        finally:
            self.driver.execute("ROLLBACK")

    @abstractmethod
    def insert_log(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Insert log rows by one statement. Return the indices in `rows` of the rejected rows."""

    @abstractmethod
    def notify(self, notices: Iterable[Notice]) -> None:
        """Send `notices` to all nodes, including this one."""

    @abstractmethod
    def advisory_lock(self, name: str) -> None:
        """Acquire the lock `name`, which all nodes share, until the transaction ends."""

    def run(self, statement: sa.ClauseElement, values: Mapping[str, Any]) -> Cursor:
        """Run `statement` by the driver. `values` maps names of its parameters to values."""
        text, names = compile_statement(self.dialect, statement)
        cursor: Cursor = self.driver.execute(text, [values[name] for name in names])
        return cursor

    @classmethod
    def explain(cls, error: Exception) -> str:
        """Return the summary of an error, with advice for operators if `advice` has some."""
        text = summarize_error(error)
        found = (each for pattern, each in cls.advice.items() if re.search(pattern, text))
        return "; ".join([text, *found])

    @abstractmethod
    def interrupt(self) -> None:
        """Make the running statement of the session's thread fail. Called from another thread."""

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


class Database(ABC):
    """Opens sessions of type `session`.

    `epoch` is the epoch of its history when it was opened.
    """

    session: ClassVar[type[Session]]
    timeout: ClassVar[float | None] = None  # seconds until a group of jobs fails
    epoch: str

    @property
    def shared(self) -> bool:
        """Whether other nodes may use the same database."""
        return self.session.shared

    @abstractmethod
    def connect(self) -> Session:
        """Return a new session for the calling thread."""

    @abstractmethod
    async def listen(
        self, interests: Interests, callback: Callable[[Sequence[Notice]], None]
    ) -> None:
        """Call `callback` with the notices that nodes send, until cancelled.

        Of matches, only those arrive whose parts are in `interests`.

        The callback gets an empty sequence after each connect, because earlier notices may be lost.
        Returns at once if the database is not shared.
        """

    @abstractmethod
    def read_free_disk_bytes(self) -> int | None:
        """Return the free bytes of the database's disk; None if it may be another machine's disk.

        Raises OSError.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the database. The caller has closed all sessions."""


@cache
def compile_statement(
    dialect: sa.Dialect, statement: sa.ClauseElement
) -> tuple[str, tuple[str, ...]]:
    """Return the SQL of `statement` in `dialect`, and the ordered names of its bind parameters."""
    compiled = cast("sa.sql.compiler.SQLCompiler", statement.compile(dialect=dialect))
    return str(compiled), tuple(compiled.positiontup or ())


def summarize_error(error: Exception) -> str:
    """Return the first line of the error's message, without the numbers of system errors.

    Later lines may contain secret values. An error without a message, such as a MemoryError, is
    returned as its `repr`.
    """
    if isinstance(error, sa.exc.DBAPIError):
        error = error.orig if isinstance(error.orig, Exception) else error
    text = (isinstance(error, OSError) and error.strerror) or str(error).strip() or repr(error)
    return re.sub(r"\[Errno -?\d+\] ", "", text.partition("\n")[0])
