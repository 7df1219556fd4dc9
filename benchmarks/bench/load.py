"""Moves in an open loop, or as fast as they are answered: what they cost, how long they take."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Self

import msgpack

from bench.commands import Played
from bench.crowd import is_event
from bench.figures import percentile
from bench.processes import read_busy, read_cpu, read_stolen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.connection import Connection
    from bench.matches import Match
    from bench.schedule import Schedule

TICK = 0.001  # seconds: a loop whose timers go by them would spin till the next move is due
PATIENCE = 30.0  # seconds for what is under way to be answered in, at the end

Pending = dict[int, tuple[int, float]]  # by a request's id: its match's number, and when it was due


class Load:
    """One measured piece of play in a driver's matches. A context, at whose end it is over."""

    def __init__(self, matches: Sequence[Match], pids: Sequence[int]) -> None:
        self._matches, self._pids = matches, pids
        self._pending: dict[Connection, Pending] = {match.breaker: {} for match in matches}
        self._untold: dict[tuple[str, int], float] = {}  # by match and version: when it was due
        self._took: list[float] = []
        self._told: list[float] = []  # the other seat, after so long
        self._late: list[float] = []
        self._sent = self._frames = 0
        self._settled = asyncio.Event()  # both seats were told of all that was sent
        # An answer is followed by the next guess of the match by this time, or until it has so many
        # guesses; or of the next match, until there were so many in all.
        self._until = 0.0
        self._enough = self._rally = 0

    def __enter__(self) -> Self:
        for match in self._matches:
            match.maker.receive = self._hear
            match.breaker.receive = partial(self._hear_answer, self._pending[match.breaker])
        self._cpu, self._own, self._busy = read_cpu(*self._pids), time.process_time(), read_busy()
        self._stolen = read_stolen()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        for match in self._matches:
            match.maker.listen()
            match.breaker.listen()

    async def play(self, schedule: Schedule) -> None:
        """Guess by a schedule, in one match after the other; return when all is answered."""
        while self._sent < schedule.moves:
            now = time.perf_counter()
            for number in range(self._sent, schedule.count_due(now - self._began)):
                due = self._began + schedule.due(number)
                self._late.append(time.perf_counter() - due)
                self._guess(number % len(self._matches), due)
            due = self._began + schedule.due(self._sent)
            await asyncio.sleep(max(TICK, due - time.perf_counter()))
        await self._settle()

    async def advance(self, guesses: int) -> None:
        """Guess in each match as in `saturate`, until there were so many guesses in it."""
        self._enough = guesses
        for number, match in enumerate(self._matches):
            if match.guesses < guesses:
                self._guess(number, time.perf_counter())
        await self._settle()

    async def rally(self, moves: int, at_once: int) -> None:
        """Guess so often in one match after the other, so many guesses being under way."""
        self._rally = moves
        for number in range(at_once):
            self._guess(number % len(self._matches), time.perf_counter())
        await self._settle()

    async def saturate(self, seconds: float) -> None:
        """Guess in each match as soon as its last guess was answered; return when all is."""
        self._until = self._began + seconds
        for number in range(len(self._matches)):
            self._guess(number, time.perf_counter())
        await asyncio.sleep(seconds)
        await self._settle()

    def report(self) -> Played:
        """Tell what it cost, until now."""
        seconds = time.perf_counter() - self._began
        cpu, own = read_cpu(*self._pids) - self._cpu, time.process_time() - self._own
        return Played(
            moves=self._sent,
            cpu=cpu,
            seconds=seconds,
            p50=percentile(self._took, 50),
            p99=percentile(self._took, 99),
            told_p50=percentile(self._told, 50),
            told_p99=percentile(self._told, 99),
            driver=own / seconds,
            behind=percentile(self._late, 99) if self._late else 0.0,
            elsewhere=max(0.0, (read_busy() - self._busy - cpu - own) / seconds),
            stolen=(read_stolen() - self._stolen) / seconds,
        )

    def _guess(self, number: int, due: float) -> None:
        match = self._matches[number]
        self._pending[match.breaker][match.guess()] = number, due
        self._untold[match.code, match.version] = due
        self._sent += 1

    def _hear(self, payload: bytes) -> None:
        if is_event(payload):
            message = msgpack.unpackb(payload)
            if (due := self._untold.pop((message["match"], message["v"]), None)) is None:
                return  # of the secret at the latest
            self._told.append(time.perf_counter() - due)
            self._count()

    def _hear_answer(self, pending: Pending, payload: bytes) -> None:
        message = msgpack.unpackb(payload)
        if message["op"] != "event" or "id" not in message:
            assert message["op"] != "error", message
            return  # news, of the secret at the latest
        self._count()
        now = time.perf_counter()
        number, due = pending.pop(message["id"])
        self._took.append(now - due)
        if now < self._until or self._matches[number].guesses < self._enough:
            self._guess(number, now)
        elif self._sent < self._rally:
            self._guess(self._sent % len(self._matches), now)

    def _count(self) -> None:
        self._frames += 1
        if self._frames == 2 * self._sent:
            self._settled.set()

    async def _settle(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while self._frames < 2 * self._sent:  # an answer may have been followed by a guess
                self._settled.clear()
                await self._settled.wait()
