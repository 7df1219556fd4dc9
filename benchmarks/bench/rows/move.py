"""*move*: one guess is received, committed, and sent to both seats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.processes import BASELINE, BASELINE_ON_UVLOOP, driving, running
from bench.rows.row import Measure, Row, Run, list_warnings

if TYPE_CHECKING:
    from bench.processes import Subject

MATCHES = 200
RATES = {"50/s": 50.0, "500/s": 500.0, "2,000/s": 2000.0}  # guesses per second, in all matches
SINGLE_GUESSES = 400  # for each second of the other measures
SECONDS, QUICK_SECONDS = 2.5, 1.0
WARM_UP_SECONDS = 0.5


async def _run(subject: Subject, quick: bool) -> Run:
    seconds = QUICK_SECONDS if quick else SECONDS
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=MATCHES)
        figures: dict[str, float] = {}
        warnings: list[str] = []
        for name, rate in RATES.items():
            await driver.do("play", rate=rate, seconds=WARM_UP_SECONDS)
            paced = await driver.do("play", rate=rate, seconds=seconds)
            figures[f"CPU at {name}"] = paced.per_move
            figures[f"answer at {name}, p50"] = paced.p50 * 1e3
            figures[f"answer at {name}, p99"] = paced.p99 * 1e3
            warnings += list_warnings(paced, f"at {name}")
        single = await driver.do("play_one_at_a_time", moves=round(seconds * SINGLE_GUESSES))
        full = await driver.do("saturate", seconds=seconds)
    figures["CPU one at a time"] = single.per_move
    figures["answer one at a time, p50"] = single.p50 * 1e3
    figures["answer one at a time, p99"] = single.p99 * 1e3
    figures["CPU saturated"] = full.per_move
    figures["moves saturated"] = full.moves / full.seconds
    warnings += list_warnings(single, "one at a time")
    return Run(figures, [*warnings, *list_warnings(full, "saturated")])


MOVE = Row(
    name="move",
    measures={
        "CPU at 50/s": Measure("us per move"),
        "answer at 50/s, p50": Measure("ms", most=1.2),  # of an idle process
        "answer at 50/s, p99": Measure("ms"),
        "CPU at 500/s": Measure("us per move"),
        "answer at 500/s, p50": Measure("ms", most=1.2),
        "answer at 500/s, p99": Measure("ms"),
        "CPU at 2,000/s": Measure("us per move", ratio=1.5),
        "answer at 2,000/s, p50": Measure("ms"),
        "answer at 2,000/s, p99": Measure("ms", most=10),
        "CPU one at a time": Measure("us per move"),
        "answer one at a time, p50": Measure("ms", most=1.2),
        "answer one at a time, p99": Measure("ms"),
        "CPU saturated": Measure("us per move", ratio=1.6),
        "moves saturated": Measure("per second"),
    },
    run=_run,
    baselines=(BASELINE, BASELINE_ON_UVLOOP),
)
