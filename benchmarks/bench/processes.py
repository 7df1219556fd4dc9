"""Processes that are measured: a server or the bare room, and what the system tells of them."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bench.commands import AnyCommand

TREE = Path(__file__).resolve().parents[2]
SERVE = "import sys; from mastermind_server.cli import main; sys.exit(main())"
DATABASE = "bench.sqlite3"  # in a server's folder
_CPU_CLOCK = 2  # of all threads of a process, those that have ended too, in nanoseconds

Report = TypeVar("Report")


def read_cpu(*pids: int) -> float:
    """Return the CPU seconds that processes have used, in user code and in the system's."""
    return sum(time.clock_gettime((~pid << 3) | _CPU_CLOCK) for pid in pids)


def read_family_cpu(pid: int) -> float:
    """Return the CPU seconds of a process and its children, and of those that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    used = read_cpu(pid) + sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    for child in map(int, children.split()):
        with suppress(OSError):  # it has ended since
            used += read_cpu(child)
    return used


def read_memory(pid: int) -> int:
    """Return the bytes of memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def read_busy() -> float:
    """Return the seconds that the cores of the machine were busy since it started, all together."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)
    user, nice, system = map(int, fields[1:4])
    interrupts = sum(map(int, fields[6:8]))
    return (user + nice + system + interrupts) / os.sysconf("SC_CLK_TCK")


def read_stolen() -> float:
    """Return the seconds for which other machines on the same hardware held up this one's cores."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: the server of a tree, or what is bare where there is none."""

    name: str
    tree: Path | None
    options: tuple[str, ...] = field(default=(), kw_only=True)  # of the bare room
    store: str | None = field(default=None, kw_only=True)  # the URL of many nodes' database

    @property
    def house(self) -> str:
        """Where the class is by which the load driver's clients come to their matches."""
        return f"bench.matches:{'ServerHouse' if self.tree else 'BareHouse'}"

    def command(self, folder: Path) -> list[str]:
        """Return what starts it; what it stores goes into the folder."""
        if self.tree is None:
            return [sys.executable, "-m", "bench.reference", *self.options]
        place = ["--store", self.store] if self.store else ["--database", str(folder / DATABASE)]
        return [sys.executable, "-c", SERVE, "--port", "0", *place, "--log-level", "ERROR"]

    def environment(self) -> dict[str, str]:
        """Return the environment in which the tree's own packages are found before all others."""
        tree = self.tree or TREE
        folders = [tree / "protocol", tree / "server", TREE / "benchmarks"]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}


ROOM = Subject("bare", None)
ROOM_ON_UVLOOP = Subject("bare on uvloop", None, options=("--uvloop",))
SERVER = Subject("server", TREE)


@dataclass(frozen=True, slots=True)
class Process:
    """One that has said, `ready` seconds after its start, that it listens at an address."""

    address: str
    pid: int
    ready: float


@asynccontextmanager
async def running(subject: Subject, folder: Path | None = None) -> AsyncIterator[Process]:
    """Run a subject. Without a folder it has one of its own, for as long as it runs."""
    if folder is None:
        with tempfile.TemporaryDirectory() as own:
            async with running(subject, Path(own)) as process:
                yield process
        return
    began = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        *subject.command(folder), stdout=asyncio.subprocess.PIPE, env=subject.environment()
    )
    try:
        assert child.stdout is not None
        line = (await child.stdout.readline()).decode()
        assert line.startswith("listening on "), f"{subject.name} does not start: {line!r}"
        yield Process(line.split()[2], child.pid, time.perf_counter() - began)
    finally:
        child.terminate()
        await child.wait()


async def migrate(subject: Subject) -> None:
    """Make the tables of the database that a subject's nodes share."""
    assert subject.store is not None
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, "migrate", "--store", subject.store),
        stdout=asyncio.subprocess.DEVNULL,
        env=subject.environment(),
    )
    assert await child.wait() == 0, "the tables could not be made: what was said is above"


class Driver:
    """The load driver: a process of its own, that does one command after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def tell(self, command: AnyCommand, report: type[Report]) -> Report:
        """Have a command done; return the report of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(command) + b"\n")
        line = await self._process.stdout.readline()
        assert line, "the driver has failed: what it says is above"
        return msgspec.json.decode(line, type=report)


@asynccontextmanager
async def driving(subject: Subject, *processes: Process) -> AsyncIterator[Driver]:
    """Run a load driver whose clients go to each of a subject's processes in turn."""
    places = [f"{process.address},{process.pid}" for process in processes]
    driver = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.driver", subject.house, *places),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TREE / "benchmarks")},
    )
    try:
        yield Driver(driver)
    finally:
        if driver.returncode is None:
            driver.terminate()
        await driver.wait()


async def run_inside(subject: Subject, module: str, *arguments: str) -> dict[str, float]:
    """Run a module of this package within a subject's tree; return the figures that it prints."""
    bare = ["--bare"] if subject.tree is None else []
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments, *bare),
        stdout=asyncio.subprocess.PIPE,
        env=subject.environment(),
    )
    said, _ = await child.communicate()
    assert child.returncode == 0, f"{module} has failed: what it says is above"
    return msgspec.json.decode(said, type=dict[str, float])
