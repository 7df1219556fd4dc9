"""*nodes*: what a move costs, and takes, where its players are on different nodes."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

import msgspec

from bench.commands import Done, OpenMatches, Play, Played
from bench.processes import driving, migrate, read_family_cpu, running
from bench.rows.row import Measure, Plot, Run, find_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

MATCHES = 200
RATE = 500.0  # guesses a second, of all matches together: three nodes get by on two cores
SECONDS, QUICK_SECONDS = 3.0, 1.5
WARM_UP_SECONDS = 1.0
ON_SQLITE = "on SQLite"
FLEETS = {"1 node": 1, "2 nodes": 2, "3 nodes": 3}  # on one PostgreSQL
PLACES = (ON_SQLITE, *FLEETS)
NO_DRIVER = "it is not measured: the package psycopg is not installed"


def name_figure(what: str, place: str) -> str:
    """Return the name of what is measured in one of the places."""
    return f"{what}, {place}"


class Nodes:
    """200 matches of two in the open loop: on one node with SQLite, and on nodes with PostgreSQL.

    The two of a match are on different nodes, where there are more than one.
    """

    name: ClassVar[str] = "nodes"
    bare: ClassVar[Sequence[Subject]] = ()
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (
        Measure(name_figure("CPU of all nodes", ON_SQLITE), "us a move"),
        *(
            Measure(
                name_figure("CPU of all nodes", place),
                "us a move",
                beside=name_figure("CPU of all nodes", ON_SQLITE),
            )
            for place in FLEETS
        ),
        *(Measure(name_figure("CPU of PostgreSQL", place), "us a move") for place in FLEETS),
        *(
            Measure(name_figure(what, place), "ms")
            for what in (
                "answered, p50",
                "answered, p99",
                "other seat told, p50",
                "other seat told, p99",
            )
            for place in PLACES
        ),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Play in each of the places in turn, in new matches."""
        if find_spec("psycopg") is None:
            return Run({}, [NO_DRIVER])
        from kit.postgres import NONE, find_databases  # it needs the driver, which is an extra

        with find_databases() as databases:
            if databases is None:
                return Run({}, [f"it is not measured: {NONE}"])
            pid = databases.find_process()
            figures, faults = await _play(subject, ON_SQLITE, 1, pid, quick=quick)
            for place, nodes in FLEETS.items():
                sharing = replace(subject, store=databases.make())
                await migrate(sharing)
                own, more = await _play(sharing, place, nodes, pid, quick=quick)
                figures |= own
                faults += more
        return Run(figures, faults)


async def _play(
    subject: Subject, place: str, nodes: int, postgres: int | None, *, quick: bool
) -> tuple[dict[str, float], list[str]]:
    """Play on so many nodes; return the figures, and the faults to be told beside them."""
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(running(subject)) for _ in range(nodes)]
        driver = await stack.enter_async_context(driving(subject, *processes))
        await driver.tell(OpenMatches(MATCHES), Done)
        await driver.tell(Play(RATE, WARM_UP_SECONDS), Played)
        before = read_family_cpu(postgres) if postgres else 0.0
        played = await driver.tell(Play(RATE, QUICK_SECONDS if quick else SECONDS), Played)
        database = read_family_cpu(postgres) - before if postgres else 0.0
    figures = {
        "CPU of all nodes": played.cpu / played.moves * 1e6,
        "answered, p50": played.p50 * 1e3,
        "answered, p99": played.p99 * 1e3,
        "other seat told, p50": played.told_p50 * 1e3,
        "other seat told, p99": played.told_p99 * 1e3,
    }
    if subject.store and postgres:
        figures["CPU of PostgreSQL"] = database / played.moves * 1e6
    elsewhere = max(0.0, played.elsewhere - database / played.seconds)
    faults = find_faults(msgspec.structs.replace(played, elsewhere=elsewhere), place)
    return {name_figure(what, place): value for what, value in figures.items()}, faults
