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

from kit.client import Wire
from kit.clock import ManualClock
from mastermind_server.app import Server, listen, running, serving
from mastermind_server.bots.runner import BotRunner
from mastermind_server.clock import Clock
from mastermind_server.limits import USUAL, Limiter, Limits
from mastermind_server.network.sockets.access import PLAIN, Access
from mastermind_server.services import Services
from mastermind_server.storage.schema import migrate
from mastermind_server.storage.store import Store


def lay_out(database: Path) -> None:
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


class Hall:
    """A whole server on a free port, with its file in a folder, and everybody connected to it.

    Or it is a node, and `database` the URL of a PostgreSQL database that others have too.
    The rates and waits of its game go by `clock`, which stands still unless a test lets it go;
    those of its connections go by `line_clock`, or by the time of the machine.
    """

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.database = folder / "game.sqlite3"
        self.place: Path | str = database or self.database
        self.clock = ManualClock()
        self.store: Store
        self.services: Services
        self.server: Server
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
        """Start the server; chance and more can be given."""
        if self.place == self.database:
            lay_out(self.database)
        listener = listener or listen("127.0.0.1", 0)
        self._running.callback(listener.close)
        self.store = await store.open(self.place)
        self._running.push_async_callback(self.store.close)
        random = random or SystemRandom()
        self.services = Services(
            self.store, BotRunner(random), random, self.clock, limiter=Limiter(limits)
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
    def address(self) -> str:
        """Where it listens: ws://... or wss://..."""
        return self.server.address

    def limit(self, **limits: float) -> None:
        """Set limits of the running server, those that are no rates."""
        limiter = self.services.limiter
        limiter.limits = msgspec.structs.replace(limiter.limits, **limits)

    async def stop(self) -> None:
        """Stop the server; who is connected is told so by the close code."""
        await self._running.aclose()

    async def restart(self, **options: Any) -> None:
        """Stop the server and start another on the same file."""
        await self.stop()
        await self.start(**options)

    async def close(self) -> None:
        """Send everybody away and stop."""
        await self._people.aclose()
        await self.stop()

    async def connect(self, ids: Iterator[int] | None = None, **options: Any) -> Wire:
        """Return a connection that has not said hello."""
        wire = await Wire.connect(self.address, ids, **options)
        self._people.push_async_callback(wire.close)
        return wire

    async def meet(
        self, name: str | None = None, token: str | None = None, *, program: bool = False
    ) -> Wire:
        """Return a new player's connection, or that of whoever the token belongs to."""
        wire = await self.connect()
        await wire.hello(name, token, program=program)
        return wire

    async def again(self, wire: Wire) -> Wire:
        """Return another connection of the same player."""
        other = await self.connect(wire.ids)
        await other.hello(token=wire.token)
        return other


class RestartableServer:
    """A whole server with its file, on one port however often it is started."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.address = ""
        self._port = 0
        self._stack = AsyncExitStack()

    async def start(self, limits: Limits = USUAL, access: Access = PLAIN) -> None:
        """Serve, on the port of the last time."""
        listener = listen("127.0.0.1", self._port)
        self._port = listener.getsockname()[1]
        starting = serving(listener, self.database, Limiter(limits), access=access)
        server = await self._stack.enter_async_context(starting)
        self.address = server.address

    async def stop(self) -> None:
        """Stop; everything is in the file."""
        await self._stack.aclose()
