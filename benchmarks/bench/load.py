"""Moves in an open loop, one at a time or saturated, and pings: their cost and latency."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

import msgpack

from bench.clients import is_event
from bench.processes import Cost, read_busy, read_stolen
from kit.processes import read_cpu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.connection import Connection
    from bench.dialects import Match

TICK = 0.001  # seconds between sends: shorter timers would make the loop spin
PATIENCE = 30.0  # seconds for the pending answers at the end

Pending = dict[int, tuple[int, float]]  # by request id: the match's number and when it was due


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest measured value that `percent` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Send times of an open loop: `rate` per second, evenly, however late the answers are."""

    rate: float
    seconds: float

    @property
    def moves(self) -> int:
        """The number of sends."""
        return max(1, round(self.rate * self.seconds))

    def due(self, number: int) -> float:
        """Return the time of a send, counted from 0, in seconds since the start."""
        return number / self.rate

    def count_due(self, elapsed: float) -> int:
        """Return the number of sends due after `elapsed` seconds."""
        return min(self.moves, int(elapsed * self.rate + 1e-9) + 1)


class Load:
    """One measured period of play; use it as a context manager."""

    def __init__(self, matches: Sequence[Match], pids: Sequence[int]) -> None:
        self._matches, self._pids = matches, pids
        self._pending: dict[Connection, Pending] = {match.breaker: {} for match in matches}
        self._unseen: dict[tuple[str, int], float] = {}  # due times, by match and version
        self._answers: list[float] = []  # latencies
        self._events: list[float] = []  # latencies at the other seat
        self._late: list[float] = []
        self._sent = self._frames = 0
        self._settled = asyncio.Event()  # both seats have received all moves
        self._until = 0.0  # saturated: until then an answer is followed by the next guess

    def __enter__(self) -> Self:
        for match in self._matches:
            match.maker.receive = self._receive_event
            match.breaker.receive = partial(self._receive_answer, self._pending[match.breaker])
        self._cpu, self._own, self._busy = read_cpu(*self._pids), time.process_time(), read_busy()
        self._stolen = read_stolen()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        for match in self._matches:
            match.maker.reset()
            match.breaker.reset()

    async def play(self, schedule: Schedule) -> None:
        """Guess by a schedule, in all matches in turn; return after the last answer."""
        while self._sent < schedule.moves:
            now = time.perf_counter()
            for number in range(self._sent, schedule.count_due(now - self._began)):
                due = self._began + schedule.due(number)
                self._late.append(time.perf_counter() - due)
                self._guess(number % len(self._matches), due)
            due = self._began + schedule.due(self._sent)
            await asyncio.sleep(max(TICK, due - time.perf_counter()))
        await self._settle()

    async def play_one_at_a_time(self, moves: int) -> None:
        """Guess `moves` times, in all matches in turn, each after both seats received the last."""
        for number in range(moves):
            self._guess(number % len(self._matches), time.perf_counter())
            await self._settle()

    async def saturate(self, seconds: float) -> None:
        """Guess in each match after each answer for some seconds; return after the last answer."""
        self._until = self._began + seconds
        for number in range(len(self._matches)):
            self._guess(number, time.perf_counter())
        await asyncio.sleep(seconds)
        await self._settle()

    def cost(self) -> Cost:
        """Return the cost so far."""
        seconds = time.perf_counter() - self._began
        cpu, own = read_cpu(*self._pids) - self._cpu, time.process_time() - self._own
        return Cost(
            moves=self._sent,
            cpu=cpu,
            seconds=seconds,
            p50=percentile(self._answers, 50),
            p99=percentile(self._answers, 99),
            event_p50=percentile(self._events, 50),
            event_p99=percentile(self._events, 99),
            driver=own / seconds,
            late=percentile(self._late, 99) if self._late else 0.0,
            others=max(0.0, (read_busy() - self._busy - cpu - own) / seconds),
            stolen=(read_stolen() - self._stolen) / seconds,
        )

    def _guess(self, number: int, due: float) -> None:
        match = self._matches[number]
        self._pending[match.breaker][match.guess()] = number, due
        self._unseen[match.code, match.version] = due
        self._sent += 1

    def _receive_event(self, payload: bytes) -> None:
        if is_event(payload):
            message = msgpack.unpackb(payload)
            if (due := self._unseen.pop((message["match"], message["v"]), None)) is None:
                return  # an event before the first guess
            self._events.append(time.perf_counter() - due)
            self._count()

    def _receive_answer(self, pending: Pending, payload: bytes) -> None:
        message = msgpack.unpackb(payload)
        if message["op"] != "event" or "id" not in message:
            assert message["op"] != "error", message
            return  # a notification
        self._count()
        now = time.perf_counter()
        number, due = pending.pop(message["id"])
        self._answers.append(now - due)
        if now < self._until:
            self._guess(number, now)

    def _count(self) -> None:
        self._frames += 1
        if self._frames == 2 * self._sent:
            self._settled.set()

    async def _settle(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while self._frames < 2 * self._sent:  # an answer may have caused another guess
                self._settled.clear()
                await self._settled.wait()


class Pings:
    """Pings on some connections in turn; the longest shows how long the event loop blocked."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self.took: list[float] = []
        self._connections = connections
        self._sent: list[deque[float]] = [deque() for _ in connections]
        self._answered = asyncio.Event()
        for connection, sent in zip(connections, self._sent, strict=True):
            connection.pong = partial(self._receive, sent)

    async def send(self, schedule: Schedule) -> None:
        """Ping by a schedule; return after the last pong."""
        began = time.perf_counter()
        for number in range(schedule.moves):
            wait = began + schedule.due(number) - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            index = number % len(self._connections)
            self._sent[index].append(time.perf_counter())
            self._connections[index].ping()
        async with asyncio.timeout(PATIENCE):
            while len(self.took) < schedule.moves:
                self._answered.clear()
                await self._answered.wait()

    def _receive(self, sent: deque[float]) -> None:
        self.took.append(time.perf_counter() - sent.popleft())
        self._answered.set()
