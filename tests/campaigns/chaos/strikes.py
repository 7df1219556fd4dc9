"""Strikes on servers whose matches have clocks: kills, stops, shutdowns, and days of absence."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from campaigns.chaos.clocks import Strike, read_time
from kit.frames import HANDSHAKE
from kit.matches import SeededRandom
from kit.processes import Server
from kit.proxy import Proxy
from mastermind_protocol.clock import DAY
from mastermind_server.timekeeping.outages import NEVER

STOPPED_SECONDS = (0.5, 5.0)
LATE_SECONDS = (1.0, 4.0)  # less than players get to return, with the delays of clients
OFF_MS = DAY + DAY // 4  # longer than a move with a clock of a day
# The columns with times, by table.
_TIMES = {
    "log": ("at",), "matches": ("changed", "due"), "running": ("at",), "archive": ("at",),
    "chat": ("at",), "nodes": ("started", "until"), "outages": ("began", "ended"),
    "ratings": ("at",), "standings": ("at", "best_at"), "names": ("seen",),
}  # fmt: skip


class Target(NamedTuple):
    """A node, the proxy between it and its clients, and its file, None on a shared store."""

    node: Server
    front: Proxy
    database: Path | None
    dice: SeededRandom


async def kill(target: Target) -> Strike:
    """Kill a node and restart it."""
    began = read_time()
    target.node.kill()
    return Strike(began, await _start(target.node), "SIGKILL")


async def stop_for_a_time(target: Target) -> Strike:
    """Stop the process of a node for a random time."""
    began = read_time()
    target.node.signal(signal.SIGSTOP)
    await asyncio.sleep(target.dice.uniform(*STOPPED_SECONDS))
    target.node.signal(signal.SIGCONT)
    return Strike(began, read_time(), "SIGSTOP")


async def shut_down(target: Target) -> Strike:
    """Restart a node by SIGTERM while a client does not answer its close frame."""
    reader, writer = await asyncio.open_connection("127.0.0.1", target.node.port)
    with closing(writer):
        writer.write(HANDSHAKE)
        await reader.readuntil(b"\r\n\r\n")
        began = read_time()
        await asyncio.to_thread(target.node.stop)
    return Strike(began, await _start(target.node), "SIGTERM with a slow client")


async def keep_clients_away(target: Target) -> Strike:
    """Kill a node, and let clients reach it only some time after it runs again."""
    began = read_time()
    target.front.cut()
    target.node.kill()
    await _start(target.node)
    await asyncio.sleep(target.dice.uniform(*LATE_SECONDS))
    target.front.restore()
    return Strike(began, read_time(), "SIGKILL with late clients")


async def switch_off_for_days(target: Target) -> Strike:
    """Restart a node by SIGTERM with a store as it would be after OFF_MS."""
    assert target.database is not None
    began = read_time()
    await asyncio.to_thread(target.node.stop)
    with closing(sqlite3.connect(target.database)) as store, store:
        for table, columns in _TIMES.items():
            for column in columns:
                store.execute(
                    f"UPDATE {table} SET {column} = {column} - {OFF_MS} WHERE {column} < {NEVER}"  # noqa: S608 - ours
                )
    return Strike(began - OFF_MS, await _start(target.node), "off for 30 hours", OFF_MS)


async def _start(node: Server) -> int:
    """Start a node, and return the time when it listens."""

    def wait() -> int:
        assert node.address
        return read_time()  # in this thread: the event loop is busy with the clients

    node.start()
    return await asyncio.to_thread(wait)


STRIKES: tuple[Callable[[Target], Awaitable[Strike]], ...] = (
    kill, stop_for_a_time, shut_down, keep_clients_away, switch_off_for_days,
)  # fmt: skip
STRIKES_ON_NODES = STRIKES[:3]
