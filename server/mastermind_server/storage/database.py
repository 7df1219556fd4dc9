"""The SQLite file: whether it can be used, who has it, and connections to it."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import sqlalchemy as sa

from mastermind_server.limits import CHECKPOINT_PAGES
from mastermind_server.storage.schema import SchemaUnknown, migrate

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

MAGIC = b"SQLite format 3\0"  # what such a file begins with, unless it is empty
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "busy_timeout=5000",
    f"wal_autocheckpoint={CHECKPOINT_PAGES}",
)
FAILURES = (sa.exc.SQLAlchemyError, sqlite3.Error)  # of a driver, whoever has called it


class DatabaseUnusable(OSError):
    """The file cannot be opened, is no database, or is a newer server's."""


class DatabaseLocked(DatabaseUnusable):
    """Another server process has this SQLite file."""


class Database:
    """A SQLite file that this process alone has: WAL, synchronous=FULL.

    `reading` and `writing` make connections to it; those that read need not wait for a write.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the file, and bring it up to this version's schema.

        Its folder must be there. Raises DatabaseLocked while another process has it, by whatever
        path: two would not see each other's moves; and DatabaseUnusable if it cannot be used.
        Nothing is made then that was not there before.
        """
        try:
            file = path.resolve()
            _check(file)
            with ExitStack() as stack:
                self._lock = _lock(file, stack)
                _make(file, stack)
                self.writing = _engine(file)
                sa.event.listen(self.writing, "begin", _begin)
                stack.callback(self.writing.dispose)
                with self.writing.begin() as connection:
                    migrate(connection)
                stack.pop_all()
        except filelock.Timeout:
            raise DatabaseLocked(f"{path} is in use by another mastermind-server") from None
        except (OSError, RuntimeError, SchemaUnknown, *FAILURES) as error:
            raise DatabaseUnusable(f"{path} cannot be used: {explain(error)}") from error
        self.reading = _engine(file)

    def close(self) -> None:
        """Close and unlock the file, once all connections are out of use."""
        self.reading.dispose()
        self.writing.dispose()
        self._lock.release()


def explain(error: Exception) -> str:
    """Return the reason alone, without what was asked of the database: it may be secret."""
    if isinstance(error, sa.exc.DBAPIError):
        return str(error.orig)
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _check(file: Path) -> None:
    """Raise DatabaseUnusable for what is no database, before anything is made."""
    try:
        status = file.stat()
    except FileNotFoundError:
        if not file.parent.is_dir():
            raise DatabaseUnusable(f"there is no folder {file.parent}") from None
        return
    if not stat.S_ISREG(status.st_mode):
        raise DatabaseUnusable("it is a folder" if file.is_dir() else "it is no file")
    if status.st_nlink > 1:
        # SQLite keeps the last writes beside the name by which it has opened the file, and we our
        # lock: by another name there would be neither.
        raise DatabaseUnusable("it has several names (hard links): leave it one, or copy it")
    with file.open("rb") as opened:
        if opened.read(len(MAGIC)) not in (b"", MAGIC):
            raise DatabaseUnusable("it is no SQLite database")


def _lock(file: Path, stack: ExitStack) -> filelock.BaseFileLock:
    """Lock the file by one beside it, which remains; raises filelock.Timeout."""
    beside = Path(f"{file}.lock")
    new = not beside.exists()
    lock = filelock.FileLock(beside, thread_local=False)  # it is let go of by another thread
    lock.acquire(timeout=0)
    stack.callback(lock.release)
    if new:
        stack.callback(beside.unlink, missing_ok=True)
    return lock


def _make(file: Path, stack: ExitStack) -> None:
    """Make the file its owner's alone, for it has secrets; what SQLite puts beside it follows."""
    if not file.exists():
        file.touch(mode=0o600)
        for made in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
            stack.callback(made.unlink, missing_ok=True)


def _engine(file: Path) -> Engine:
    url = sa.URL.create("sqlite", database=str(file))
    engine = sa.create_engine(url, hide_parameters=True)  # of what failed, in the log

    @sa.event.listens_for(engine, "connect")
    def prepare(driver: sqlite3.Connection, _record: object) -> None:
        driver.isolation_level = None  # whoever writes says BEGIN, below
        for pragma in _PRAGMAS:
            driver.execute(f"PRAGMA {pragma}")

    return engine


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
