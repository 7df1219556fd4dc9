"""A complete server with a manual clock and a fixed random seed, which records all output.

Two such servers with the same input produce the same output, byte for byte.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from websockets.datastructures import Headers
from websockets.http11 import Request

from campaigns.leaks.connection import MemoryConnection
from kit.client import PATIENCE
from kit.clock import ManualClock
from kit.pages import PAGES
from kit.server import GameServer, make_database
from mastermind_protocol.code import Code
from mastermind_protocol.commitment import NONCE_BYTES, commit
from mastermind_protocol.days import DAY_MS, find_day, find_day_start
from mastermind_protocol.events import Player
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView, Match
from mastermind_server.app import Server
from mastermind_server.bots import solver
from mastermind_server.bots.position import find_position
from mastermind_server.bots.runner import BotRunner
from mastermind_server.commands.player_data import export_player
from mastermind_server.monitoring.logs import quiet_libraries
from mastermind_server.network import identity
from mastermind_server.operator_port.collector import ServerCollector
from mastermind_server.storage.day_rows import DayRow
from mastermind_server.storage.statements.accounts import NewPlayer
from mastermind_server.storage.statements.days import add_day
from mastermind_server.storage.store import SessionMode, open_session

STEP_SECONDS = 5.0  # between two requests: shorter than the client timeout
_DATE = re.compile(rb"Date: .* GMT")  # in the answer to a handshake
MATCH_SECONDS = DAY_MS / 1000  # more than any match takes; each begins with a day
FIRST_DAY = 1000
_ADDRESS = re.compile(r'address="\w+"')  # hashed with a random salt
_CONNECTION = re.compile(r"connection (\d+)")
# Metrics of durations vary between runs. Their counts are compared.
_TIMES = re.compile(
    r"^mastermind_\w*_seconds(_bucket|_sum|_created)|_created|_seconds_count", re.MULTILINE
)


class TokenRandom(Random):
    """A seeded random generator that also draws tokens."""

    def token_urlsafe(self, size: int) -> str:
        return self.randbytes(size).hex()[:43]


class Clock(ManualClock):
    """A manual clock, also for the time of day. `sleeping` are the tasks in `sleep`."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeping: set[asyncio.Task[Any] | None] = set()
        self.changed = asyncio.Event()  # set when another task waits

    async def sleep(self, seconds: float) -> None:
        task = asyncio.current_task()
        self.sleeping.add(task)
        self.changed.set()
        try:
            await super().sleep(seconds)
        finally:
            self.sleeping.discard(task)

    def unix_milliseconds(self) -> int:
        return find_day_start(FIRST_DAY) + int(1000 * self.seconds)

    def skip_to_match(self, number: int) -> None:
        """Advance to the start time of match `number`."""
        self.skip(number * MATCH_SECONDS - self.seconds)


class VariantBots(BotRunner):
    """The real bots. The next codemaker hides `secret`, if it is given.

    With `other`, `devious` holds another code with the same feedback.
    """

    other = False
    secret: Code | None = None

    async def find_fixed_secret(self, match: Match, player: Player) -> Code | None:
        given, self.secret = self.secret, None
        return given or await super().find_fixed_secret(match, player)

    async def rechoose(self, seen: Match, player: Player, guess: Code) -> Code:
        held = await super().rechoose(seen, player, guess)
        if not self.other:
            return held
        rules = seen.rules
        for number in reversed(find_position(BreakerView.of(seen)).candidates):
            code = solver.find_code_by_number(rules.space, int(number))
            if score(code, guess) == score(held, guess):
                return code
        raise AssertionError("no candidate has the feedback of the held code")


@dataclass
class Transcript:
    """Recipients and bytes of a server's messages, log lines and metrics, in order."""

    sent: list[tuple[str, bytes]] = field(default_factory=list)
    first_connection: int | None = None

    def record_bytes(self, recipient: str, data: bytes) -> None:
        """Record bytes for a recipient, without the date."""
        self.sent.append((recipient, _DATE.sub(b"Date:", data)))

    def record_log_line(self, level: str, line: str) -> None:
        """Record a log line, with connections numbered from the first of this transcript."""
        self.sent.append((level, _CONNECTION.sub(self._number, line).encode()))

    def _number(self, found: re.Match[str]) -> str:
        number = int(found[1])
        if self.first_connection is None:
            self.first_connection = number
        return f"connection {number - self.first_connection}"


class RecordingServer(logging.Handler):
    """A running server, its clients' connections, and the transcript of its output."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(logging.DEBUG)
        self.clock, self.random = Clock(), TokenRandom(seed)
        self._hall = GameServer(folder, clock=self.clock)
        self.transcript = Transcript()
        self.bots = VariantBots(self.random)
        self._transcripts = self._players = 0
        self._connections: list[MemoryConnection] = []
        self._steady: set[asyncio.Task[Any]] = set()  # tasks that run as long as the server
        self._periodic: set[asyncio.Task[Any] | None] = set()  # steady, and asleep between two runs
        self._metrics = CollectorRegistry()
        self._measured: dict[str, float] = {}

    async def start(self) -> None:
        """Start the server."""
        quiet_libraries()
        make_database(self._hall.database)
        with closing(sqlite3.connect(self._hall.database)) as connection:
            connection.execute("PRAGMA user_version = 1")  # the epoch, which is drawn otherwise
        await self._hall.start(
            random=self.random, connection_clock=self.clock, bots=self.bots, node="0" * 16
        )
        self._metrics.register(ServerCollector(self.server))

    @property
    def server(self) -> Server:
        """The server."""
        return self._hall.server

    async def start_transcript(self) -> None:
        """Start a new transcript, which does not depend on the length of earlier matches."""
        self._transcripts += 1
        self.random.seed(self._transcripts)
        self.bots.other, self.bots.secret = False, None
        await self.settle()
        self.clock.skip_to_match(self._transcripts)
        await self.settle()
        self.transcript = Transcript()
        self._measured = self._measure()

    async def stop(self) -> None:
        """Stop the server."""
        self.clock.run_all_timers()
        await self._hall.close()

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == "filelock":  # only exports use it, in production in another process
            return
        line = f"{record.name}: {record.getMessage()} {record.exc_text or record.exc_info or ''}"
        self.transcript.record_log_line(record.levelname, line)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record log lines, and draw tokens from this server's seeded generator."""
        root = logging.getLogger()
        level, handlers = root.level, root.handlers[:]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(identity, "secrets", self.random)
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
        own = f"{name}{self._players}"  # also as a name: a player of rated matches owns its name
        player = Player(id=own, name=own, program=program)
        token = f"{player.id:-<43}"
        store = self.server.services.store
        await store.add_player(NewPlayer(player, sha256(token.encode()).digest(), 0))
        return player.id, token

    def connect(self, recipient: str, ids: Iterator[int]) -> MemoryConnection:
        """Return a new connection and record the bytes it receives for `recipient`."""

        def record(data: bytes) -> None:
            self.transcript.record_bytes(recipient, data)

        connection = MemoryConnection(self.server.gateway.make_connection(), record, ids)
        self._connections.append(connection)
        return connection

    async def rest(self) -> None:
        """Call the present tasks steady: `settle` does not wait for their end."""
        await asyncio.sleep(0)
        self._steady = asyncio.all_tasks() - {asyncio.current_task()}
        self._periodic = {*self.clock.sleeping}

    async def settle(self) -> None:
        """Wait until all requests and periodic work are done, and all notifications are sent."""
        for _ in range(2):  # notifications may start more work
            await asyncio.sleep(0)
            while working := asyncio.all_tasks() - self._steady - {asyncio.current_task()}:
                done, _ = await asyncio.wait(
                    working, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
                )
                assert done, f"these tasks are stuck: {working}"
                await asyncio.sleep(0)
            async with asyncio.timeout(PATIENCE):
                while self._periodic - self.clock.sleeping:
                    self.clock.changed.clear()
                    await self.clock.changed.wait()

    async def pass_time(self, seconds: float = STEP_SECONDS) -> None:
        """Advance the clock in steps; all open connections answer pings."""
        while seconds > 0:
            self.clock.skip(min(STEP_SECONDS, seconds))
            seconds -= STEP_SECONDS
            self._connections = [each for each in self._connections if not each.closed]
            for connection in self._connections:
                connection.answer_pings()
        await self.settle()

    async def add_day(self, rules: str, code: Code) -> int:
        """Store `code` as that of today for `rules`. Return the number of the day."""
        today, nonce, store = self.read_today(), bytes(NONCE_BYTES), self.server.services.store
        sealed, now = commit(nonce, code), self.clock.unix_milliseconds()
        row = DayRow(today, rules, bytes(code), nonce, sealed, nonce, store.epoch, now)
        await store.write(add_day, row)
        return today

    def read_today(self) -> int:
        """Return the number of the day by the clock of this server."""
        return find_day(self.clock.unix_milliseconds())

    def find_followed(self, player: str) -> set[str]:
        """Return the codes of the matches that a player follows."""
        tables = self.server.tables.list_used()
        return {table.log.code for table in tables if table.followers.has_player(player)}

    def read_version(self, match: str) -> int:
        """Return the version of a match, or 0 if it is not in memory."""
        table = self.server.tables.get(match)
        return 0 if table is None else table.log.version

    def record_metrics(self) -> None:
        """Record how metrics, except durations, have changed since the transcript's start."""
        for name, value in self._measure().items():
            grown = value - self._measured.get(name, 0)
            self.transcript.record_bytes("metrics", f"{name} {grown:g}".encode())

    def _measure(self) -> dict[str, float]:
        written = _ADDRESS.sub("address", generate_latest(self._metrics).decode())
        lines = written.splitlines()
        kept = [line for line in lines if not line.startswith("#") and not _TIMES.search(line)]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in kept)}

    async def record_page(self, match: str) -> None:
        """Record the page of a match, as browsers and link previews receive it."""
        preview = await self.server.gateway.previews.describe(match, "203.0.113.1")
        page = PAGES.answer(Request(f"/{match}", Headers(Host="game.test")), preview=preview)
        self.transcript.record_bytes("page", bytes(page.body))

    def record_export(self, player: str) -> None:
        """Record the personal data that `mastermind-server export` prints for a player."""
        copy = self._hall.database.with_name("copy.sqlite3")
        copy.unlink(missing_ok=True)
        _back_up(self._hall.database, copy)
        with open_session(copy, SessionMode.EXCLUSIVE) as session:
            data = export_player(session, player)
        self.transcript.record_bytes("export", json.dumps(data, default=bytes.hex).encode())


def _back_up(database: Path, copy: Path) -> None:
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
