"""*reconnecting*: how soon a thousand are back, and how soon a server is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bench.commands import Advance, Done, OpenMatches, Return
from bench.processes import ROOM, driving, running
from bench.rows.row import Measure, Plot, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

CLIENTS = 1000
GUESSES = 10  # in each match, of which those who come back have missed some


class Reconnecting:
    """All lines of a thousand players in 500 matches drop, and all come back at once."""

    name: ClassVar[str] = "reconnecting"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (
        Measure("all 1,000 are back after", "s", most=3.0),
        Measure("CPU", "us a client"),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Play a little, lose the lines, and return."""
        clients = CLIENTS // 5 if quick else CLIENTS
        async with running(subject) as process, driving(subject, process) as driver:
            await driver.tell(OpenMatches(clients // 2), Done)
            await driver.tell(Advance(GUESSES), Done)
            back = await driver.tell(Return(), Done)
        return Run({"all 1,000 are back after": back.seconds, "CPU": back.cpu / clients * 1e6})
