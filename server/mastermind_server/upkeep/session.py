"""A session with a database by itself, without a server."""

from __future__ import annotations

from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_server.storage.database import DatabaseUnusable, explain
from mastermind_server.storage.store import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.storage.database import Session


@contextmanager
def open_session(place: Path | str) -> Iterator[Session]:
    """Open a SQLite file that no server has, or a PostgreSQL database by its URL, for a while.

    An older file is brought up to this version. Raises DatabaseUnusable, such as DatabaseLocked,
    also for what fails in the meantime.
    """
    if isinstance(place, Path) and not place.exists():
        raise DatabaseUnusable(f"{place} cannot be used: there is no such file")
    database = open_database(place, timeouts=False)
    try:
        with closing(database.connect()) as session:
            yield session
    except database.session.failures as error:
        raise DatabaseUnusable(f"the database cannot be used: {explain(error)}") from error
    finally:
        database.close()
