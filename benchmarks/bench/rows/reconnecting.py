"""Rows of clients that lose their connection, and of a start.

*reconnecting*: 1,000 players reconnect at once. *stalling*: a server stops for 10 s while 1,000
clients wait for an answer. *starting*: a server starts with a new database.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from bench.clients import do_each
from bench.processes import WIDE_LIMITS, driving, running
from bench.rows.row import Measure, Row, Run
from kit.processes import read_cpu
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import Reconnecting

if TYPE_CHECKING:
    from bench.processes import Subject
    from mastermind_client.network.updates import Update

CLIENTS = 1000
RATE, GUESSES = 2000.0, 10  # in each match; reconnecting players missed some
STALL_SECONDS = 10.0
PATIENCE = 60.0  # seconds for all clients to get their answer
MANY = "{burst = 100000, per_second = 100000.0}"
# Clients of the game cannot choose a source address, so all have the same one.
LIMITS_OF_ONE_ADDRESS = {
    **WIDE_LIMITS,
    "connections_per_address": "5000",
    "pending_connections_per_address": "5000",
    "sockets": MANY,
    "sockets_of_address": MANY,
    "new_players": MANY,
    "request_cost_of_address": MANY,
    "moves_of_address": MANY,
}


async def _reconnect(subject: Subject, quick: bool) -> Run:
    clients = CLIENTS // 5 if quick else CLIENTS
    matches = clients // 2
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=matches)
        await driver.do("play", rate=RATE, seconds=GUESSES * matches / RATE)
        cost = await driver.do("reconnect")
    return Run({"until all are back": cost.seconds, "CPU": cost.cpu / clients * 1e6})


async def _stall(subject: Subject, quick: bool) -> Run:
    """Stop the server while sessions of the client, in this process, wait for an answer."""
    attempts: Counter[Session] = Counter()
    async with (
        running(replace(subject, limits=LIMITS_OF_ONE_ADDRESS)) as process,
        AsyncExitStack() as stack,
    ):

        async def connect(_number: int) -> None:
            connecting = Session.connect(process.address, Identity())
            session = await stack.enter_async_context(connecting)
            attempts[session] = 0

            def count(update: Update) -> None:
                attempts[session] += isinstance(update, Reconnecting)

            session.updates.subscribe(count, _fail)

        await do_each(range(CLIENTS // 5 if quick else CLIENTS), connect)
        process.signal(signal.SIGSTOP)
        asked = [asyncio.create_task(session.list_bots()) for session in attempts]
        await asyncio.sleep(STALL_SECONDS)
        process.signal(signal.SIGCONT)
        began = time.perf_counter()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*asked)
        answered = time.perf_counter() - began
        figures = {"further connections": max(attempts.values()), "until answered": answered}
    return Run(figures)


def _fail(error: Exception) -> None:
    raise error


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
STALLING = Row(
    name="stalling",
    measures={
        "further connections": Measure("of a client, at most", most=1),
        "until answered": Measure("s", most=3),
    },
    run=_stall,
    baselines=(),
)
STARTING = Row(
    name="starting",
    measures={"until it listens": Measure("s", most=0.8), "CPU": Measure("s")},
    run=_start,
)
