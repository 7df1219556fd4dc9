"""*pages*: 1,000 spectators that are pages, and 1,000 that are terminals."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bench.processes import driving, running
from bench.rows.row import Measure, Row, Run
from kit.processes import read_memory

if TYPE_CHECKING:
    from bench.processes import Subject

SPECTATORS, QUICK_SPECTATORS = 1000, 200
WARM_UP = 50  # spectators that fill caches
RATE, SECONDS = 5.0, 5.0
SETTLE_SECONDS = 6.0  # the timers of the sockets that loaded pages end meanwhile
KINDS = ("terminal", "page")


async def _run(subject: Subject, quick: bool) -> Run:
    spectators = QUICK_SPECTATORS if quick else SPECTATORS
    figures: dict[str, float] = {}
    for kind in KINDS:
        figures |= await _watch(subject, kind, spectators)
    for name in ("CPU to arrive", "CPU of an event", "memory"):
        figures[f"{name}, page to terminal"] = (
            figures[f"{name}, page"] / figures[f"{name}, terminal"]
        )
    return Run(figures)


async def _watch(subject: Subject, kind: str, spectators: int) -> dict[str, float]:
    load = {"load": float(kind == "page")}
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=1)
        await driver.do("connect", connections=WARM_UP, **load)
        await driver.do("spectate")
        before = read_memory(process.pid) / 1024
        connected = await driver.do("connect", connections=spectators, **load)
        followed = await driver.do("spectate")
        await asyncio.sleep(SETTLE_SECONDS)
        memory = read_memory(process.pid) / 1024 - before
        shown = await driver.do("show", rate=RATE, seconds=SECONDS)
    return {
        f"CPU to arrive, {kind}": (connected.cpu + followed.cpu) / spectators * 1e6,
        f"CPU of an event, {kind}": shown.per_move / (spectators + WARM_UP),
        f"memory, {kind}": memory / spectators,
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
