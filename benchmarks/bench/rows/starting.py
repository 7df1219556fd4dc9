"""*starting*: how soon a server is ready, with an empty file and with many finished matches."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar

from bench.commands import Advance, Done, End, OpenMatches
from bench.processes import DATABASE, ROOM, driving, read_cpu, running
from bench.rows.row import Measure, Plot, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

FINISHED = 100_000
GUESSES = 6  # in each of them
EMPTY, FULL = "empty file", f"{FINISHED:,} finished"
# Codes that nobody has drawn; who asked for what is known of the first alone.
NUMBERS = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {FINISHED})"  # noqa: S608 - a number
INSTEAD = {"match": "printf('%06d', n.i)", "request": "NULL", "digest": "NULL"}


class Starting:
    """From the start of the process until it says where it listens."""

    name: ClassVar[str] = "starting"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (
        Measure(f"ready, {EMPTY}", "s", most=0.8),
        Measure(f"ready, {FULL}", "s", most=0.8),
        Measure(f"CPU, {EMPTY}", "s"),
        Measure(f"CPU, {FULL}", "s"),
    )

    def __init__(self) -> None:
        self._full: dict[str, TemporaryDirectory[str]] = {}  # by the subject whose server made it

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Start twice; the large file is made in the first run, and there for all."""
        figures = await self._start(subject, EMPTY, None)
        if subject.tree is not None and not quick:
            if subject.name not in self._full:
                self._full[subject.name] = TemporaryDirectory()
                await _fill(subject, Path(self._full[subject.name].name))
            folder = Path(self._full[subject.name].name)
            figures |= await self._start(subject, FULL, folder)
        return Run(figures)

    async def _start(self, subject: Subject, what: str, folder: Path | None) -> dict[str, float]:
        async with running(subject, folder) as process:
            cpu = read_cpu(process.pid)
        return {f"ready, {what}": process.ready, f"CPU, {what}": cpu}


async def _fill(subject: Subject, folder: Path) -> None:
    """Have one match played to its end, and the file keep it under very many codes."""
    async with running(subject, folder) as process, driving(subject, process) as driver:
        await driver.tell(OpenMatches(1), Done)
        await driver.tell(Advance(GUESSES), Done)
        await driver.tell(End(), Done)
    await asyncio.to_thread(_multiply, folder / DATABASE)


def _multiply(file: Path) -> None:
    """Copy all rows of the one match, whatever tables this version of the server has."""
    with closing(sqlite3.connect(file)) as connection, connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM pragma_table_list")]
        for table in tables:
            query = "SELECT name FROM pragma_table_info(?)"
            columns = [row[0] for row in connection.execute(query, (table,))]
            if "match" in columns:
                names = ", ".join(f'"{name}"' for name in columns)
                values = ", ".join(INSTEAD.get(name, f't."{name}"') for name in columns)
                copied = f"CREATE TEMP TABLE copied AS SELECT * FROM {table}"  # noqa: S608 - its own
                connection.execute(copied)
                insert = f"{NUMBERS} INSERT INTO {table} ({names}) SELECT {values} FROM n, copied t"  # noqa: S608 - its own
                connection.execute(insert)
                connection.execute("DROP TABLE copied")
