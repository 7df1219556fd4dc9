"""Servers in this process, on real sockets."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import msgspec
import sqlalchemy as sa

from kit.client import RawClient
from kit.clock import ManualClock
from mastermind_server.app import Server, listen, running
from mastermind_server.bots.runner import BotRunner
from mastermind_server.clock import Clock
from mastermind_server.limits import USUAL, Limiter, Limits
from mastermind_server.network.sockets.access import PLAIN, Access
from mastermind_server.services import Services
from mastermind_server.storage.schema import migrate
from mastermind_server.storage.store import Store


def make_database(database: Path) -> None:
    """Make a database without a row in it, if there is no file yet."""
    if not database.exists():
        database.write_bytes(_migrate_once())


@cache
def _migrate_once() -> bytes:
    """Return the file that the migrations make: they take most of a server's start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.sqlite3"
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return path.read_bytes()


class GameServer:
    """A whole server on a socket of this process, and the connections to it.

    Its database is a file in `folder`, or `url` names one on PostgreSQL, which other nodes may
    share. A restart keeps the port.
    The waits and rates of games follow `clock` of the hall, which a test moves, or the given
    clock; those of connections follow the machine's clock, or the `line_clock` of `start`.
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
        line_clock: Clock | None = None,
        lag_clock: Clock | None = None,
        limits: Limits = USUAL,
        access: Access = PLAIN,
        listener: socket.socket | None = None,
        store: type[Store] = Store,
    ) -> None:
        """Start the server, on the port of its last start."""
        if self.url is None:
            make_database(self.database)
        if listener is None:
            listener = listen("127.0.0.1", self._port)
            self._port = listener.getsockname()[1]
        self._running.callback(listener.close)
        self.store = await store.open(self.place)
        self._running.push_async_callback(self.store.close)
        random = random or SystemRandom()
        self.services = Services(
            self.store,
            BotRunner(random),
            random,
            self._given_clock or self.clock,
            limiter=Limiter(limits),
        )
        self.server = await self._running.enter_async_context(
            running(
                self.services,
                listener,
                access,
                line_clock=line_clock or Clock(),
                lag_clock=lag_clock or ManualClock(),  # a busy machine is to refuse no test
            )
        )

    @property
    def place(self) -> Path | str:
        """The file of its database, or the URL."""
        return self.url or self.database

    @property
    def address(self) -> str:
        """The URL of the server: ws://... or wss://..."""
        return self.server.address

    def limit(self, **limits: float) -> None:
        """Set limits of the running server, those that are no rates."""
        limiter = self.services.limiter
        limiter.limits = msgspec.structs.replace(limiter.limits, **limits)

    async def stop(self) -> None:
        """Stop the server; the close code says so to its clients."""
        await self._running.aclose()

    async def restart(self, **options: Any) -> None:
        """Stop the server and start another on the same file."""
        await self.stop()
        await self.start(**options)

    async def close(self) -> None:
        """Close all connections and stop."""
        await self._people.aclose()
        await self.stop()

    async def connect(self, ids: Iterator[int] | None = None, **options: Any) -> RawClient:
        """Return a connection that has not said hello."""
        wire = await RawClient.connect(self.address, ids, **options)
        self._people.push_async_callback(wire.close)
        return wire

    async def meet(
        self, name: str | None = None, token: str | None = None, *, program: bool = False
    ) -> RawClient:
        """Return the connection of a new player, or of the player with this token."""
        wire = await self.connect()
        await wire.hello(name, token, program=program)
        return wire

    async def again(self, wire: RawClient) -> RawClient:
        """Return another connection of the same player."""
        other = await self.connect(wire.ids)
        await other.hello(token=wire.token)
        return other
