"""The SQLite file: whether it can be used, who has it, and sessions with it."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from itertools import chain as chained
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import filelock
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from mastermind_server.storage.database import (
    Database,
    DatabaseLocked,
    DatabaseUnusable,
    Session,
    explain,
)
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import SchemaUnknown, check_schema, migrate
from mastermind_server.tuning import CHECKPOINT_PAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mastermind_server.storage.news import News

MAGIC = b"SQLite format 3\0"  # what such a file begins with, unless it is empty
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "busy_timeout=5000",
    f"wal_autocheckpoint={CHECKPOINT_PAGES}",
)
_COLUMNS = len(LogRow._fields)


class SqliteSession(Session):
    """A connection to the file."""

    dialect = sqlite.dialect()
    failures = (sa.exc.SQLAlchemyError, sqlite3.Error)
    conflicts = (sa.exc.IntegrityError, sqlite3.IntegrityError)
    broken = False
    driver: sqlite3.Connection

    @staticmethod
    def insert(table: sa.Table) -> sqlite.Insert:
        """Return a statement that can say what is to be done ON CONFLICT."""
        return sqlite.insert(table)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all that the block does, or nothing; within another one, that part of it."""
        driver = self.driver
        within = driver.in_transaction
        driver.execute("SAVEPOINT part" if within else "BEGIN IMMEDIATE")
        try:
            yield
            driver.execute("RELEASE part" if within else "COMMIT")
        except BaseException:
            if driver.in_transaction:  # what fails may have ended it
                driver.execute("ROLLBACK TO part" if within else "ROLLBACK")
                if within:
                    driver.execute("RELEASE part")
            raise

    def append_together(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Append rows by one statement: all of them, or none.

        The driver lets go of the interpreter at every statement, and the event loop takes it: what
        counts is how few statements a group of moves is. So the rows of a whole group are one.
        """
        size = 1 << (len(rows) - 1).bit_length()  # few statements to prepare: 0 fills the last
        if size * _COLUMNS > self.driver.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER):
            return range(len(rows))  # 999 before SQLite 3.32
        values = list(chained.from_iterable(rows))
        values += [0] * _COLUMNS * (size - len(rows))
        try:
            self.driver.execute(_write_together(size), values)
        except (sqlite3.IntegrityError, OverflowError, UnicodeError):
            return range(len(rows))
        return ()

    def tell(self, news: Iterable[News]) -> None:
        """Tell nobody: this process alone has the file."""

    def interrupt(self) -> None:
        """Let it wait: the file is this machine's, and what SQLite waits for has an end."""

    def take_turns(self, what: str) -> None:
        """Go on: there is one transaction that writes."""


@cache
def _write_together(size: int) -> str:
    """Return the statement that appends up to `size` rows, and fails if one cannot be.

    A request that was a line of the chat has no match here, which no row may lack.
    """
    row = f"({', '.join('?' * _COLUMNS)})"
    return (
        "INSERT INTO log (match, version, at, events, player, request, digest)"  # noqa: S608 - ours
        " SELECT CASE WHEN EXISTS"
        " (SELECT 1 FROM chat WHERE player = column5 AND request = column6)"
        " THEN NULL ELSE column1 END, column2, column3, column4, column5, column6, column7"
        f" FROM (VALUES {', '.join([row] * size)}) WHERE column1 <> 0"
    )


class SqliteFile(Database):
    """A SQLite file that this process alone has: WAL, synchronous=FULL.

    Sessions that read need not wait for one that writes.
    """

    shared: ClassVar[bool] = False
    session: ClassVar[type[SqliteSession]] = SqliteSession

    def __init__(self, path: Path) -> None:
        """Open or make the file, and bring it up to this version's schema.

        Its folder must be there. Raises DatabaseLocked while another process has it, by whatever
        path: two would not see each other's moves; and DatabaseUnusable if it cannot be used.
        Nothing is made then that was not there before.
        """
        try:
            file = path.resolve()
            self._folder = file.parent
            _check(file)
            with ExitStack() as stack:
                self._lock = _lock(file, stack)
                _make(file, stack)
                self._engine = _make_engine(file)
                stack.callback(self._engine.dispose)
                session = self.connect()
                stack.callback(session.close)
                with session.transaction():
                    migrate(session.connection)
                session.close()
                stack.pop_all()
        except filelock.Timeout:
            raise DatabaseLocked(f"{path} is in use by another mastermind-server") from None
        except (OSError, RuntimeError, SchemaUnknown, *SqliteSession.failures) as error:
            raise DatabaseUnusable(f"{path} cannot be used: {explain(error)}") from error

    def connect(self) -> SqliteSession:
        """Return a new session, for the thread that asks."""
        return self.session(self._engine.connect())

    def listen(self, hear: Callable[[Sequence[News]], None]) -> Callable[[], None]:  # noqa: ARG002
        """Hear nothing: there is nobody else."""
        return lambda: None

    def find_room(self) -> int:
        """Return how many bytes more the folder of the file has room for."""
        return shutil.disk_usage(self._folder).free

    def close(self) -> None:
        """Close and unlock the file, once all sessions are out of use."""
        self._engine.dispose()
        self._lock.release()


@contextmanager
def open_beside(path: Path) -> Iterator[SqliteSession]:
    """Open a session with a file that is there, also while a server has it: it may write a little.

    Raises DatabaseUnusable.
    """
    try:
        file = path.resolve(strict=True)
        _check(file)
    except OSError as error:
        raise DatabaseUnusable(f"{path} cannot be used: {explain(error)}") from error
    engine = _make_engine(file)
    try:
        with closing(SqliteSession(engine.connect())) as session:
            check_schema(session.connection)
            yield session
    except (SchemaUnknown, *SqliteSession.failures) as error:
        raise DatabaseUnusable(f"{path} cannot be used: {explain(error)}") from error
    finally:
        engine.dispose()


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


def _make_engine(file: Path) -> sa.Engine:
    url = sa.URL.create("sqlite", database=str(file))
    engine = sa.create_engine(  # parameters of what failed are hidden in the log
        url, hide_parameters=True, poolclass=sa.pool.NullPool, isolation_level="AUTOCOMMIT"
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(driver: sqlite3.Connection, _record: object) -> None:
        driver.isolation_level = None  # whoever writes says BEGIN, above
        for pragma in _PRAGMAS:
            driver.execute(f"PRAGMA {pragma}")

    return engine
