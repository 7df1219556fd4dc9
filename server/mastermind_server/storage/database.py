"""A database in which the store is kept, and a thread's session with it, whichever it is.

SQLite's file and PostgreSQL have the same tables. What is hot goes by their bare drivers, which
take the same calls; only the words of a few statements differ, and those are written here once for
each, by SQLAlchemy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy.dialects import postgresql, sqlite
    from sqlalchemy.engine import Connection

    from mastermind_server.storage.news import News
    from mastermind_server.storage.rows import LogRow


class DatabaseUnusable(OSError):
    """The database cannot be opened, is none, or has another version's tables."""


class DatabaseLocked(DatabaseUnusable):
    """Another server process has this SQLite file."""


class Cursor(Protocol):
    """What a statement has found or done."""

    rowcount: int

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""
        ...

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Go through the rows."""
        ...


class Session(ABC):
    """One thread's connection: SQLAlchemy's, and the bare driver under it for what is hot.

    Outside of `transaction` each statement is one of its own.
    """

    dialect: ClassVar[sa.Dialect]
    failures: ClassVar[tuple[type[Exception], ...]]  # of the driver
    conflicts: ClassVar[tuple[type[Exception], ...]]  # of them: of what one write is alone in
    collisions: ClassVar[tuple[type[Exception], ...]] = ()  # another was at it at the same moment

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.driver: Any = connection.connection.driver_connection

    @property
    @abstractmethod
    def broken(self) -> bool:
        """Whether the connection is of no more use: another may be."""

    @staticmethod
    @abstractmethod
    def insert(table: sa.Table) -> sqlite.Insert | postgresql.Insert:
        """Return a statement that can say what is to be done ON CONFLICT."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[object]:
        """Do all that the block does, or nothing; within another one, that part of it."""

    @abstractmethod
    def append_together(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Append rows of the log by one statement; return which it has not appended, by number."""

    @abstractmethod
    def tell(self, news: Iterable[News]) -> None:
        """Tell other nodes what is on disk now, if there can be any."""

    @abstractmethod
    def take_turns(self, what: str) -> None:
        """Wait until no other transaction takes turns at this, as long as this one lasts."""

    def run(self, statement: sa.ClauseElement, values: Mapping[str, Any]) -> Cursor:
        """Run a statement by the driver, with the values of its places."""
        text, places = compile_statement(self.dialect, statement)
        cursor: Cursor = self.driver.execute(text, [values[place] for place in places])
        return cursor

    @abstractmethod
    def interrupt(self) -> None:
        """Let what the session waits for fail; called by another thread."""

    def close(self) -> None:
        """Let go of the connection."""
        self.connection.close()


class Database(ABC):
    """Where the tables are. `shared` tells whether other nodes may have it too."""

    shared: ClassVar[bool]
    session: ClassVar[type[Session]]
    patience: ClassVar[float | None] = None  # seconds, after which what it is asked for has failed

    @abstractmethod
    def connect(self) -> Session:
        """Return a new session, for the thread that asks."""

    @abstractmethod
    def listen(self, hear: Callable[[Sequence[News]], None]) -> Callable[[], None]:
        """Hear, on a thread of its own, what other nodes tell; return what ends that."""

    @abstractmethod
    def find_room(self) -> int | None:
        """Return how many bytes more its disk has room for, None if only a write can tell.

        Raises OSError.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the database, once all sessions are out of use."""


@cache
def compile_statement(
    dialect: sa.Dialect, statement: sa.ClauseElement
) -> tuple[str, tuple[str, ...]]:
    """Return a statement as a driver takes it, and the names of its values in their order."""
    compiled = cast("sa.sql.compiler.SQLCompiler", statement.compile(dialect=dialect))
    return str(compiled), tuple(compiled.positiontup or ())


def explain(error: Exception) -> str:
    """Return the reason alone, without what was asked of the database: it may be secret.

    PostgreSQL tells of that from the second line on.
    """
    if isinstance(error, sa.exc.DBAPIError):
        error = error.orig if isinstance(error.orig, Exception) else error
    return (isinstance(error, OSError) and error.strerror) or str(error).strip().partition("\n")[0]
