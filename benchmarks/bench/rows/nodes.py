"""*nodes*: a move at nodes that share one PostgreSQL.

Players of a match are on one node, as those whose proxy sends the address of a match to one node.
*Apart*, they are on different nodes. One node also gets as many guesses as each of several nodes,
because moves at one node share commits.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bench.processes import driving, migrate, read_family_cpu, running
from bench.rows.row import Measure, Row, Run, list_warnings

if TYPE_CHECKING:
    from bench.processes import Subject

MATCHES = 200
RATE = 500.0  # guesses per second, in all matches: two cores are enough for three nodes
SECONDS, QUICK_SECONDS = 3.0, 1.5
WARM_UP_SECONDS = 1.0


class Place(NamedTuple):
    """Where matches are played: the number of nodes, and the guesses per second in all matches."""

    nodes: int
    rate: float = RATE


SQLITE = "SQLite"
ONE, APART = "1 node", ", apart"
PLACES = {
    SQLITE: Place(1),
    ONE: Place(1),
    "1 node, half of the moves": Place(1, RATE / 2),
    "1 node, a third of the moves": Place(1, RATE / 3),
    "2 nodes": Place(2),
    "3 nodes": Place(3),
    f"2 nodes{APART}": Place(2),
    f"3 nodes{APART}": Place(3),
}
MAX_RATIO = 1.2  # of the CPU for a move at several nodes to that at one
_SEVERAL = [name for name, place in PLACES.items() if place.nodes > 1]
_RATIOS = {  # names of the ratios of CPU, with both places
    f"CPU, {place}, to {other}": (place, other)
    for place, other in [
        *((place, SQLITE) for place in [ONE, *_SEVERAL]),
        *((place, ONE) for place in _SEVERAL),
        ("2 nodes", "1 node, half of the moves"),
        ("3 nodes", "1 node, a third of the moves"),
    ]
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
            await stack.enter_async_context(running(subject)) for _ in range(PLACES[place].nodes)
        ]
        driver = await stack.enter_async_context(driving(subject, *processes))
        await driver.do("open_matches", matches=MATCHES, met=float(not place.endswith(APART)))
        rate = PLACES[place].rate
        await driver.do("play", rate=rate, seconds=WARM_UP_SECONDS)
        before = read_family_cpu(postgres) if postgres else 0.0
        cost = await driver.do("play", rate=rate, seconds=seconds)
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
            name: Measure("times", None if other == SQLITE or APART in place else MAX_RATIO)
            for name, (place, other) in _RATIOS.items()
        },
        **{f"CPU of PostgreSQL, {place}": Measure("us per move") for place in list(PLACES)[1:]},
        **{f"{name}, {place}": Measure("ms") for name in _LATENCIES for place in PLACES},
    },
    run=_run,
    baselines=(),
)
