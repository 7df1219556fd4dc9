"""The interfaces of a database and of a thread's session, for SQLite and PostgreSQL.

Both have the same tables. Frequent statements are compiled once by SQLAlchemy and run by the bare
driver: compiling or running them through SQLAlchemy would be most of their cost.
"""

from __future__ import annotations

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

    from mastermind_server.storage.notices import Notice
    from mastermind_server.storage.rows import LogRow


class DatabaseUnusable(OSError):
    """The database cannot be opened, is not a database, or has another schema version."""


class DatabaseLocked(DatabaseUnusable):
    """Another server process has this SQLite file."""


class Cursor(Protocol):
    """The result of a statement."""

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
    """One thread's connection, through SQLAlchemy and through the bare driver.

    Outside `transaction` each statement commits by itself. A statement function that changes what
    other nodes show appends to `notices`; the thread sends these after the commit.
    """

    dialect: ClassVar[sa.Dialect]
    failures: ClassVar[tuple[type[Exception], ...]]  # of the driver
    conflicts: ClassVar[tuple[type[Exception], ...]]  # of these, the fault of one write
    collisions: ClassVar[tuple[type[Exception], ...]] = ()  # with a concurrent transaction

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.driver: Any = connection.connection.driver_connection
        self.notices: list[Notice] = []

    @property
    @abstractmethod
    def broken(self) -> bool:
        """Whether the connection is lost; a new one may work."""

    @staticmethod
    @abstractmethod
    def insert(table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """Return an INSERT of this dialect, which supports ON CONFLICT."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes of the block, or none, and keep its notices only if it commits.

        Within another transaction it is a savepoint.
        """
        count = len(self.notices)
        try:
            with self.begin():
                yield
        except BaseException:
            del self.notices[count:]
            raise

    @abstractmethod
    def begin(self) -> AbstractContextManager[object]:
        """Begin a transaction or a savepoint of the driver."""

    @abstractmethod
    def insert_log(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Insert rows of the log by one statement; return the positions of the rejected rows."""

    @abstractmethod
    def notify(self, notices: Iterable[Notice]) -> None:
        """Send notices to all nodes."""

    @abstractmethod
    def advisory_lock(self, name: str) -> None:
        """Acquire a lock of this name, across all nodes, until the transaction ends."""

    def run(self, statement: sa.ClauseElement, values: Mapping[str, Any]) -> Cursor:
        """Run a statement by the driver, with values for its bind parameters."""
        text, names = compile_statement(self.dialect, statement)
        cursor: Cursor = self.driver.execute(text, [values[name] for name in names])
        return cursor

    @abstractmethod
    def interrupt(self) -> None:
        """Make the running statement fail; called by another thread."""

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


class Database(ABC):
    """Opens sessions. `shared` is whether other nodes may use the same database."""

    shared: ClassVar[bool]
    session: ClassVar[type[Session]]
    timeout: ClassVar[float | None] = None  # seconds for a group of jobs

    @abstractmethod
    def connect(self) -> Session:
        """Return a new session for the calling thread."""

    @abstractmethod
    def subscribe(self, callback: Callable[[Sequence[Notice]], None]) -> Callable[[], None]:
        """Call `callback` on a thread with the notices of all nodes; return its unsubscriber."""

    @abstractmethod
    def find_free_bytes(self) -> int | None:
        """Return the free space of the database's disk; None if it is another machine's.

        Raises OSError.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the database, once all sessions are closed."""


@cache
def compile_statement(
    dialect: sa.Dialect, statement: sa.ClauseElement
) -> tuple[str, tuple[str, ...]]:
    """Return a statement's text for a driver, and the names of its parameters in order."""
    compiled = cast("sa.sql.compiler.SQLCompiler", statement.compile(dialect=dialect))
    return str(compiled), tuple(compiled.positiontup or ())


def explain(error: Exception) -> str:
    """Return the first line of an error: the later ones may contain secret values."""
    if isinstance(error, sa.exc.DBAPIError):
        error = error.orig if isinstance(error.orig, Exception) else error
    return (isinstance(error, OSError) and error.strerror) or str(error).strip().partition("\n")[0]
