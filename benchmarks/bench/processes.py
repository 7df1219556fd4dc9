"""The measured processes, the load driver's process, and their CPU time and memory."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kit.processes import Server, read_cpu, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

TREE = Path(__file__).resolve().parents[2]
DRIVER_FOLDERS = (TREE / "benchmarks", TREE / "tests")
SERVE = "import sys; from mastermind_server.cli import main; sys.exit(main())"
DATABASE = "bench.sqlite3"  # in a server's folder
# The driver's clients would meet these limits; every other limit is as usual.
WIDE_LIMITS = {"handshakes": "{burst = 100000, per_second = 100000.0}", "spectators": "5000"}


def read_family_cpu(pid: int) -> float:
    """Return the CPU seconds of a process and its children, finished children included."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    used = read_cpu(pid) + sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    for child in map(int, children.split()):
        with suppress(OSError):  # the child has exited
            used += read_cpu(child)
    return used


def read_busy() -> float:
    """Return the busy seconds of all cores since the machine started."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)
    user, nice, system = map(int, fields[1:4])
    interrupts = sum(map(int, fields[6:8]))
    return (user + nice + system + interrupts) / os.sysconf("SC_CLK_TCK")


def read_stolen() -> float:
    """Return the steal time of all cores in seconds: the hypervisor ran other machines."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Subject:
    """A program under measurement: the server of a checkout, or the baseline if `tree` is None.

    `limits` has limits of a server by name, as TOML.
    """

    name: str
    tree: Path | None
    options: tuple[str, ...] = field(default=(), kw_only=True)  # of the baseline
    store: str | None = field(default=None, kw_only=True)  # URL of the nodes' shared database
    limits: Mapping[str, str] = field(default_factory=lambda: WIDE_LIMITS, hash=False, kw_only=True)

    def command(self, folder: Path) -> list[str]:
        """Return the command line; the server's files are in `folder`."""
        if self.tree is None:
            return [sys.executable, "-m", "bench.baseline", *self.options]
        store = ["--store", self.store] if self.store else ["--database", str(folder / DATABASE)]
        command = [sys.executable, "-c", SERVE, "--port", "0", *store, "--log-level", "ERROR"]
        return [*command, "--limits", str(self._write_limits(folder))]

    def _write_limits(self, folder: Path) -> Path:
        """Write those of `limits` that this tree knows, and return the file."""
        assert self.tree is not None
        known = (self.tree / "server/mastermind_server/limits.py").read_text(encoding="utf-8")
        lines = [
            f"{name} = {limit}" for name, limit in self.limits.items() if f" {name}: " in known
        ]
        (folder / "limits.toml").write_text("\n".join(lines), encoding="utf-8")
        return folder / "limits.toml"

    def environment(self) -> dict[str, str]:
        """Return an environment in which the tree's packages precede installed ones."""
        tree = self.tree or TREE
        folders = [tree / "protocol", tree / "server", TREE / "benchmarks"]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}


BASELINE = Subject("baseline", None)
BASELINE_ON_UVLOOP = Subject("baseline on uvloop", None, options=("--uvloop",))
SERVER = Subject("server", TREE)


@asynccontextmanager
async def running(subject: Subject) -> AsyncIterator[Server]:
    """Run a subject in a temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = Server(subject.command(folder), folder / "errors", subject.environment())
        async with serving(server):
            yield server


async def migrate(subject: Subject) -> None:
    """Create the tables of the nodes' shared database."""
    assert subject.store is not None
    command = [sys.executable, "-c", SERVE, "migrate", "--store", subject.store]
    environment = subject.environment()
    await asyncio.to_thread(
        subprocess.run, command, check=True, stdout=subprocess.DEVNULL, env=environment
    )


class Cost(msgspec.Struct, frozen=True):
    """The cost of one command of the load driver; times are in seconds.

    `cpu` is that of the measured processes. Latencies count from the time at which a guess was
    due: `p50` and `p99` until its answer, `event_p50` and `event_p99` until its event reached the
    other seat. `driver` is the driver's share of a core, `late` the 99th percentile of its delay
    in sending, `others` the number of cores that other programs used, `stolen` the number of
    cores that the hypervisor gave to other machines.
    """

    cpu: float
    seconds: float
    moves: int = 0
    p50: float = 0.0
    p99: float = 0.0
    event_p50: float = 0.0
    event_p99: float = 0.0
    driver: float = 0.0
    late: float = 0.0
    others: float = 0.0
    stolen: float = 0.0
    longest_ping: float = 0.0

    @property
    def per_move(self) -> float:
        """CPU per move, in microseconds."""
        return self.cpu / self.moves * 1e6


class Driver:
    """The load driver: a process of its own that runs one command after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def do(self, command: str, **options: float) -> Cost:
        """Run a command, a method of `bench.driver.Commands`; return its cost."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode([command, options]) + b"\n")
        line = await self._process.stdout.readline()
        assert line, "the driver failed: see its output above"
        return msgspec.json.decode(line, type=Cost)


@asynccontextmanager
async def driving(subject: Subject, *processes: Server) -> AsyncIterator[Driver]:
    """Run a load driver whose clients connect to a subject's processes in round robin."""
    dialect = "ServerDialect" if subject.tree else "BaselineDialect"
    targets = [f"{process.address},{process.pid}" for process in processes]
    driver = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.driver", dialect, *targets),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, DRIVER_FOLDERS))},
    )
    try:
        yield Driver(driver)
    finally:
        if driver.returncode is None:
            driver.terminate()
        await driver.wait()
