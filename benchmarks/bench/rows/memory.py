"""*memory*: what an idle connection takes, what a match does, and what is left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bench.commands import Come, Done, End, OpenMatches
from bench.processes import ROOM, driving, read_memory, running
from bench.rows.row import Measure, Plot, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

CONNECTIONS = 2000
MATCHES, EACH = 3000, 30  # as many as one player may open at once


class Memory:
    """The memory that a process has more with so many connections, and with so many matches."""

    name: ClassVar[str] = "memory"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (
        Measure("an idle connection", "KiB", most=20.0),
        Measure("an open match", "KiB", most=6.0),
        Measure("a match that ended", "KiB"),
        Measure("one more that ended", "KiB"),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Have connections, then matches of some of them, which end; and so again."""
        matches = MATCHES // 3 if quick else MATCHES
        sizes = []
        async with running(subject) as process, driving(subject, process) as driver:
            for command in (
                Come(CONNECTIONS // 20),  # what is made once is there
                Come(CONNECTIONS + CONNECTIONS // 20),
                OpenMatches(matches, EACH),
                End(),
                OpenMatches(matches, EACH),  # of others who are there already
                End(),
            ):
                await driver.tell(command, Done)
                sizes.append(read_memory(process.pid) / 1024)
        few, idle, opened, ended, _, again = sizes
        return Run(
            {
                "an idle connection": (idle - few) / CONNECTIONS,
                "an open match": (opened - idle) / matches,
                "a match that ended": (ended - idle) / matches,
                "one more that ended": (again - ended) / matches,
            }
        )
