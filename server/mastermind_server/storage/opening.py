"""Opens databases for servers, and single sessions for commands."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_server.storage.database import DatabaseUnusable, summarize_error
from mastermind_server.storage.sqlite import SqliteFile, connect_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.storage.database import Database, Session


class Mode(Enum):
    """How a session uses a database. The comments describe SQLite files.

    On PostgreSQL, only READ accepts tables of another revision, and servers never prevent access.
    """

    READ = auto()  # reads beside a server; accepts tables of another revision
    WRITE = auto()  # writes beside a server, whose moves wait: transactions must be short
    EXCLUSIVE = auto()  # fails if a server uses the file; migrates an older file


@contextmanager
def open_session(location: Path | str, mode: Mode) -> Iterator[Session]:
    """Yield a session with an existing SQLite file, or with a PostgreSQL database by its URL.

    Raises DatabaseLocked if `mode` is EXCLUSIVE and a server uses the file. Raises DatabaseUnusable
    if the database cannot be opened, or if a statement of the block fails.
    """
    name = location if isinstance(location, Path) else "the database"
    with ExitStack() as stack:
        session = _connect(location, mode, stack)
        stack.callback(session.close)
        try:
            yield session
        except session.failures as error:
            raise DatabaseUnusable(f"{name} cannot be used: {summarize_error(error)}") from error


def open_database(location: Path | str, *, timeouts: bool = True) -> Database:
    """Open or create a SQLite file, or open a PostgreSQL database by its URL.

    Without `timeouts` PostgreSQL waits for locks without a limit. Raises DatabaseUnusable, and its
    subclass DatabaseLocked if another server uses the file.
    """
    if isinstance(location, Path):
        return SqliteFile(location)
    from mastermind_server.storage.postgresql import PostgresDatabase  # its driver is an extra

    return PostgresDatabase(location, timeouts=timeouts)


def _connect(location: Path | str, mode: Mode, stack: ExitStack) -> Session:
    if isinstance(location, Path) and mode is not Mode.EXCLUSIVE:
        return connect_file(location, read_only=mode is Mode.READ)
    if isinstance(location, Path) and not location.exists():
        raise DatabaseUnusable(f"{location} cannot be used: there is no such file")
    if isinstance(location, str) and mode is Mode.READ:
        from mastermind_server.storage.postgresql import connect  # its driver is an extra

        return connect(location)
    database = open_database(location, timeouts=False)
    stack.callback(database.close)
    return database.connect()
