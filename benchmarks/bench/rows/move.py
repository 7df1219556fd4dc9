"""*move*: one guess is received, committed, and sent to both seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.processes import BASELINE, BASELINE_ON_UVLOOP, driving, running
from bench.rows.row import Measure, Row, Run, list_warnings

if TYPE_CHECKING:
    from bench.processes import Subject

MATCHES = 200
RATE = 2000.0  # guesses per second, in all matches
SECONDS, QUICK_SECONDS = 2.5, 1.0
WARM_UP_SECONDS = 0.5


async def _run(subject: Subject, quick: bool) -> Run:
    seconds = QUICK_SECONDS if quick else SECONDS
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=MATCHES)
        await driver.do("play", rate=RATE, seconds=WARM_UP_SECONDS)
        paced = await driver.do("play", rate=RATE, seconds=seconds)
        full = await driver.do("saturate", seconds=seconds)
    figures = {
        "CPU at 2,000/s": paced.per_move,
        "answer at 2,000/s, p50": paced.p50 * 1e3,
        "answer at 2,000/s, p99": paced.p99 * 1e3,
        "CPU saturated": full.per_move,
        "moves saturated": full.moves / full.seconds,
    }
    warnings = [*list_warnings(paced, "at 2,000/s"), *list_warnings(full, "saturated")]
    return Run(figures, warnings)


MOVE = Row(
    name="move",
    measures={
        "CPU at 2,000/s": Measure("us per move", ratio=1.5),
        "answer at 2,000/s, p50": Measure("ms"),
        "answer at 2,000/s, p99": Measure("ms", most=10),
        "CPU saturated": Measure("us per move", ratio=2),
        "moves saturated": Measure("per second"),
    },
    run=_run,
    baselines=(BASELINE, BASELINE_ON_UVLOOP),
)
