"""One server, put together: store, bots, lobby, router and gateway, from start to stop."""

from __future__ import annotations

import logging
import socket
from contextlib import AsyncExitStack, asynccontextmanager
from random import SystemRandom
from typing import TYPE_CHECKING

from mastermind_server.bots.runner import BotRunner
from mastermind_server.clock import Clock
from mastermind_server.limits import ACCEPTED_AT_ONCE, MAX_CONNECTIONS
from mastermind_server.matches.analysis import Analysis
from mastermind_server.matches.lobby import Lobby
from mastermind_server.network.gateway import Gateway
from mastermind_server.network.identity import Identities
from mastermind_server.network.router import Router
from mastermind_server.services import Services, read_clock
from mastermind_server.storage.database import DatabaseInUse as DatabaseInUse
from mastermind_server.storage.database import DatabaseUnusable as DatabaseUnusable
from mastermind_server.storage.store import Store
from mastermind_server.storage.writer import StorageFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def serving(
    listener: socket.socket, database: Path, room: int = MAX_CONNECTIONS
) -> AsyncIterator[str]:
    """Serve on a listening socket, with the log in this SQLite file; yields the ws:// address.

    There is `room` for so many connections. Raises DatabaseUnusable, such as DatabaseInUse if
    another process has the file.
    """
    async with AsyncExitStack() as stack:
        stack.callback(listener.close)
        store = await Store.open(database)
        stack.push_async_callback(store.close)
        random = SystemRandom()
        bots = BotRunner(random)
        stack.push_async_callback(bots.stop)
        clock = Clock()
        lobby = Lobby(Services(store, bots, random=random, clock=clock))
        try:
            await lobby.start()
        except StorageFailed as error:
            raise DatabaseUnusable(f"{database} cannot be used: {error}") from error
        stack.push_async_callback(lobby.stop)
        identities = Identities(store, read_clock)
        router = Router(lobby, Analysis(lobby, bots), identities, clock.now)
        gateway = Gateway(router, clock, room)
        stack.push_async_callback(gateway.stop)
        await gateway.start(listener)
        host, port = listener.getsockname()[:2]
        yield f"ws://{f'[{host}]' if ':' in host else host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 picks a free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=ACCEPTED_AT_ONCE)
    # Connections inherit it. Without it two frames in a row come 40 ms apart, and asyncio sets it
    # only on sockets that were made with the number of TCP.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def quiet_libraries() -> None:
    """Keep out of our log what others log of strangers' lines, and of migrations."""
    logging.getLogger("websockets").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("asyncio").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Tell asyncio's other words from those for each frame to a client that has gone."""
    return not str(record.msg).startswith("socket.send() raised")


@asynccontextmanager
async def embedded(database: Path) -> AsyncIterator[str]:
    """Serve one process's own games on a free loopback port; yields the ws:// address.

    The folder of the file is made if need be. Raises as `serving` does.
    """
    quiet_libraries()
    database.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with serving(listen("127.0.0.1", 0), database) as address:
        yield address
