"""Opens databases: for a server, and as single sessions for commands."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_server.storage.database import DatabaseUnusable, explain
from mastermind_server.storage.sqlite import SqliteFile, connect_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.storage.database import Database, Session


class Mode(Enum):
    """What a session may do: read, write little beside a server, or use an SQLite file alone."""

    READ = auto()  # a server may have the SQLite file; tables of another revision are accepted
    WRITE = auto()  # likewise; its moves wait for the session's writes, which must be short
    EXCLUSIVE = auto()  # no server has the SQLite file, which is migrated if it is older


@contextmanager
def open_session(place: Path | str, mode: Mode) -> Iterator[Session]:
    """Open a session with an existing SQLite file, or with a PostgreSQL database by its URL.

    Raises DatabaseUnusable, such as DatabaseLocked, also if a statement of the block fails.
    """
    name = place if isinstance(place, Path) else "the database"
    with ExitStack() as stack:
        session = _connect(place, mode, stack)
        stack.callback(session.close)
        try:
            yield session
        except session.failures as error:
            raise DatabaseUnusable(f"{name} cannot be used: {explain(error)}") from error


def open_database(place: Path | str, *, timeouts: bool = True) -> Database:
    """Open or create a SQLite file, or open a PostgreSQL database by its URL.

    Without `timeouts` PostgreSQL waits for locks as long as it takes. Raises DatabaseUnusable, such
    as DatabaseLocked.
    """
    if isinstance(place, Path):
        return SqliteFile(place)
    from mastermind_server.storage.postgresql import PostgresDatabase  # its driver is an extra

    return PostgresDatabase(place, timeouts=timeouts)


def _connect(place: Path | str, mode: Mode, stack: ExitStack) -> Session:
    if isinstance(place, Path) and mode is not Mode.EXCLUSIVE:
        return connect_file(place, read_only=mode is Mode.READ)
    if isinstance(place, Path) and not place.exists():
        raise DatabaseUnusable(f"{place} cannot be used: there is no such file")
    if isinstance(place, str) and mode is Mode.READ:
        from mastermind_server.storage.postgresql import connect  # its driver is an extra

        return connect(place)
    database = open_database(place, timeouts=False)
    stack.callback(database.close)
    return database.connect()
