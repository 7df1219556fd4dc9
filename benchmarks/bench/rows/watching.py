"""*watching*: events for many spectators of one match, and the delay of everything else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bench.processes import driving, running
from bench.rows.row import Measure, Row, Run, list_warnings

if TYPE_CHECKING:
    from bench.processes import Subject

# A server accepts 5,000 connections; 50 are the players' and the probe's.
SIZES = (100, 1000, 4950)
RATES = 10.0, 5.0, 2.0  # events per second, by size: the baseline needs 70 ms for the largest
COST_SECONDS = 1.0
PROBE_SECONDS, SHOW_SECONDS = 1.7, 2.2  # spectators read after the probe
ALONE_RATE, ALONE_SECONDS = 40.0, 1.0  # in the same match, without spectators
WARM_UP_SECONDS = 2.0
PROBE = {"rate": 200.0, "pings": 500.0, "seconds": PROBE_SECONDS}  # guesses in other matches
PROBE_MATCHES, PING_CONNECTIONS = 10, 20
SETTLE_SECONDS = 1.2  # the server sends the number of spectators meanwhile


def _name(measure: str, size: int) -> str:
    return f"{measure}, {size:,} spectators"


async def _run(subject: Subject, quick: bool) -> Run:
    figures: dict[str, float] = {}
    async with (
        running(subject) as process,
        driving(subject, process) as driver,
        driving(subject, process) as other,
    ):
        await driver.do("open_matches", matches=1)
        await other.do("open_matches", matches=PROBE_MATCHES)
        await other.do("connect", connections=PING_CONNECTIONS)
        alone = await driver.do("show", rate=ALONE_RATE, seconds=ALONE_SECONDS)
        probed = await other.do("probe", **PROBE)
        figures[_name("longest ping", 0)] = probed.longest_ping * 1e3
        figures[_name("p99 of other matches", 0)] = probed.p99 * 1e3
        warnings = list_warnings(probed, _name("longest ping", 0))
        sizes = SIZES[:2] if quick else SIZES
        for size, before, rate in zip(sizes, (0, *SIZES), RATES, strict=False):
            await driver.do("connect", connections=size - before)
            followed = await driver.do("spectate")
            await asyncio.sleep(SETTLE_SECONDS)
            if not before:
                await driver.do("show", rate=ALONE_RATE, seconds=WARM_UP_SECONDS)
            shown = await driver.do("show", rate=rate, seconds=COST_SECONDS)
            _, probed = await asyncio.gather(
                driver.do("show", rate=rate, seconds=SHOW_SECONDS), other.do("probe", **PROBE)
            )
            warnings += list_warnings(shown, _name("CPU", size))
            figures |= {
                _name("CPU", size): (shown.per_move - alone.per_move) / size,
                _name("longest ping", size): probed.longest_ping * 1e3,
                _name("p99 of other matches", size): probed.p99 * 1e3,
                _name("CPU to follow", size): followed.cpu / (size - before) * 1e6,
            }
    return Run(figures, warnings)


WATCHING = Row(
    name="watching",
    measures={
        **{_name("CPU", size): Measure("us per spectator", ratio=1.2) for size in SIZES},
        _name("longest ping", 0): Measure("ms"),
        **{_name("longest ping", size): Measure("ms", most=10) for size in SIZES},
        _name("p99 of other matches", 0): Measure("ms"),
        **{_name("p99 of other matches", size): Measure("ms", most=20) for size in SIZES},
        **{_name("CPU to follow", size): Measure("us per spectator") for size in SIZES},
    },
    run=_run,
)
