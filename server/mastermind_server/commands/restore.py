"""The command `restore`.

It replaces a SQLite file by a backup. A kill or a full disk leaves the old file or the new one in
place, because of the order of the steps:

1. Acquire the server's lock, so that no server runs or starts meanwhile.
2. Write, check and sync the new database under another name.
3. Move the write-ahead log of the old file into it, and lock it against other commands. SQLite
   would apply a remaining log to the new file.
4. Copy the old file to a name with the time. A hard link would be cheaper, but a server does not
   open a file with several, and a kill could leave it so.
5. Rename the new file, which replaces the old one.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from argparse import ArgumentTypeError
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import filelock

from mastermind_server.commands.backup import (
    SIDE_FILES,
    STREAM,
    copy_database,
    finish_copy,
    list_side_files,
    remove_side_files,
    sync,
)
from mastermind_server.commands.options import add_database_file_option, require_database_file
from mastermind_server.storage.engines.database import DatabaseLocked, DatabaseUnusable
from mastermind_server.storage.engines.sqlite import SqliteSession, acquire_lock
from mastermind_server.storage.revisions import SchemaUnknown, check_known

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import BinaryIO

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
LOCK_SECONDS = 5.0  # to wait for commands that use the old file: most take less
_PRIMARY_CODE = 0xFF  # the bits of an extended error code that have its primary code


def add_restore_command(parser: ArgumentParser) -> None:
    """Add the arguments of `restore`."""
    add_database_file_option(parser)
    parser.add_argument(
        "copy", type=Path, metavar="COPY", help="a backup of FILE; - reads it from standard input"
    )
    parser.epilog = (
        "Stop the server first. The copy is checked before it replaces FILE, and the old FILE stays"
        " in its folder, under a name with the time. The disk needs room for COPY and another FILE."
        " After a failure FILE is unchanged. Use pg_restore to restore a PostgreSQL database."
    )
    parser.set_defaults(perform=_restore)


def _restore(options: Namespace) -> None:
    database = require_database_file(options)
    if options.copy != STREAM:
        kept = restore(database, options.copy)
    elif sys.stdin.isatty():
        raise ArgumentTypeError("standard input is a terminal: restore - <COPY")
    else:
        kept = restore(database, sys.stdin.buffer)
    print(
        f"{database} is restored", *() if kept is None else (f"the old file is {kept}",), sep="; "
    )


def restore(database: Path, copy: Path | BinaryIO) -> Path | None:
    """Replace the SQLite file `database` by `copy`, which is checked and gets another epoch.

    Return the path of the kept old file, None if there was no file. The new file has the mode 0600
    and the owner of the old one. Raises DatabaseLocked while a server uses `database`, and
    DatabaseUnusable if the copy or the disk cannot be used.
    """
    try:
        file = database.resolve()
        if not file.parent.is_dir():
            raise DatabaseUnusable(f"there is no folder {file.parent}")
        if file.exists() and not file.is_file():
            raise DatabaseUnusable("it is no file")
        with ExitStack() as stack:
            acquire_lock(file, stack)
            new = _reserve(file, "new", stack)
            _write_new(new, copy)
            return _replace(file, new, stack)
    except filelock.Timeout:
        raise DatabaseLocked(f"{database} is in use: stop its server first") from None
    except (OSError, SchemaUnknown, sqlite3.Error) as error:
        name = copy if isinstance(copy, Path) else "standard input"
        raise DatabaseUnusable(
            f"{database} cannot be restored from {name}: {SqliteSession.explain(error)}"
        ) from error


def _reserve(file: Path, purpose: str, stack: ExitStack) -> Path:
    """Return an unused path in the folder of `file`. Add the removal of its files to `stack`.

    The caller has the lock of `file`, so only a killed restore can have left files there.
    """
    part = file.with_name(f".{file.name}.{purpose}")
    _remove(part)
    stack.callback(_remove, part)
    return part


def _remove(database: Path) -> None:
    database.unlink(missing_ok=True)
    remove_side_files(database)


def _write_new(new: Path, copy: Path | BinaryIO) -> None:
    """Write a checked database with the content of `copy` to the new file `new`."""
    new.touch(mode=0o600)
    if not isinstance(copy, Path):
        with new.open("wb") as written:
            shutil.copyfileobj(copy, written)
    with closing(sqlite3.connect(new)) as target:
        if isinstance(copy, Path):
            copy_database(copy, target)
        else:
            finish_copy(target)
        check_known(*target.execute("SELECT version_num FROM alembic_version").fetchone())
    sync(new)


def _replace(file: Path, new: Path, stack: ExitStack) -> Path | None:
    """Replace the database `file` by `new`. Return the path of the kept old file, or None."""
    if file.exists():
        stack.enter_context(closing(_lock_old(file)))
        owner = file.stat()
        os.chown(new, owner.st_uid, owner.st_gid)
    kept = _keep(file, stack)
    remove_side_files(file)
    sync(file.parent)  # a crash of the machine must not undo this and keep the new file
    new.replace(file)
    sync(file.parent)
    return kept


def _lock_old(file: Path) -> sqlite3.Connection:
    """Write the write-ahead log of a database into `file`, and lock the file until it is closed.

    Commands such as `ban` do not acquire the server's lock. A file that is too damaged for SQLite
    keeps its log, and is not locked.
    """
    driver = sqlite3.connect(file, isolation_level=None, timeout=LOCK_SECONDS)
    try:
        driver.execute("PRAGMA journal_mode=DELETE")
        driver.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if error.sqlite_errorcode & _PRIMARY_CODE in _DAMAGED:
            return driver
        driver.close()
        if error.sqlite_errorcode & _PRIMARY_CODE == sqlite3.SQLITE_BUSY:
            raise DatabaseUnusable("another command is using the file") from None
        raise
    return driver


def _keep(file: Path, stack: ExitStack) -> Path | None:
    """Copy the database `file` and its other files to a name with the time in UTC.

    Return that name, or None if there are no files. Closing a file would release SQLite's locks on
    it, so `stack` closes them.
    """
    part = _reserve(file, "old", stack)
    suffixes = [end for end in ("", *SIDE_FILES) if Path(f"{file}{end}").exists()]
    for end in suffixes:
        source, copy = Path(f"{file}{end}"), Path(f"{part}{end}")
        old = stack.enter_context(source.open("rb"))
        copy.touch(mode=0o600)
        owner = os.fstat(old.fileno())
        os.chown(copy, owner.st_uid, owner.st_gid)
        with copy.open("wb") as written:
            shutil.copyfileobj(old, written)
        sync(copy)
    if not suffixes:
        return None
    time = f"{file}.{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}"
    names = chain([Path(time)], (Path(f"{time}.{n}") for n in count(2)))
    kept = next(name for name in names if not any(map(Path.exists, [name, *list_side_files(name)])))
    for end in suffixes:
        Path(f"{part}{end}").rename(f"{kept}{end}")
    sync(file.parent)
    return kept
