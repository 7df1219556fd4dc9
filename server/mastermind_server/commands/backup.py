"""The command `backup`.

It writes a consistent copy of a SQLite file to one new file, even while a server uses the original.
A plain copy would lack the write-ahead log, or mix the states of different times.
"""

from __future__ import annotations

import os
import sqlite3
from argparse import ArgumentTypeError
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_option
from mastermind_server.storage.database import DatabaseUnusable, summarize_error
from mastermind_server.storage.sqlite import begin_history

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

_HAS_OUR_TABLES = "SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'"


def add_backup_command(parser: ArgumentParser) -> None:
    """Add the arguments of `backup`."""
    add_option(
        parser, "--database", parse=Path, metavar="FILE", about="SQLite file with all matches"
    )
    parser.add_argument("copy", type=Path, metavar="COPY", help="file to create")
    parser.epilog = (
        "To restore a copy, stop the server, move FILE, FILE-wal and FILE-shm away, and back the"
        " copy up to FILE. Use pg_dump to back up a PostgreSQL database."
    )
    parser.set_defaults(perform=_back_up)


def _back_up(options: Namespace) -> None:
    if options.database is None:
        raise ArgumentTypeError("name the database: --database FILE")
    back_up(options.database, options.copy)
    print(f"{options.copy} is a checked copy of {options.database}")


def back_up(database: Path, copy: Path) -> None:
    """Copy the SQLite file `database` to the new file `copy`.

    The copy is checked, synced to disk, and readable by its owner alone. Until it is complete, it
    has the hidden name .NAME.part. Raises DatabaseUnusable or FileExistsError, after removing the
    .part file. If the machine crashes, the .part file can remain.
    """
    for name in _list_files(copy):
        if name.exists():
            raise FileExistsError(f"{name} exists: move it away, or name another file")
    part = copy.with_name(f".{copy.name}.part")
    try:
        part.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise FileExistsError(
            f"{part} exists: another backup is running, or was interrupted"
        ) from None
    except OSError as error:
        raise DatabaseUnusable(f"{copy} cannot be created: {summarize_error(error)}") from error
    try:
        _copy_and_check(database, part)
        _sync(part)
        part.rename(copy)
        _sync(copy.parent)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseUnusable(
            f"{database} cannot be backed up: {summarize_error(error)}"
        ) from error
    finally:
        for name in _list_files(part):
            name.unlink(missing_ok=True)


def _copy_and_check(database: Path, copy: Path) -> None:
    """Copy the SQLite file `database` to the empty file `copy`, and check the copy.

    All pages are copied in one step, because a copy in several steps restarts after each write.
    """
    source = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(copy)) as target:
        if source.execute(_HAS_OUR_TABLES).fetchone() is None:
            raise DatabaseUnusable("it is no database of a mastermind-server")
        source.backup(target)
        begin_history(target)  # a server with the restored copy is at another history
        target.execute("PRAGMA journal_mode=DELETE")  # no write-ahead log, so the copy is one file
        (found,) = target.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise DatabaseUnusable(f"it is damaged: {found}")


def _list_files(database: Path) -> Iterator[Path]:
    """Yield the paths of a database and of the other files that SQLite may create for it."""
    return (database.with_name(f"{database.name}{end}") for end in ("", "-wal", "-shm"))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
