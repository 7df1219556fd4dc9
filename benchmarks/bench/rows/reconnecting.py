"""*reconnecting*: 1,000 players reconnect at once. *starting*: a server with a new database."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.processes import driving, running
from bench.rows.row import Measure, Row, Run
from kit.processes import read_cpu

if TYPE_CHECKING:
    from bench.processes import Subject

CLIENTS = 1000
RATE, GUESSES = 2000.0, 10  # in each match; reconnecting players missed some


async def _reconnect(subject: Subject, quick: bool) -> Run:
    clients = CLIENTS // 5 if quick else CLIENTS
    matches = clients // 2
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=matches)
        await driver.do("play", rate=RATE, seconds=GUESSES * matches / RATE)
        cost = await driver.do("reconnect")
    return Run({"until all are back": cost.seconds, "CPU": cost.cpu / clients * 1e6})


async def _start(subject: Subject, _quick: bool) -> Run:
    began = time.perf_counter()
    async with running(subject) as process:
        ready = time.perf_counter() - began
        return Run({"until it listens": ready, "CPU": read_cpu(process.pid)})


RECONNECTING = Row(
    name="reconnecting",
    measures={"until all are back": Measure("s", most=3), "CPU": Measure("us per client")},
    run=_reconnect,
)
STARTING = Row(
    name="starting",
    measures={"until it listens": Measure("s", most=0.8), "CPU": Measure("s")},
    run=_start,
)
