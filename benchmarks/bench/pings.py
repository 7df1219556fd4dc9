"""Pings, by which it is known for how long an event loop did nothing else: they wait so long."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.connection import Connection
    from bench.schedule import Schedule

PATIENCE = 30.0  # seconds for the last to be answered in


class Pings:
    """Pings of some connections in turn: a server limits how many of one it answers."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self.took: list[float] = []
        self._connections = connections
        self._sent: list[deque[float]] = [deque() for _ in connections]
        self._answered = asyncio.Event()
        for connection, sent in zip(connections, self._sent, strict=True):
            connection.pong = partial(self._hear, sent)

    async def send(self, schedule: Schedule) -> None:
        """Ping by a schedule; return when all pings were answered."""
        began = time.perf_counter()
        for number in range(schedule.moves):
            wait = began + schedule.due(number) - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            turn = number % len(self._connections)
            self._sent[turn].append(time.perf_counter())
            self._connections[turn].ping()
        async with asyncio.timeout(PATIENCE):
            while len(self.took) < schedule.moves:
                self._answered.clear()
                await self._answered.wait()

    def _hear(self, sent: deque[float]) -> None:
        self.took.append(time.perf_counter() - sent.popleft())
        self._answered.set()
