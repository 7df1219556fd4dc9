"""Servers in the test process, on real sockets, and a client of their operator port."""

from __future__ import annotations

import asyncio
import re
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import msgspec
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families

from kit.client import PATIENCE, RawClient
from kit.clock import ManualClock
from mastermind_server import cli
from mastermind_server.app import Server, listen, run_parts
from mastermind_server.bots.runner import BotRunner
from mastermind_server.clock import Clock
from mastermind_server.limits import DEFAULT_LIMITS, Limiter, Limits
from mastermind_server.network.addresses import read_networks
from mastermind_server.network.sockets.access import DEFAULT_ACCESS, Access
from mastermind_server.operator_port.endpoints import open_operator_port
from mastermind_server.services import Services
from mastermind_server.storage.revisions import migrate
from mastermind_server.storage.store import Store

MANUAL = "manual clock"
"""The parameter of the fixture `server` for a server whose games follow its `ManualClock`."""
PROXIED = Access(proxies=read_networks("127.0.0.0/8"))
"""For a server behind a proxy on this machine."""


def make_database(database: Path) -> None:
    """Create an SQLite database with empty tables, unless the file exists."""
    if not database.exists():
        database.write_bytes(_migrate_once())


@cache
def _migrate_once() -> bytes:
    """Return the file made by the migrations, cached because they dominate the start time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.sqlite3"
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return path.read_bytes()


class GameServer:
    """A whole server in the test process, and the connections to it.

    The database is a file in `folder`, or the PostgreSQL database at `url`, which nodes may share.
    A restart keeps the port. Timeouts and rate limits of games use `clock`, by default the
    `ManualClock` in the attribute `clock`. Timeouts of connections use the system clock, or the
    `connection_clock` of `start`.
    """

    def __init__(self, folder: Path, url: str | None = None, *, clock: Clock | None = None) -> None:
        self.database, self.url = folder / "game.sqlite3", url
        self.clock = ManualClock()
        self._given_clock = clock
        self.store: Store
        self.services: Services
        self.server: Server
        self._port = 0
        self._running = AsyncExitStack()
        self._people = AsyncExitStack()

    async def start(
        self,
        *,
        random: Random | None = None,
        connection_clock: Clock | None = None,
        lag_clock: Clock | None = None,
        limits: Limits = DEFAULT_LIMITS,
        access: Access = DEFAULT_ACCESS,
        listener: socket.socket | None = None,
        store: type[Store] = Store,
        bots: BotRunner | None = None,
        **services: Any,
    ) -> None:
        """Start the server, on the same port as before, if any; `services` are more `Services`."""
        if self.url is None:
            make_database(self.database)
        if listener is None:
            listener = listen("127.0.0.1", self._port)
            self._port = listener.getsockname()[1]
        self._running.callback(listener.close)
        self.store = await store.open(self.place)
        self.store.timer = lambda: 0.0  # on a busy machine, queries must not exceed `query_ms`
        self._running.push_async_callback(self.store.close)
        random = random or SystemRandom()
        self.services = Services(
            self.store,
            bots or BotRunner(random),
            random,
            self._given_clock or self.clock,
            limiter=Limiter(limits),
            **services,
        )
        self.server = await self._running.enter_async_context(
            run_parts(
                self.services,
                listener,
                access,
                connection_clock=connection_clock or Clock(),
                lag_clock=lag_clock or ManualClock(),  # a busy machine must not trigger overload
            )
        )

    @property
    def place(self) -> Path | str:
        """The file or the URL of the database."""
        return self.url or self.database

    @property
    def address(self) -> str:
        """The URL of the server: ws://... or wss://..."""
        return self.server.address

    @property
    def port(self) -> int:
        """The port of the server."""
        return self._port

    def limit(self, **limits: float) -> None:
        """Change limits of the running server; rates keep their values."""
        limiter = self.services.limiter
        limiter.limits = msgspec.structs.replace(limiter.limits, **limits)

    async def command(self, name: str, *arguments: str) -> int:
        """Run an operator's command on the database, and return its exit status."""
        place = f"--{'store' if self.url else 'database'}={self.place}"
        return await asyncio.to_thread(cli.main, [name, place, *arguments])

    async def stop(self) -> None:
        """Stop the server, which sends its clients the close code for a shutdown."""
        await self._running.aclose()

    async def kill(self) -> None:
        """Stop the server, but let it write nothing at its end."""

        async def write_nothing() -> None: ...

        self.server.downtime.end_node = write_nothing  # type: ignore[method-assign]
        await self.stop()

    async def restart(self, **options: Any) -> None:
        """Stop the server and start another on the same database."""
        await self.stop()
        await self.start(**options)

    async def back_up(self) -> Path:
        """Copy the database file; return the copy."""
        copy = self.database.with_suffix(".copy")
        with redirect_stdout(StringIO()):
            assert await self.command("backup", str(copy)) == 0
        return copy

    async def restore(self, copy: Path, **options: Any) -> None:
        """Stop the server and start it on a copy of an earlier state of its database."""
        await self.stop()
        await asyncio.to_thread(copy.replace, self.database)  # the stopped server has left no -wal
        await self.start(**options)

    async def close(self) -> None:
        """Close all connections and stop the server."""
        await self._people.aclose()
        await self.stop()

    async def connect(self, ids: Iterator[int] | None = None, **options: Any) -> RawClient:
        """Open a connection without sending `hello`."""
        wire = await RawClient.connect(self.address, ids, **options)
        self._people.push_async_callback(wire.close)
        return wire

    async def open_socket(
        self, sent: bytes = b"", **options: Any
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a socket and send bytes; the caller closes it."""
        host, _, port = self.address.partition("://")[2].rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port), **options)
        writer.write(sent)
        return reader, writer

    async def meet(
        self, name: str | None = None, token: str | None = None, *, program: bool = False
    ) -> RawClient:
        """Connect a new player, or the player with `token`."""
        wire = await self.connect()
        await wire.hello(name, token, program=program)
        return wire

    async def begin_match(self, **options: Any) -> tuple[RawClient, RawClient, str]:
        """Return Ada, codemaker, Bob, codebreaker, and their match before its secret is set."""
        ada, bob = await self.meet("Ada"), await self.meet("Bob")
        match = (await ada.open(**options)).match
        await bob.join(match)
        return ada, bob, match

    async def until_connections(self, most: int = 0) -> None:
        """Wait until the server has at most this number of connections."""
        async with asyncio.timeout(PATIENCE):
            while self.server.gateway.count_connections() > most:  # noqa: ASYNC110 - no event exists
                await asyncio.sleep(0)

    async def connect_again(self, wire: RawClient) -> RawClient:
        """Open another connection of the same player."""
        other = await self.connect(wire.ids)
        await other.hello(token=wire.token)
        return other


class Operator:
    """A client of the operator port."""

    def __init__(self, address: str) -> None:
        self.authority = address.removeprefix("http://")

    async def get(self, path: str) -> tuple[int, str]:
        """Return the status and the text of the response for `path`."""
        head, _, text = (await self.request("GET", path)).partition("\r\n\r\n")
        return int(head.split(" ")[1]), text

    async def request(self, method: str, path: str, version: str = "1.1") -> str:
        """Return the whole response to a request: the head, and all bytes that follow.

        A request of HTTP 1.0 has no header Host, like those of HAProxy.
        """
        host, _, port = self.authority.rpartition(":")
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(host, int(port))
            host_line = f"Host: {self.authority}\r\n" if version == "1.1" else ""
            writer.write(f"{method} {path} HTTP/{version}\r\n{host_line}\r\n".encode())
            response = await reader.read()
            writer.close()
            await writer.wait_closed()
        return response.decode()

    async def metrics(self) -> dict[str, float]:
        """Return the values of all samples, by name and labels: `name{label=value}`."""
        status, text = await self.get("/metrics")
        assert status == 200
        found = {}
        for family in text_string_to_metric_families(text):
            assert family.documentation
            for sample in family.samples:
                labels = ",".join(f"{key}={value}" for key, value in sample.labels.items())
                found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
        return found


@asynccontextmanager
async def watching(hall: GameServer) -> AsyncIterator[Operator]:
    """Open the operator port of a server within the block, and yield a client."""
    async with open_operator_port(hall.server, listen("127.0.0.1", 0)) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        yield Operator(address)
