"""*watching*: what it costs to tell many of one event, and who else waits meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from bench.commands import Come, Done, LookOn, OpenMatches, Played, Probe, Show
from bench.processes import ROOM, driving, running
from bench.rows.row import Measure, Plot, Run, find_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

# A server takes 5,000 connections: the last are those who play, and the probe's.
SIZES = (100, 1000, 4950)
EVENTS = 10.0, 5.0, 2.0  # a second, for each size: bare, the largest takes 70 ms
COST_SECONDS = 1.0
PROBE_SECONDS, SHOW_SECONDS = 1.7, 2.2  # nobody reads before the probe is done
ALONE_RATE, ALONE_SECONDS = 40.0, 1.0  # in the same match, without spectators
WARM_UP_SECONDS = 2.0  # of telling the first: who compiles while it runs is to have done so
PROBE_MATCHES, PROBE_RATE = 10, 200.0  # guesses a second, elsewhere
PING_CONNECTIONS, PING_RATE = 20, 500.0
SETTLE_SECONDS = 1.2  # in which the spectators are told how many they are


def _name(what: str, size: int) -> str:
    return f"{what}, {size:,} spectators"


class Watching:
    """One match is told of to ever more spectators, while others play and a probe pings."""

    name: ClassVar[str] = "watching"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = (
        Plot(
            "watching-cost",
            "CPU a recipient, us",
            "spectators",
            [(size, _name("CPU", size)) for size in SIZES],
        ),
        Plot(
            "watching-wait",
            "Longest ping, ms",
            "spectators",
            [(size, _name("longest ping", size)) for size in SIZES],
        ),
    )
    measures: ClassVar[Sequence[Measure]] = (
        *(Measure(_name("CPU", size), "us a recipient", ratio=1.2) for size in SIZES),
        Measure(_name("longest ping", 0), "ms"),
        *(Measure(_name("longest ping", size), "ms", most=10.0) for size in SIZES),
        Measure(_name("p99 elsewhere", 0), "ms"),
        *(Measure(_name("p99 elsewhere", size), "ms", most=20.0) for size in SIZES),
        *(Measure(_name("CPU to follow", size), "us a spectator") for size in SIZES),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Let the spectators come, step by step, and measure at each."""
        figures: dict[str, float] = {}
        faults: list[str] = []
        sizes = SIZES[:2] if quick else SIZES
        async with (
            running(subject) as process,
            driving(subject, process) as driver,
            driving(subject, process) as probe,
        ):
            await driver.tell(OpenMatches(1), Done)
            await probe.tell(OpenMatches(PROBE_MATCHES), Done)
            await probe.tell(Come(PING_CONNECTIONS), Done)
            alone = await driver.tell(Show(ALONE_RATE, ALONE_SECONDS), Played)
            still = await probe.tell(Probe(PROBE_RATE, PING_RATE, PROBE_SECONDS), Played)
            faults += find_faults(still, _name("longest ping", 0))
            figures[_name("longest ping", 0)] = still.longest_ping * 1e3
            figures[_name("p99 elsewhere", 0)] = still.p99 * 1e3
            for size, before, rate in zip(sizes, (0, *SIZES), EVENTS, strict=False):
                await driver.tell(Come(size - before), Done)
                following = await driver.tell(LookOn(), Done)
                await asyncio.sleep(SETTLE_SECONDS)
                if not before:
                    await driver.tell(Show(ALONE_RATE, WARM_UP_SECONDS), Played)
                shown = await driver.tell(Show(rate, COST_SECONDS), Played)
                both = (
                    driver.tell(Show(rate, SHOW_SECONDS), Played),
                    probe.tell(Probe(PROBE_RATE, PING_RATE, PROBE_SECONDS), Played),
                )
                _, probed = await asyncio.gather(*both)
                faults += find_faults(shown, _name("CPU", size))
                more = shown.cpu / shown.moves - alone.cpu / alone.moves
                figures |= {
                    _name("CPU", size): more / size * 1e6,
                    _name("longest ping", size): probed.longest_ping * 1e3,
                    _name("p99 elsewhere", size): probed.p99 * 1e3,
                    _name("CPU to follow", size): following.cpu / (size - before) * 1e6,
                }
        return Run(figures, faults)
