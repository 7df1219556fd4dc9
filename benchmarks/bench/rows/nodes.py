"""*nodes*: a move at nodes that share one PostgreSQL.

Players of a match are on one node, as those whose proxy sends the address of a match to one node.
*Apart*, they are on different nodes.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from bench.processes import driving, migrate, read_family_cpu, running
from bench.rows.row import Measure, Row, Run, list_warnings

if TYPE_CHECKING:
    from bench.processes import Subject

MATCHES = 200
RATE = 500.0  # guesses per second, in all matches: two cores are enough for three nodes
SECONDS, QUICK_SECONDS = 3.0, 1.5
WARM_UP_SECONDS = 1.0
SQLITE = "SQLite"
ONE, APART = "1 node", ", apart"
PLACES = {
    SQLITE: 1, ONE: 1, "2 nodes": 2, "3 nodes": 3, f"2 nodes{APART}": 2, f"3 nodes{APART}": 3,
}  # the number of nodes  # fmt: skip
MAX_RATIO = 1.2  # of the CPU for a move at several nodes to that at one
_RATIOS = {  # names of the ratios of CPU, with both places
    f"CPU, {place}, to {other}": (place, other)
    for number, other in enumerate((SQLITE, ONE), start=1)
    for place in list(PLACES)[number:]
}
NO_DRIVER = "not measured: the package psycopg is not installed"


async def _run(subject: Subject, quick: bool) -> Run:
    if find_spec("psycopg") is None:
        return Run({}, [NO_DRIVER])
    from kit.postgres import NONE, find_databases  # late: psycopg is an extra

    figures: dict[str, float] = {}
    warnings: list[str] = []
    with find_databases() as databases:
        if databases is None:
            return Run({}, [f"not measured: {NONE}"])
        pid = databases.find_process()
        for place in PLACES:
            shared = subject
            if place != SQLITE:
                shared = replace(subject, store=databases.make())
                await migrate(shared)
            run = await _play(shared, place, pid, QUICK_SECONDS if quick else SECONDS)
            figures |= run.figures
            warnings += run.warnings
    for name, (place, other) in _RATIOS.items():
        figures[name] = figures[f"CPU of nodes, {place}"] / figures[f"CPU of nodes, {other}"]
    return Run(figures, warnings)


async def _play(subject: Subject, place: str, postgres: int | None, seconds: float) -> Run:
    async with AsyncExitStack() as stack:
        processes = [
            await stack.enter_async_context(running(subject)) for _ in range(PLACES[place])
        ]
        driver = await stack.enter_async_context(driving(subject, *processes))
        await driver.do("open_matches", matches=MATCHES, met=float(not place.endswith(APART)))
        await driver.do("play", rate=RATE, seconds=WARM_UP_SECONDS)
        before = read_family_cpu(postgres) if postgres else 0.0
        cost = await driver.do("play", rate=RATE, seconds=seconds)
        database = read_family_cpu(postgres) - before if postgres else 0.0
    figures = {
        f"CPU of nodes, {place}": cost.per_move,
        f"answer, p50, {place}": cost.p50 * 1e3,
        f"answer, p99, {place}": cost.p99 * 1e3,
        f"event at the other seat, p50, {place}": cost.event_p50 * 1e3,
        f"event at the other seat, p99, {place}": cost.event_p99 * 1e3,
    }
    if subject.store and postgres:
        figures[f"CPU of PostgreSQL, {place}"] = database / cost.moves * 1e6
    others = max(0.0, cost.others - database / cost.seconds)
    return Run(figures, list_warnings(msgspec.structs.replace(cost, others=others), place))


_LATENCIES = (
    *("answer, p50", "answer, p99"),
    *("event at the other seat, p50", "event at the other seat, p99"),
)
NODES = Row(
    name="nodes",
    measures={
        **{f"CPU of nodes, {place}": Measure("us per move") for place in PLACES},
        **{
            name: Measure("times", MAX_RATIO if other == ONE and APART not in place else None)
            for name, (place, other) in _RATIOS.items()
        },
        **{f"CPU of PostgreSQL, {place}": Measure("us per move") for place in list(PLACES)[1:]},
        **{f"{name}, {place}": Measure("ms") for name in _LATENCIES for place in PLACES},
    },
    run=_run,
    baselines=(),
)
