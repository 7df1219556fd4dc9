"""WebSocket in, WebSocket out: who is let in, and what is done with the messages that come.

Nothing here knows the game. A client is never waited for: what it is sent goes to its transport,
and whoever reads too slowly is cut off, which costs it nothing, for it resumes by version.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING

from websockets.frames import CloseCode

from mastermind_protocol.codec import decode_request, encode
from mastermind_protocol.errors import ErrorCode, FrameError, MastermindError, Refused
from mastermind_server.limits import (
    ACCEPTED_AT_ONCE,
    ARRIVALS,
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_ADDRESS,
    REFUSED_AT_ONCE,
    REFUSED_SECONDS,
    STOP_SECONDS,
)
from mastermind_server.network.connection import Connection
from mastermind_server.network.pace import Buckets, Pace
from mastermind_server.network.router import describe
from mastermind_server.network.turns import Turns

if TYPE_CHECKING:
    import socket
    from collections.abc import Coroutine

    from websockets.http11 import Request, Response
    from websockets.server import ServerProtocol

    from mastermind_protocol.messages import AnyRequest
    from mastermind_server.clock import Clock
    from mastermind_server.network.router import Router

_LOG = logging.getLogger(__name__)


class Gateway:
    """Accepts connections and hands their requests to the router. Made on a running event loop.

    `room` is for how many connections there are descriptors.
    """

    def __init__(self, router: Router, clock: Clock, room: int = MAX_CONNECTIONS) -> None:
        self.clock = clock
        self.turns = Turns(clock)
        self._pace = Pace(clock)
        self._arrivals = Buckets(ARRIVALS, clock.now)
        self._router = router
        self._room = room
        self._connections: set[Connection] = set()
        self._count = 0  # of them, and of those that are lost and have the server still at work
        self._addresses: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self._server: asyncio.Server
        self._stopping = False  # sockets may have been accepted just before

    async def start(self, listener: socket.socket) -> None:
        """Serve on a listening socket."""
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self), sock=listener, backlog=ACCEPTED_AT_ONCE
        )

    async def stop(self) -> None:
        """Close every connection with code 1012, on which clients come back and resume.

        What is being done is finished, if that takes no longer than STOP_SECONDS.
        """
        self._stopping = True
        self._server.close()
        for connection in list(self._connections):
            connection.end(CloseCode.SERVICE_RESTART, "restarting")
        await self._empty.wait()
        while self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()

    def spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Let work be done in a task of its own, until the gateway stops."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def accept(self, connection: Connection) -> bool:
        """Count a socket; tell whether there is room for it, if only to tell it that it must go."""
        self._connections.add(connection)
        self._count += 1
        self._addresses[connection.address] += 1
        self._empty.clear()
        if self._stopping or self._count_excess(connection) > REFUSED_AT_ONCE:
            return False
        try:
            self._arrivals.take(connection.address)
        except Refused:
            return False
        return True

    def lose(self, connection: Connection) -> None:
        """Take note that a socket is closed. It counts until what it asked for is done."""
        self._connections.discard(connection)
        if not self._connections:
            self._empty.set()

    def forget(self, connection: Connection) -> None:
        """Count a socket no more."""
        self._count -= 1
        self._addresses[connection.address] -= 1
        if not self._addresses[connection.address]:
            del self._addresses[connection.address]

    def answer(self, request: Request, protocol: ServerProtocol) -> Response:
        """Return what a handshake is answered with, or plain HTTP."""
        if request.path == "/healthz" and request.method in ("GET", "HEAD"):
            response = protocol.reject(HTTPStatus.OK, "ok\n")
        else:
            response = protocol.accept(request)
        if request.method == "HEAD":
            response.body = b""
        return response

    def admit(self, connection: Connection) -> None:
        """Send a connection away if it is one too many: a page could not see an HTTP status."""
        if self._count_excess(connection) <= 0:
            return
        alone = self._addresses[connection.address] > MAX_CONNECTIONS_PER_ADDRESS
        crowded = MastermindError(
            ErrorCode.TOO_MANY,
            f"too many connections: try again in {REFUSED_SECONDS:.0f} s",
            limit=MAX_CONNECTIONS_PER_ADDRESS if alone else self._room,
            retry_after=REFUSED_SECONDS,
        )
        connection.push(encode(describe(crowded, None)))
        connection.end(CloseCode.TRY_AGAIN_LATER, "too many connections")

    async def receive(self, connection: Connection, message: bytes | None) -> None:
        """Do what a message asks; None is one of text."""
        try:
            request = _read(message)
        except FrameError as error:
            self._refuse(connection, error)
        else:
            await self._pace.keep(connection, request)
            await self._router.handle(connection, request)

    async def gone(self, connection: Connection) -> None:
        """Tell the game that a connection has ended."""
        await self._router.gone(connection)

    def _refuse(self, connection: Connection, error: FrameError) -> None:
        """Tell what is wrong with a message; a bug shows, abuse is cut off, in a line each."""
        connection.refused += 1
        if connection.refused == 1:
            _LOG.info("connection %d: refused a frame: %s", connection.number, error.code)
        connection.push(encode(describe(error, error.request)))
        try:
            connection.patience.take()
        except Refused:
            _LOG.warning("connection %d: abuses the protocol, closed", connection.number)
            connection.end(CloseCode.POLICY_VIOLATION, "too many bad frames")

    def _count_excess(self, connection: Connection) -> int:
        """Return by how many connections there are too many, in all or from this address."""
        return max(
            self._count - self._room,
            self._addresses[connection.address] - MAX_CONNECTIONS_PER_ADDRESS,
        )


def _read(message: bytes | None) -> AnyRequest:
    if message is None:
        raise FrameError(ErrorCode.NOT_MSGPACK, "a text frame; messages are binary")
    return decode_request(message)
