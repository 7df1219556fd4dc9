from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from kit.people import PATIENCE, People, SessionClient
from kit.server import GameServer
from mastermind_client.bot_runner.command import choose_name
from mastermind_client.bot_runner.process import BotProcess
from mastermind_client.bot_runner.runner import Runner
from mastermind_client.config.options import BotOptions
from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_protocol.events import Seat


@pytest.fixture(autouse=True)
def _among_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to the folder of `bots`, so that they can be imported."""
    monkeypatch.chdir(Path(__file__).parent)


class Line:
    """Connections from bots that think; each closes with its bot."""

    def __init__(self) -> None:
        self._calls: asyncio.Queue[asyncio.StreamReader] = asyncio.Queue()
        self._callers: list[asyncio.StreamWriter] = []

    async def opened(self) -> asyncio.StreamReader:
        """Wait for a bot's connection; return its stream, which ends with the bot."""
        async with asyncio.timeout(PATIENCE):
            return await self._calls.get()

    def hang_up(self) -> None:
        """Close all connections."""
        for caller in self._callers:
            caller.close()

    @classmethod
    @asynccontextmanager
    async def listen(cls) -> AsyncIterator[tuple[Line, int]]:
        """Accept connections; yield the line and its port."""
        line = cls()
        server = await asyncio.start_server(line._take, "127.0.0.1", 0)
        async with server:
            yield line, server.sockets[0].getsockname()[1]
            line.hang_up()

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._callers.append(writer)
        self._calls.put_nowait(reader)


@pytest.fixture
async def line(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Line]:
    """Accept connections from the bots of this test."""
    async with Line.listen() as (line, port):
        monkeypatch.setenv("LINE", str(port))
        yield line


_SEATS: dict[str, list[Seat]] = {}


async def _list_playable_seats(bot: str) -> list[Seat]:
    """Return a bot's seats; its process is asked once."""
    if bot not in _SEATS:
        async with asyncio.timeout(PATIENCE), BotProcess.start(bot, 1.0) as process:
            abilities = process.abilities
        _SEATS[bot] = [Seat.BREAKER] * abilities.chooses + [Seat.MAKER] * abilities.makes
    return _SEATS[bot]


class Owner:
    """The owner of a bot, who reads its output."""

    def __init__(self, server: GameServer) -> None:
        self.said: list[str] = []
        self.identity = Identity()
        self._server = server
        self._news = asyncio.Event()
        self._read = 0
        self._running: asyncio.Task[None] | None = None
        self._stack = AsyncExitStack()

    async def start(
        self, options: BotOptions, address: str = "", network: Network = DEFAULT_NETWORK
    ) -> None:
        """Run a bot, on the server or at an address."""
        seats = await _list_playable_seats(options.bot)
        connecting = Session.connect(
            address or self._server.address,
            self.identity,
            choose_name(options),
            program=True,
            network=network,
        )
        session = await self._stack.enter_async_context(connecting)
        runner = Runner(session, options, seats, self._say)
        self._running = asyncio.create_task(runner.run())
        self._running.add_done_callback(lambda _: self._news.set())

    async def read(self, text: str) -> str:
        """Wait for the next line that contains a text; return the line."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self._read < len(self.said):
                    self._read += 1
                    if text in (line := self.said[self._read - 1]):
                        return line
                if self._running is not None and self._running.done():
                    self._running.result()
                    raise AssertionError(f"it has ended without {text!r}: {self.said}")
                self._news.clear()
                await self._news.wait()

    async def read_lobby(self, told: str) -> str:
        """Wait until a lobby is open; return its code."""
        return (await self.read(told)).removeprefix("open: match ")[:6]

    async def finish(self) -> list[str]:
        """Wait until the bot has ended; return its output."""
        assert self._running is not None
        async with asyncio.timeout(PATIENCE):
            await self._running
        return self.said

    async def stop(self) -> None:
        """End the bot as Ctrl-C does."""
        if self._running is not None:
            self._running.cancel()
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(self._running, return_exceptions=True)
        await self._stack.aclose()

    def _say(self, line: str) -> None:
        self.said.append(line)
        self._news.set()


@pytest.fixture
async def owner(server: GameServer, people: People) -> AsyncIterator[Owner]:  # noqa: ARG001 - closed first
    """Return the owner of a bot."""
    owner = Owner(server)
    yield owner
    await owner.stop()


@pytest.fixture
async def killed(people: People, owner: Owner) -> SessionClient:
    """The session of the bot `Breaker` in an earlier run."""
    return await people.connect_program("Breaker", owner.identity)
