"""*pages*: 1,000 spectators that are pages, and 1,000 that are terminals."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from statistics import median
from typing import TYPE_CHECKING

from bench.processes import driving, running
from bench.rows.row import Measure, Row, Run
from kit.processes import read_memory

if TYPE_CHECKING:
    from bench.processes import Driver, Subject

SPECTATORS, QUICK_SPECTATORS = 1000, 200
WARM_UP = 50  # spectators that fill caches
RATE, SECONDS = 5.0, 1.6
WINDOWS = 10  # of both kinds in alternating order, which other programs slow alike
SETTLE_SECONDS = 6.0  # the timers of the sockets that loaded pages end meanwhile
KINDS = ("terminal", "page")


async def _run(subject: Subject, quick: bool) -> Run:
    spectators = QUICK_SPECTATORS if quick else SPECTATORS
    figures: dict[str, float] = {}
    events: dict[str, list[float]] = {kind: [] for kind in KINDS}
    async with AsyncExitStack() as stack:
        drivers: dict[str, Driver] = {}
        for kind in KINDS:
            process = await stack.enter_async_context(running(subject))
            drivers[kind] = await stack.enter_async_context(driving(subject, process))
            figures |= await _arrive(drivers[kind], process.pid, kind, spectators)
        for window in range(WINDOWS):
            for kind in KINDS if window % 2 else reversed(KINDS):
                shown = await drivers[kind].do("show", rate=RATE, seconds=SECONDS)
                events[kind].append(shown.per_move / (spectators + WARM_UP))
    figures |= {f"CPU of an event, {kind}": median(events[kind]) for kind in KINDS}
    for name in ("CPU to arrive", "CPU of an event", "memory"):
        figures[f"{name}, page to terminal"] = (
            figures[f"{name}, page"] / figures[f"{name}, terminal"]
        )
    return Run(figures)


async def _arrive(driver: Driver, pid: int, kind: str, spectators: int) -> dict[str, float]:
    load = {"load": float(kind == "page")}
    await driver.do("open_matches", matches=1)
    await driver.do("connect", connections=WARM_UP, **load)
    await driver.do("spectate")
    before = read_memory(pid) / 1024
    connected = await driver.do("connect", connections=spectators, **load)
    followed = await driver.do("spectate")
    await asyncio.sleep(SETTLE_SECONDS)
    return {
        f"CPU to arrive, {kind}": (connected.cpu + followed.cpu) / spectators * 1e6,
        f"memory, {kind}": (read_memory(pid) / 1024 - before) / spectators,
    }


PAGES = Row(
    name="pages",
    measures={
        f"{name}, {kind}": Measure(unit)
        for name, unit in (
            ("CPU to arrive", "us"),
            ("CPU of an event", "us per spectator"),
            ("memory", "KiB"),
        )
        for kind in KINDS
    }
    | {
        f"{name}, page to terminal": Measure("times", most=most)
        for name, most in (("CPU to arrive", None), ("CPU of an event", 1.1), ("memory", 1.2))
    },
    run=_run,
    baselines=(),
)
