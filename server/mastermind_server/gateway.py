"""WebSocket in, WebSocket out: handshake, limits, and one bounded outbox a connection.

Nothing here knows the game. A client is never waited for: what it is sent goes into its outbox,
and whoever reads too slowly is cut off, which costs it nothing, for it resumes by version.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeAlias

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from mastermind_protocol.codec import decode_request, encode, find_request_id
from mastermind_protocol.errors import ErrorCode, FrameError, Refused
from mastermind_protocol.messages import SUBPROTOCOL
from mastermind_server.limits import (
    BAD_FRAMES,
    CLOSE_SECONDS,
    HANDSHAKE_SECONDS,
    HELLO_SECONDS,
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_ADDRESS,
    MAX_FRAME_BYTES,
    OUTBOX_FRAMES,
    PING_SECONDS,
    RECEIVE_QUEUE,
    REQUESTS,
    TokenBucket,
)
from mastermind_server.router import describe

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from websockets.http11 import Request, Response

    from mastermind_protocol.events import Player
    from mastermind_protocol.messages import AnyRequest
    from mastermind_server.router import Router

_LOG = logging.getLogger(__name__)
_NUMBERS = itertools.count(1)
_Ending: TypeAlias = tuple[CloseCode, str]


class Connection:
    """One client's connection: a Peer to the game, an outbox and a rate to the gateway."""

    def __init__(self, websocket: ServerConnection, now: Callable[[], float]) -> None:
        self.player: Player | None = None
        self.followed: set[str] = set()
        self.number = next(_NUMBERS)
        self.rate = TokenBucket(REQUESTS, now)
        self.patience = TokenBucket(BAD_FRAMES, now)
        self._websocket = websocket
        self._outbox: asyncio.Queue[bytes | _Ending] = asyncio.Queue(OUTBOX_FRAMES)

    @property
    def address(self) -> str:
        """Where it comes from, without the port."""
        return _address(self._websocket)

    def push(self, frame: bytes) -> None:
        """Put a frame into the outbox; a full one ends the connection at once."""
        self._put(frame)

    def end(self, code: CloseCode, reason: str) -> None:
        """Close the connection when what is in the outbox has been sent."""
        self._put((code, reason))

    async def drain(self) -> None:
        """Send what comes into the outbox, until the connection ends."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                item = await self._outbox.get()
                if isinstance(item, tuple):
                    await self._websocket.close(*item)
                    return
                await self._websocket.send(item)

    def _put(self, item: bytes | _Ending) -> None:
        try:
            self._outbox.put_nowait(item)
        except asyncio.QueueFull:
            if not self._websocket.transport.is_closing():
                _LOG.warning("connection %d: reads too slowly, cut off", self.number)
                self._websocket.transport.abort()


class Gateway:
    """Accepts connections and hands their requests to the router."""

    def __init__(
        self, router: Router, now: Callable[[], float], hello_seconds: float = HELLO_SECONDS
    ) -> None:
        self._router, self._now = router, now
        self._hello_seconds = hello_seconds
        self._addresses: Counter[str] = Counter()
        self._server: Server | None = None

    async def start(self, listener: socket.socket) -> None:
        """Serve on a listening socket."""
        self._server = await serve(
            self._serve,
            sock=listener,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            process_request=self._answer_http,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=RECEIVE_QUEUE,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            open_timeout=HANDSHAKE_SECONDS,
            close_timeout=CLOSE_SECONDS,
        )

    async def stop(self) -> None:
        """Close every connection with code 1012, on which clients come back and resume."""
        if self._server is not None:
            self._server.close(code=CloseCode.SERVICE_RESTART, reason="restarting")
            await self._server.wait_closed()

    def _answer_http(self, websocket: ServerConnection, request: Request) -> Response | None:
        if request.path == "/healthz":
            return websocket.respond(HTTPStatus.OK, "ok\n")
        full = self._addresses.total() >= MAX_CONNECTIONS
        crowded = self._addresses[_address(websocket)] >= MAX_CONNECTIONS_PER_ADDRESS
        if full or crowded:
            return websocket.respond(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections\n")
        return None

    async def _serve(self, websocket: ServerConnection) -> None:
        connection = Connection(websocket, self._now)
        address = connection.address
        self._addresses[address] += 1
        drain = asyncio.create_task(connection.drain(), name=f"outbox {connection.number}")
        deadline = asyncio.get_running_loop().call_later(
            self._hello_seconds, self._expect_hello, connection
        )
        _LOG.info("connection %d: open", connection.number)
        try:
            async for frame in websocket:
                await self._receive(connection, frame)
        except ConnectionClosed as closed:
            _LOG.info("connection %d: lost (%s)", connection.number, type(closed).__name__)
        finally:
            deadline.cancel()
            drain.cancel()
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]
            await self._router.gone(connection)
            _LOG.info("connection %d: closed", connection.number)

    async def _receive(self, connection: Connection, frame: bytes | str) -> None:
        # Who asks too fast is read more slowly: its requests wait in its own socket.
        if (wait := connection.rate.reserve()) > 0:
            await asyncio.sleep(wait)
        try:
            request = _read(frame)
        except FrameError as error:
            self._refuse(connection, frame, error)
        else:
            await self._router.handle(connection, request)

    def _refuse(self, connection: Connection, frame: bytes | str, error: FrameError) -> None:
        _LOG.info("connection %d: refused a frame: %s", connection.number, error.code)
        request = find_request_id(frame) if isinstance(frame, bytes) else None
        connection.push(encode(describe(error, request)))
        try:
            connection.patience.take()
        except Refused:
            _LOG.warning("connection %d: abuses the protocol, closed", connection.number)
            connection.end(CloseCode.POLICY_VIOLATION, "too many bad frames")

    def _expect_hello(self, connection: Connection) -> None:
        if connection.player is None:
            connection.end(CloseCode.POLICY_VIOLATION, "no hello")


def _read(frame: bytes | str) -> AnyRequest:
    if isinstance(frame, str):
        raise FrameError(ErrorCode.NOT_MSGPACK, "a text frame; messages are binary")
    return decode_request(frame)


def _address(websocket: ServerConnection) -> str:
    address = websocket.remote_address
    return str(address[0]) if address else "unknown"
