"""*move*: what one guess costs, in, on disk, and out to both seats."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bench.commands import Done, OpenMatches, Play, Played, Saturate
from bench.processes import ROOM, ROOM_ON_UVLOOP, driving, running
from bench.rows.row import Measure, Plot, Run, find_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

MATCHES = 200
RATE = 2000.0  # guesses a second, of all matches together
SECONDS, QUICK_SECONDS = 2.5, 1.0
WARM_UP_SECONDS = 0.5


class Move:
    """200 matches of two: an open loop at 2,000 guesses a second, and then as many as it takes."""

    name: ClassVar[str] = "move"
    bare: ClassVar[Sequence[Subject]] = (ROOM, ROOM_ON_UVLOOP)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (
        Measure("CPU at 2,000/s", "us a move", ratio=1.5),
        Measure("answered, p50", "ms"),
        Measure("answered, p99", "ms", most=10.0),
        Measure("CPU saturated", "us a move", ratio=2.0),
        Measure("moves saturated", "a second"),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Play both ways, in the same matches."""
        seconds = QUICK_SECONDS if quick else SECONDS
        async with running(subject) as process, driving(subject, process) as driver:
            await driver.tell(OpenMatches(MATCHES), Done)
            await driver.tell(Play(RATE, WARM_UP_SECONDS), Played)
            paced = await driver.tell(Play(RATE, seconds), Played)
            full = await driver.tell(Saturate(seconds), Played)
        figures = (
            paced.cpu / paced.moves * 1e6,
            paced.p50 * 1e3,
            paced.p99 * 1e3,
            full.cpu / full.moves * 1e6,
            full.moves / full.seconds,
        )
        named = {measure.name: value for measure, value in zip(self.measures, figures, strict=True)}
        faults = find_faults(paced, "at 2,000/s"), find_faults(full, "saturated")
        return Run(named, [fault for found in faults for fault in found])
