"""*clocks*: of an idle server, whose players think while their clocks run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.processes import driving, running
from bench.rows.row import Measure, Row, Run

if TYPE_CHECKING:
    from bench.processes import Subject

CLOCKS, EACH = 2000, 30  # 30 is the limit on one player's open matches
SETTLE_SECONDS = 4.0  # the presence of the players is written meanwhile
IDLE_SECONDS, QUICK_SECONDS = 60.0, 20.0  # the store is read every five seconds


async def _measure(subject: Subject, seconds: float, *, clock: bool) -> float:
    """Return the CPU of a server with CLOCKS matches, in percent of a core."""
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=CLOCKS, each=EACH, clock=float(clock))
        await driver.do("wait", seconds=SETTLE_SECONDS)
        cost = await driver.do("wait", seconds=seconds)
    return cost.cpu / cost.seconds * 100


async def _run(subject: Subject, quick: bool) -> Run:
    seconds = QUICK_SECONDS if quick else IDLE_SECONDS
    without = await _measure(subject, seconds, clock=False)
    with_clocks = await _measure(subject, seconds, clock=True)
    return Run({"without clocks": without, "clocks": with_clocks - without})


RUNNING_CLOCKS = Row(
    name="clocks",
    measures={
        "without clocks": Measure("% of a core"),
        "clocks": Measure("% of a core", most=1),
    },
    run=_run,
    baselines=(),
)
