"""SQLite files: checks, the lock, and sessions."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import stat
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import chain as chained
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import filelock
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from mastermind_server.storage.engines.database import (
    Database,
    DatabaseLocked,
    DatabaseUnusable,
    Session,
)
from mastermind_server.storage.epochs import make_epoch
from mastermind_server.storage.revisions import SchemaUnknown, check_schema, migrate
from mastermind_server.storage.rows import LogRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mastermind_server.storage.notices import Interests, Notice

SQLITE_MAGIC = b"SQLite format 3\0"  # the first bytes of an SQLite file that is not empty
MAX_USER_VERSION = 2**31 - 1  # SQLite stores a signed integer of four bytes
CHECKPOINT_PAGES = 4000  # 16 MiB of write-ahead log: delays one commit in 200, not one in 50
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "busy_timeout=5000",
    f"wal_autocheckpoint={CHECKPOINT_PAGES}",
)
_LOG_COLUMN_COUNT = len(LogRow._fields)


_LOCAL_DISK = (
    "SQLite needs a local disk, not a network share or a mount of another system (NFS, SMB, sshfs,"
    " 9p): choose another --database FILE"
)
_ADVICE = {
    "disk I/O error": "the disk fails or is full, the limit on the size of files (ulimit -f) is"
    f" reached, or {_LOCAL_DISK}",
    "No locks available|locking protocol|support flock": _LOCAL_DISK,
    "unable to open|Permission denied|[Rr]ead-?only": "the file and its folder must exist and be"
    " writable: choose another --database FILE, or change its owner or mode",
    "MemoryError": "there is too little memory (ulimit -v)",
}


class SqliteSession(Session):
    """A connection to an SQLite file."""

    shared = False
    dialect = sqlite.dialect()
    database_errors = (sa.exc.SQLAlchemyError, sqlite3.Error, MemoryError)  # of SQLITE_NOMEM
    write_errors = (sa.exc.IntegrityError, sqlite3.IntegrityError)
    broken = False
    begin_snapshot_sql = "BEGIN"
    advice: ClassVar[Mapping[str, str]] = _ADVICE
    driver: sqlite3.Connection

    def read_epoch(self) -> str:
        """Return the epoch of the file's history."""
        return make_epoch(*self.driver.execute("PRAGMA user_version").fetchone())

    def wait_for_standby(self) -> None:
        """Do nothing, because a file has no standby."""

    def detect_disconnection(self) -> None:
        """Do nothing, because a file has no connection."""

    @staticmethod
    def insert(table: sa.Table) -> sqlite.Insert:
        """Return an INSERT into `table` that supports ON CONFLICT."""
        return sqlite.insert(table)

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Run the block in a transaction, or in a savepoint within a transaction."""
        driver = self.driver
        within = driver.in_transaction
        driver.execute("SAVEPOINT part" if within else "BEGIN IMMEDIATE")
        try:
            yield
            driver.execute("RELEASE part" if within else "COMMIT")
        except BaseException:
            if driver.in_transaction:  # some errors end the transaction
                driver.execute("ROLLBACK TO part" if within else "ROLLBACK")
                if within:
                    driver.execute("RELEASE part")
            raise

    def insert_log(self, rows: Sequence[LogRow]) -> Sequence[int]:
        """Insert all rows by one statement, or none. Return the indices of the rejected rows.

        Each statement releases Python's interpreter lock. Waiting for that lock again takes longer
        than the statement, and one statement for many rows waits only once.
        """
        size = 1 << (len(rows) - 1).bit_length()  # few sizes to prepare; zeros fill the rest
        if size * _LOG_COLUMN_COUNT > self.driver.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER):
            return range(len(rows))  # 999 before SQLite 3.32
        values = list(chained.from_iterable(rows))
        values += [0] * _LOG_COLUMN_COUNT * (size - len(rows))
        try:
            self.driver.execute(_build_log_insert(size), values)
        except (sqlite3.IntegrityError, OverflowError, UnicodeError):
            return range(len(rows))
        return ()

    def notify(self, notices: Iterable[Notice]) -> None:
        """Do nothing, because no other server uses the file."""

    def interrupt(self) -> None:
        """Do nothing, because a statement on a local file ends by itself."""

    def advisory_lock(self, name: str) -> None:
        """Do nothing, because SQLite runs one writing transaction at a time."""


@cache
def _build_log_insert(size: int) -> str:
    """Return an INSERT of up to `size` log rows, which fails if the table rejects one of them.

    Its parameters are the columns of `size` rows. Rows with 0 as their match are skipped. A row
    must be rejected if its request has already stored a chat line, or if the row before it is
    missing: the statement replaces its match by NULL, which the table rejects.
    """
    places = range(1, _LOG_COLUMN_COUNT + 1)
    columns = [f"?{n}" if size == 1 else f"column{n}" for n in places]
    match, version, _, _, player, request, _ = columns
    checked = (
        f"CASE WHEN EXISTS (SELECT 1 FROM chat WHERE player = {player} AND request = {request})"  # noqa: S608 - ours
        f" OR {version} <> 1 AND NOT EXISTS"
        f" (SELECT 1 FROM log WHERE match = {match} AND version = {version} - 1)"
        f" THEN NULL ELSE {match} END"
    )
    row = ", ".join([checked, *columns[1:]])
    rows = ", ".join([f"({', '.join('?' * _LOG_COLUMN_COUNT)})"] * size)
    # SQLite copies the result of a SELECT into a temporary table: a third of an insert of one row.
    one, several = f"VALUES ({row})", f"SELECT {row} FROM (VALUES {rows}) WHERE column1 <> 0"  # noqa: S608
    source = one if size == 1 else several
    return f"INSERT INTO log (match, version, at, events, player, request, digest) {source}"


class SqliteFile(Database):
    """A SQLite file, locked for this process, in WAL mode with synchronous=FULL."""

    session: ClassVar[type[SqliteSession]] = SqliteSession

    def __init__(self, path: Path) -> None:
        """Open or create the file in an existing folder, and migrate it to this schema version.

        Raises DatabaseLocked while another server uses the file under any path, because two servers
        would not see each other's moves. Raises DatabaseUnusable if the file cannot be used. After
        an error no new file remains.
        """
        try:
            file = path.resolve()
            self._folder = file.parent
            _check_file(file)
            with ExitStack() as stack:
                self._lock = acquire_lock(file, stack)
                _create_file(file, stack)
                self._engine = _make_engine(file)
                stack.callback(self._engine.dispose)
                session = self.connect()
                stack.callback(session.close)
                with session.transaction():
                    migrate(session.connection)
                    if session.driver.execute("PRAGMA user_version").fetchone() == (0,):
                        begin_history(session.driver)
                self.epoch = session.read_epoch()
                session.close()
                stack.pop_all()
        except filelock.Timeout:
            raise DatabaseLocked(f"{path} is in use by another mastermind-server") from None
        except (OSError, RuntimeError, SchemaUnknown, *SqliteSession.database_errors) as error:
            raise _make_unusable(path, error) from error

    def connect(self) -> SqliteSession:
        """Return a new session for the calling thread."""
        return self.session(self._engine.connect())

    async def listen(
        self, interests: Interests, callback: Callable[[Sequence[Notice]], None]
    ) -> None:
        """Return at once: there are no other nodes."""

    def read_free_disk_bytes(self) -> int:
        """Return the free bytes of the file's disk. Raises OSError."""
        return shutil.disk_usage(self._folder).free

    def close(self) -> None:
        """Close and unlock the file."""
        self._engine.dispose()
        self._lock.release()


def begin_history(driver: sqlite3.Connection) -> None:
    """Write a random number into the header of a file, which then has another epoch.

    This is the header's "user version": no statement of a dump contains it, so a file that is
    restored from a dump has another epoch, too. A file of an earlier version of the server has 0.
    """
    driver.execute(f"PRAGMA user_version = {1 + secrets.randbelow(MAX_USER_VERSION)}")


def connect_file(path: Path, *, read_only: bool) -> SqliteSession:
    """Return a session of an existing file, which a server may be using.

    With `read_only`, the tables can have any revision, and no files are created beside the
    database: new files would belong to the user who runs the command, not to the server. Raises
    DatabaseUnusable.
    """
    try:
        file = path.resolve(strict=True)
        _check_file(file)
        with ExitStack() as stack:
            engine = _make_read_only_engine(file) if read_only else _make_engine(file)
            session = SqliteSession(engine.connect())
            stack.callback(session.close)
            if not read_only:
                check_schema(session.connection)
            stack.pop_all()
    except (OSError, SchemaUnknown, *SqliteSession.database_errors) as error:
        raise _make_unusable(path, error) from error
    return session


def _make_unusable(path: Path, error: Exception) -> DatabaseUnusable:
    return DatabaseUnusable(f"{path} cannot be used: {SqliteSession.explain(error)}")


def _make_read_only_engine(file: Path) -> sa.Engine:
    alone = "" if file.with_name(f"{file.name}-wal").exists() else "&immutable=1"
    uri = f"{file.as_uri()}?mode=ro{alone}"
    return sa.create_engine(
        "sqlite://", creator=lambda: sqlite3.connect(uri, uri=True), poolclass=sa.pool.NullPool
    )


def _check_file(file: Path) -> None:
    """Raise DatabaseUnusable if `file` is no SQLite database, or if its folder is missing.

    A missing file in an existing folder is accepted.
    """
    try:
        status = file.stat()
    except FileNotFoundError:
        if not file.parent.is_dir():
            raise DatabaseUnusable(f"there is no folder {file.parent}") from None
        return
    if not stat.S_ISREG(status.st_mode):
        raise DatabaseUnusable("it is a folder" if file.is_dir() else "it is no file")
    if status.st_nlink > 1:
        # The write-ahead log and our lock are named after the path that was opened. A process that
        # opens the file by another name would use another log and another lock.
        raise DatabaseUnusable("it has several hard links: keep one, or copy the file")
    with file.open("rb") as opened:
        if opened.read(len(SQLITE_MAGIC)) not in (b"", SQLITE_MAGIC):
            raise DatabaseUnusable("it is no SQLite database")


def acquire_lock(file: Path, stack: ExitStack) -> filelock.BaseFileLock:
    """Acquire the lock of the database `file` and return it. Add its release to `stack`.

    The lock is a file beside the database, with the suffix .lock. Raises filelock.Timeout if
    another process has the lock.
    """
    beside = Path(f"{file}.lock")
    new = not beside.exists()
    lock = filelock.FileLock(beside, thread_local=False)  # another thread releases it
    lock.acquire(timeout=0)
    stack.callback(lock.release)
    if new:
        stack.callback(beside.unlink, missing_ok=True)
    return lock


def _create_file(file: Path, stack: ExitStack) -> None:
    """Create `file` if it is missing, readable by its owner alone. Add its removal to `stack`.

    SQLite creates its other files with the same mode.
    """
    if not file.exists():
        file.touch(mode=0o600)
        for made in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
            stack.callback(made.unlink, missing_ok=True)


def _make_engine(file: Path) -> sa.Engine:
    url = sa.URL.create("sqlite", database=str(file))
    engine = sa.create_engine(  # failed statements are logged without their parameters
        url, hide_parameters=True, poolclass=sa.pool.NullPool, isolation_level="AUTOCOMMIT"
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(driver: sqlite3.Connection, _record: object) -> None:
        driver.isolation_level = None  # `begin` writes BEGIN itself
        for pragma in _PRAGMAS:
            driver.execute(f"PRAGMA {pragma}")

    return engine
