"""*store*: rows appended a second, alone and many at once, beside the bare driver of SQLite."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, ClassVar

from bench.processes import ROOM, run_inside
from bench.rows.row import Measure, Plot, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

GROUPS = (1, 32, 256)  # rows that wait to be written at the same time


def name_rate(group: int) -> str:
    """Return the name of the rate at which so many are written at once."""
    return "appends, alone" if group == 1 else f"appends, {group} at once"


def name_cpu(group: int) -> str:
    """Return the name of what one of so many costs."""
    return "CPU, alone" if group == 1 else f"CPU, {group} at once"


class Store:
    """The way of a row through the writer's thread to the disk; bare: one `executemany`."""

    name: ClassVar[str] = "store"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = False  # it calls the store's own functions, which are this tree's
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (
        *(Measure(name_rate(group), "a second") for group in GROUPS),
        *(Measure(name_cpu(group), "us an append") for group in GROUPS),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:  # noqa: ARG002 - it is quick
        """Write into a new file."""
        with tempfile.TemporaryDirectory() as folder:
            return Run(await run_inside(subject, "bench.inside.store", folder))
