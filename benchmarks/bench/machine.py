"""What was measured, where and when: without it a figure says nothing."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

import msgspec

from bench.processes import TREE

PACKAGES = ("websockets", "msgpack", "msgspec", "uvloop")
SYNCS = 50


class Machine(msgspec.Struct, frozen=True):
    """The machine and the packages; `sync` is how many seconds its disk takes for an fsync.

    A package of `versions` that is not installed is not among them.
    """

    processor: str
    cores: int
    system: str
    python: str
    sqlite: str
    versions: dict[str, str]
    sync: float

    def __str__(self) -> str:
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        loop = "" if "uvloop" in self.versions else ", no uvloop"
        return (
            f"{self.cores} cores of {self.processor}, {self.system}; Python {self.python}, "
            f"{packages}{loop}, SQLite {self.sqlite}; an fsync takes {self.sync * 1e3:.2f} ms"
        )


class Circumstances(msgspec.Struct, frozen=True):
    """The machine, the commit (with a `+` if files were changed since) and the time (UTC)."""

    machine: Machine
    commit: str
    at: str


def find_circumstances() -> Circumstances:
    """Return what is so now."""
    return Circumstances(_find_machine(), _find_commit(), f"{datetime.now(UTC):%Y-%m-%d %H:%M}")


def _find_machine() -> Machine:
    return Machine(
        processor=_find_processor(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        versions={name: found for name in PACKAGES if (found := _find_version(name))},
        sync=_time_sync(),
    )


def _find_processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _find_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _time_sync() -> float:
    """Append and sync a page at a time, as a commit does; return the median, in seconds."""
    took = []
    with tempfile.TemporaryFile() as file:
        for _ in range(SYNCS):
            began = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return median(took)


def _find_commit() -> str:
    """Return the commit; an unpacked archive has none."""
    try:
        commit = _ask_git("rev-parse", "--short", "HEAD")
        return commit + "+" * bool(_ask_git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.CalledProcessError):
        return "no commit"


def _ask_git(*arguments: str) -> str:
    command = ("git", "-C", str(TREE), *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
