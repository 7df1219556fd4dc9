"""The results of `make bench`: one list for JSON, one table of Markdown."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from bench.processes import BASELINE, BASELINE_ON_UVLOOP, SERVER, TREE

if TYPE_CHECKING:
    from bench.rows.row import Measure

PACKAGES = ("websockets", "msgpack", "msgspec", "uvloop")
SYNCS = 50


class Result(msgspec.Struct, frozen=True):
    """All runs of one row: figures by measure and subject, one per run."""

    row: str
    runs: int
    at: str  # UTC
    commit: str  # with a + if files were changed
    machine: str
    figures: Mapping[str, Mapping[str, Sequence[float]]]
    warnings: Sequence[str]


def list_cells(
    results: Sequence[Result], measures: Mapping[str, Mapping[str, Measure]]
) -> list[list[str]]:
    """Return the table, its head first; `measures` are by row and name.

    Ratios are those of the server to every other server and to the baseline, in the same run.
    """
    lines = [(result, name, runs) for result in results for name, runs in result.figures.items()]
    subjects = list(dict.fromkeys(subject for _, _, runs in lines for subject in runs))
    references = [name for name in subjects if name not in (SERVER.name, BASELINE_ON_UVLOOP.name)]
    cells = [["measure", *subjects, *(f"{SERVER.name} / {name}" for name in references), "limit"]]
    for result, name, runs in lines:
        measure = measures[result.row][name]
        ratios = {
            other: [own / its for own, its in zip(runs[SERVER.name], runs[other], strict=True)]
            for other in references
            if runs.get(other) and runs.get(SERVER.name)
        }
        cells.append(
            [
                f"{result.row}: {name}, {measure.unit}",
                *(write_spread(runs.get(subject, ())) for subject in subjects),
                *(write_spread(ratios.get(other, ())) for other in references),
                _judge(measure, runs.get(SERVER.name, ()), ratios.get(BASELINE.name, ())),
            ]
        )
    return cells


def _judge(measure: Measure, values: Sequence[float], ratios: Sequence[float]) -> str:
    """Return the limit of a measure, and whether the median of the runs exceeds it."""
    if measure.most is not None:
        return f"{measure.most:g} {measure.unit}" + _mark(values, measure.most)
    return f"{measure.ratio:g} times" + _mark(ratios, measure.ratio) if measure.ratio else ""


def _mark(values: Sequence[float], most: float) -> str:
    return ", missed" if values and median(values) > most else ""


def write_spread(values: Sequence[float]) -> str:
    """Return the median, and the least and the greatest of several values."""
    if not values:
        return ""
    spread = f" ({write_figure(min(values))}..{write_figure(max(values))})" * (len(values) > 1)
    return write_figure(median(values)) + spread


def write_figure(value: float) -> str:
    """Return a figure with three significant digits, or all digits of a larger integer part."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def write_table(cells: Sequence[Sequence[str]]) -> str:
    """Return a table as aligned Markdown."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    head, *rows = [" | ".join(map(str.ljust, row, widths)) for row in cells]
    rule = " | ".join(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(f"| {row} |" for row in (head, rule, *rows))


def find_circumstances() -> dict[str, str]:
    """Return the time, the commit and the machine of a result."""
    return {
        "at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "commit": _find_commit(),
        "machine": (
            f"{os.cpu_count()} cores of {_find_processor()}, {platform.system()}"
            f" {platform.release().partition('-')[0]}; Python {platform.python_version()},"
            f" {', '.join(map(_find_version, PACKAGES))}, SQLite {sqlite3.sqlite_version};"
            f" an fsync takes {_time_sync() * 1e3:.2f} ms"
        ),
    }


def _find_processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _find_version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def _time_sync() -> float:
    """Return the median seconds to append and sync a page."""
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
    try:
        changed = _run_git("status", "--porcelain", "--untracked-files=no")
        return _run_git("rev-parse", "--short", "HEAD") + "+" * bool(changed)
    except (OSError, subprocess.CalledProcessError):
        return "no commit"  # an unpacked archive


def _run_git(*arguments: str) -> str:
    command = ("git", "-C", str(TREE), *arguments)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
