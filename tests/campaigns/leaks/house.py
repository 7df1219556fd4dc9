"""A whole server whose time and chance are the test's, and all that it tells anybody.

Two houses to which the same is done do the same, byte for byte: what differs between them follows
from what was done differently.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from campaigns.leaks.line import Line
from kit.client import PATIENCE
from kit.clock import ManualClock
from kit.server import make_database
from mastermind_protocol.breaker import see
from mastermind_protocol.code import Code
from mastermind_protocol.events import Player
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Match
from mastermind_server.app import Server, listen, running
from mastermind_server.bots import solver
from mastermind_server.bots.position import find_position
from mastermind_server.bots.runner import BotRunner
from mastermind_server.limits import Limiter
from mastermind_server.logs.logging_thread import quiet_libraries
from mastermind_server.monitoring.collector import ServerCollector
from mastermind_server.network import identity
from mastermind_server.services import Services
from mastermind_server.storage.store import Store
from mastermind_server.upkeep.personal_data import export_player
from mastermind_server.upkeep.session import open_session

STEP_SECONDS = 5.0  # between two requests: less than anybody must be heard in
_DATE = re.compile(rb"Date: .* GMT")  # of a handshake
MATCH_SECONDS = 10_000.0  # more than any match takes
_ADDRESS = re.compile(r'address="\w+"')  # hashed with a salt of the server's own
_CONNECTION = re.compile(r"connection (\d+)")
# What takes time takes another time each time; how often it was done is looked at.
_TIMES = re.compile(
    r"^mastermind_\w*_seconds(_bucket|_sum|_created)|_created|_seconds_count", re.MULTILINE
)


class Chance(Random):
    """Chance from a seed, but for the codes that bots are to make."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.made: list[int] = []  # the pegs of such a code that are still to come

    def randint(self, a: int, b: int) -> int:
        drawn = super().randint(a, b)
        return self.made.pop(0) if self.made else drawn

    def token_urlsafe(self, size: int) -> str:
        return self.randbytes(size).hex()[:43]


class Clock(ManualClock):
    """A clock that only steps move, the time of day too."""

    def time_of_day(self) -> int:
        return int(1000 * self.seconds)

    def begin(self, number: int) -> None:
        """Go on to when the match of a number is to begin."""
        self.skip(number * MATCH_SECONDS - self.seconds)


class Evasive(BotRunner):
    """Bots as they are; but `devious` may have another code in hand, which answers the same."""

    other = False

    async def dodge(self, seen: Match, player: Player, guess: Code) -> Code:
        held = await super().dodge(seen, player, guess)
        if not self.other:
            return held
        rules = seen.rules
        for number in reversed(find_position(see(seen)).candidates):
            code = solver.find_code(rules.pegs, rules.colours, int(number))
            if score(code, guess) == score(held, guess):
                return code
        raise AssertionError("the code in hand agrees with all answers")


@dataclass
class Transcript:
    """What a server told, in its order: who was told, and what."""

    told: list[tuple[str, bytes]] = field(default_factory=list)
    first_connection: int | None = None

    def note(self, whom: str, what: bytes) -> None:
        """Write down what somebody was told."""
        self.told.append((whom, _DATE.sub(b"Date:", what)))

    def note_line(self, level: str, line: str) -> None:
        """Write down a line of the log, with connections numbered from the first of this match."""
        self.told.append((level, _CONNECTION.sub(self._number, line).encode()))

    def _number(self, found: re.Match[str]) -> str:
        number = int(found[1])
        if self.first_connection is None:
            self.first_connection = number
        return f"connection {number - self.first_connection}"


class House(logging.Handler):
    """A running server, those who come to it, and the transcript of what it tells them."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(logging.DEBUG)
        self.database = folder / "game.sqlite3"
        self.clock, self.chance = Clock(), Chance(seed)
        self.transcript = Transcript()
        self.bots = Evasive(self.chance)
        self.server: Server
        self._begun = self._players = 0
        self._lines: list[Line] = []
        self._stack = AsyncExitStack()
        self.steady: set[asyncio.Task[Any]] = set()  # that work as long as the servers run
        self._metrics = CollectorRegistry()
        self._measured: dict[str, float] = {}

    async def start(self) -> None:
        """Start the server."""
        quiet_libraries()
        make_database(self.database)
        store = await Store.open(self.database)
        self._stack.push_async_callback(store.close)
        services = Services(
            store, self.bots, self.chance, self.clock, node="0" * 16, limiter=Limiter()
        )
        listener = listen("127.0.0.1", 0)
        self._stack.callback(listener.close)
        self.server = await self._stack.enter_async_context(
            running(services, listener, line_clock=self.clock, lag_clock=ManualClock())
        )
        self._metrics.register(ServerCollector(self.server))

    async def begin(self) -> None:
        """Begin another transcript, in which nothing follows from how long the last match was."""
        self._begun += 1
        self.chance.seed(self._begun)
        self.chance.made.clear()
        self.bots.other = False
        await self.settle()
        self.clock.begin(self._begun)
        await self.settle()
        self.transcript = Transcript()
        self._measured = self._measure()

    async def stop(self) -> None:
        """Stop the server."""
        self.clock.let_go()
        await self._stack.aclose()

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == "filelock":  # an export's, in another process
            return
        line = f"{record.name}: {record.getMessage()} {record.exc_text or record.exc_info or ''}"
        self.transcript.note_line(record.levelname, line)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Keep the lines of the log, and let tokens be of this house's chance."""
        root = logging.getLogger()
        level, handlers = root.level, root.handlers[:]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(identity, "secrets", self.chance)
            root.handlers[:] = [self]
            root.setLevel(logging.DEBUG)
            try:
                yield
            finally:
                root.handlers[:] = handlers
                root.setLevel(level)

    async def make_player(self, name: str, *, program: bool) -> tuple[str, str]:
        """Return the id and the token of a new player."""
        self._players += 1
        player = Player(id=f"{name}{self._players}", name=name, program=program)
        token = f"{player.id:-<43}"
        store = self.server.services.store
        await store.add_player(player, sha256(token.encode()).digest(), 0)
        return player.id, token

    def connect(self, whom: str, ids: Iterator[int]) -> Line:
        """Return a new line for somebody, and write down what it is told."""

        def hear(data: bytes) -> None:
            self.transcript.note(whom, data)

        line = Line(self.server.gateway.connect(), hear, ids)
        self._lines.append(line)
        return line

    async def settle(self) -> None:
        """Return when all is done that was asked for, and everybody was told."""
        for _ in range(2):  # what follows from what was told, too
            await asyncio.sleep(0)
            while working := asyncio.all_tasks() - self.steady - {asyncio.current_task()}:
                done, _ = await asyncio.wait(
                    working, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
                )
                assert done, f"nothing becomes of {working}"
                await asyncio.sleep(0)

    async def pass_time(self, seconds: float = STEP_SECONDS) -> None:
        """Let time pass, in which everybody gives signs of life."""
        while seconds > 0:
            self.clock.skip(min(STEP_SECONDS, seconds))
            seconds -= STEP_SECONDS
            self._lines = [line for line in self._lines if not line.closed]
            for line in self._lines:
                line.answer_pings()
        await self.settle()

    def find_followed(self, player: str) -> set[str]:
        """Return the matches that a player follows."""
        tables = self.server.tables.list_used()
        return {table.log.code for table in tables if table.followers.has(player)}

    def read_version(self, match: str) -> int:
        """Return the version of a match, 0 if none is in memory."""
        table = self.server.tables.get(match)
        return 0 if table is None else table.log.version

    def note_metrics(self) -> None:
        """Write down what the operator's port tells since the beginning, but for times."""
        for name, value in self._measure().items():
            grown = value - self._measured.get(name, 0)
            self.transcript.note("metrics", f"{name} {grown:g}".encode())

    def _measure(self) -> dict[str, float]:
        written = _ADDRESS.sub("address", generate_latest(self._metrics).decode())
        lines = written.splitlines()
        told = [line for line in lines if not line.startswith("#") and not _TIMES.search(line)]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in told)}

    def note_export(self, player: str) -> None:
        """Write down what is kept of a player, as `mastermind-server export` tells it."""
        copy = self.database.with_name("copy.sqlite3")
        copy.unlink(missing_ok=True)
        _back_up(self.database, copy)
        with open_session(copy) as session:
            data = export_player(session, player)
        self.transcript.note("export", json.dumps(data, default=bytes.hex).encode())


def _back_up(database: Path, copy: Path) -> None:
    """Copy a database that a server has."""
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
