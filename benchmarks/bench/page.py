"""docs/PERFORMANCE.md: its tables and plots, which are written by `make bench ARGS="--write"`.

Beside the page there is a file of JSON for each row, with every run; the page is made of these.
"""

from __future__ import annotations

import re
from textwrap import fill
from typing import TYPE_CHECKING

import msgspec

from bench.machine import Circumstances
from bench.plot import draw
from bench.processes import TREE
from bench.report import Line, write_figure, write_range

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.rows.row import Plot

PAGE = TREE / "docs" / "PERFORMANCE.md"
FOLDER = TREE / "docs" / "performance"
BLOCK = re.compile(r"(<!-- bench: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


class Record(msgspec.Struct, frozen=True):
    """All lines of one row, how they came to be, and what must be said beside them."""

    row: str
    circumstances: Circumstances
    runs: int
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()


def keep(record: Record, folder: Path = FOLDER) -> None:
    """Write a row's file of JSON; an older one is replaced."""
    folder.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(record), indent=1)
    (folder / f"{record.row}.json").write_bytes(text + b"\n")


def find(row: str, folder: Path = FOLDER) -> Record:
    """Read a row's file of JSON; raises FileNotFoundError for one that was never measured."""
    return msgspec.json.decode((folder / f"{row}.json").read_bytes(), type=Record)


def list_rows(page: str) -> list[str]:
    """Return the rows that have a place on the page."""
    return [found[2] for found in BLOCK.finditer(page)]


def write(page: str, records: Sequence[Record]) -> str:
    """Return the page with the tables of these rows; raises ValueError if one has no place."""
    tables = {record.row: _tabulate(record) for record in records}
    if missing := set(tables) - set(list_rows(page)):
        raise ValueError(f"the page has no place for {', '.join(sorted(missing))}")

    def put(found: re.Match[str]) -> str:
        return f"{found[1]}{tables[found[2]]}{found[3]}" if found[2] in tables else found[0]

    return BLOCK.sub(put, page)


def draw_plot(plot: Plot, record: Record) -> str:
    """Return a plot of a row, of each subject that was measured."""
    series = {
        subject: [
            (size, line.spread)
            for size, name in plot.points
            for line in record.lines
            if (line.measure, line.subject) == (name, subject)
        ]
        for subject in dict.fromkeys(line.subject for line in record.lines)
    }
    return draw(plot.title, plot.across, {name: line for name, line in series.items() if line})


def _tabulate(record: Record) -> str:
    subjects = list(dict.fromkeys(line.subject for line in record.lines))
    head = ["", *subjects, "ratio", "at most"]
    cells = [head, ["---", *["---:"] * (len(head) - 1)]]
    for name in dict.fromkeys(line.measure for line in record.lines):
        of = {line.subject: line for line in record.lines if line.measure == name}
        last = of[next(reversed(of))]
        ratio = f"**{last.ratio.median:.2f}** ({write_range(last.ratio)})" if last.ratio else ""
        cells.append(
            [
                f"{name}, {last.unit}",
                *(_write(of[subject]) if subject in of else "" for subject in subjects),
                *(ratio, last.target + (", missed" if last.kept is False else "")),
            ]
        )
    rows = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    stated = record.circumstances
    notes = "".join(f"\n{note}.\n" for note in record.notes)
    caption = (
        f"Of {record.runs} runs the median, the least and the most; {stated.at} UTC, at commit"
        f" {stated.commit}. {stated.machine}."
    )
    return f"{rows}\n{notes}\n{fill(caption, 100, break_on_hyphens=False)}\n"


def _write(line: Line) -> str:
    return f"{write_figure(line.spread.median)} ({write_range(line.spread)})"
