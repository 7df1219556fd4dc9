"""A copy of a SQLite file, as of one moment, while a server has it.

To copy the file by other means would miss what is in the write-ahead log beside it, or mix two
moments. The copy is one file: to put it back is to copy it the other way.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from mastermind_server.storage.database import DatabaseUnusable, explain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_IS_OURS = "SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'"


def back_up(database: Path, copy: Path) -> None:
    """Copy a database to a file that is not there yet, and is there only when it is whole.

    The copy has been checked, is on disk, and its owner's alone. Raises DatabaseUnusable or
    FileExistsError; nothing is left then but, of a machine that fails, a file called .part.
    """
    for name in _list_files(copy):
        if name.exists():
            raise FileExistsError(f"{name} is there already: move it away, or name another file")
    part = copy.with_name(f".{copy.name}.part")
    try:
        part.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise FileExistsError(
            f"{part} is there, of a copy that is being made or was cut off"
        ) from None
    except OSError as error:
        raise DatabaseUnusable(f"{copy} cannot be made: {explain(error)}") from error
    try:
        _copy(database, part)
        _sync(part)
        part.rename(copy)
        _sync(copy.parent)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseUnusable(f"{database} cannot be backed up: {explain(error)}") from error
    finally:
        for name in _list_files(part):
            name.unlink(missing_ok=True)


def _copy(database: Path, part: Path) -> None:
    """Copy all pages in one step: in several, each move that is made would begin it again."""
    source = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(part)) as target:
        if source.execute(_IS_OURS).fetchone() is None:
            raise DatabaseUnusable("it is no database of a mastermind-server")
        source.backup(target)
        target.execute("PRAGMA journal_mode=DELETE")  # no write-ahead log: it is one file
        (found,) = target.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise DatabaseUnusable(f"it is damaged: {found}")


def _list_files(database: Path) -> Iterator[Path]:
    """Yield a database's file, and those that SQLite may keep beside it."""
    return (database.with_name(f"{database.name}{end}") for end in ("", "-wal", "-shm"))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
