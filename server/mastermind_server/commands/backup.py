"""The command `backup`.

It writes a consistent copy of a SQLite file to one new file or to standard output, even while a
server uses the original. A plain copy would lack the write-ahead log, or mix the states of
different times.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import stat
import sys
from argparse import ArgumentTypeError
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_database_file_option, require_database_file
from mastermind_server.storage.engines.database import DatabaseUnusable, summarize_error
from mastermind_server.storage.engines.sqlite import SqliteSession, begin_history

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

STREAM = Path("-")  # given as COPY: standard output, or standard input
SIDE_FILES = ("-wal", "-shm", "-journal")  # suffixes of the files that SQLite creates for one
_HAS_OUR_TABLES = "SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('alembic_version', 'log')"


def add_backup_command(parser: ArgumentParser) -> None:
    """Add the arguments of `backup`."""
    add_database_file_option(parser)
    parser.add_argument(
        "copy",
        type=Path,
        metavar="COPY",
        help="file to create, which must not exist; - writes the copy to standard output",
    )
    parser.epilog = (
        "The copy is complete and checked before it gets its name, or before its first byte is"
        " written. If the exit status is not 0, discard the output: its reader has failed. With -,"
        " the disk of FILE needs room for a second copy. Use pg_dump to back up a PostgreSQL"
        " database."
    )
    parser.set_defaults(perform=_back_up)


def _back_up(options: Namespace) -> None:
    database = require_database_file(options)
    if options.copy != STREAM:
        back_up(database, options.copy)
        print(f"{options.copy} is a checked copy of {database}")
    elif sys.stdout.isatty():
        raise ArgumentTypeError("standard output is a terminal: backup - >COPY")
    else:
        send_backup(database, sys.stdout.fileno())


def back_up(database: Path, copy: Path) -> None:
    """Copy the SQLite file `database` to the new file `copy`.

    The copy is checked, synced to disk, and readable by its owner alone. Until it is complete, it
    has the hidden name .NAME.part. Raises DatabaseUnusable or FileExistsError, after removing the
    .part file. If the process is killed, the .part file remains until the next backup to `copy`.
    """
    for name in (copy, *list_side_files(copy)):
        if name.exists():
            raise FileExistsError(f"{name} exists: move it away, or name another file")
    with _make_copy(database, copy) as part:
        part.rename(copy)
        sync(copy.parent)


def send_backup(database: Path, descriptor: int) -> None:
    """Write a copy of the SQLite file `database` to an open file. Writes nothing if it is damaged.

    The copy is made in the folder of the database, because a folder for temporary files may be in
    memory. Raises DatabaseUnusable.
    """
    with (
        _make_copy(database, database.resolve()) as part,
        part.open("rb") as copy,
        open(descriptor, "wb", closefd=False) as output,
    ):
        shutil.copyfileobj(copy, output)


@contextmanager
def _make_copy(database: Path, copy: Path) -> Iterator[Path]:
    """Return the path of a checked copy of `database`, which exists during the block.

    It is in the folder of `copy`. Errors of the block are reported as errors of the backup.
    """
    part = copy.with_name(f".{copy.name}.part")
    try:
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise DatabaseUnusable(f"{copy} cannot be created: {summarize_error(error)}") from error
    try:
        _lock_part(descriptor, part)
        try:
            os.truncate(descriptor, 0)  # the lock was free: a killed backup has left this
            remove_side_files(part)
            with closing(sqlite3.connect(part)) as target:
                copy_database(database, target)
            sync(part)
            yield part
        except (OSError, sqlite3.Error) as error:
            raise DatabaseUnusable(
                f"{database} cannot be backed up: {SqliteSession.explain(error)}"
            ) from error
        finally:
            part.unlink(missing_ok=True)
            remove_side_files(part)
    finally:
        os.close(descriptor)


def _lock_part(descriptor: int, part: Path) -> None:
    """Lock the open file `part`, until it is closed or its process ends.

    Raises FileExistsError if another backup has the lock, or had it and has renamed the file.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), part.stat()):
            return
    except (BlockingIOError, FileNotFoundError):
        pass
    raise FileExistsError(f"another backup is running: it writes {part}")


def copy_database(database: Path, target: sqlite3.Connection) -> None:
    """Copy the SQLite file `database` to the empty database `target`, and check the copy.

    All pages are copied in one step, because a copy in several steps restarts after each write.
    """
    if not stat.S_ISREG(database.stat().st_mode):  # SQLite's reasons are less clear
        raise DatabaseUnusable("it is no file")
    source = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source):
        source.backup(target)
    finish_copy(target)


def finish_copy(target: sqlite3.Connection) -> None:
    """Check a copy, give it another epoch, and turn off its write-ahead log: it is one file.

    Raises DatabaseUnusable or sqlite3.Error if it is damaged, or has not the tables of a server.
    """
    if target.execute(_HAS_OUR_TABLES).fetchone() != (1,):
        raise DatabaseUnusable("it is no database of a mastermind-server")
    begin_history(target)  # a server with the restored copy is at another history
    target.execute("PRAGMA journal_mode=DELETE")
    (found,) = target.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise DatabaseUnusable(f"it is damaged: {found}")


def list_side_files(database: Path) -> Iterator[Path]:
    """Yield the paths of the files that SQLite may create for a database."""
    return (database.with_name(f"{database.name}{end}") for end in SIDE_FILES)


def remove_side_files(database: Path) -> None:
    """Remove the files that SQLite has left of a database."""
    for name in list_side_files(database):
        name.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Write a file or a folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
