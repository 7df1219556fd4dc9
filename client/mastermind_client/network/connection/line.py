"""One WebSocket connection to a server: the handshake, its TLS context, and messages."""

from __future__ import annotations

import asyncio
import ssl
from functools import lru_cache
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.protocol import State
from websockets.typing import Subprotocol

from mastermind_client.network.failures import Cause, CertificatesUnreadable, ServerUnreachable
from mastermind_protocol import messages as wire
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.dialects import DIALECTS
from mastermind_protocol.errors import ErrorCode, MessageError
from mastermind_protocol.events import find_part

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mastermind_client.context import Network
    from mastermind_client.network.connection.keepalive import Keepalive
    from mastermind_protocol import requests

MAX_MESSAGE_BYTES = 256 * 1024  # far above a full log message; bounds what a server can send
CLOSE_SECONDS = 1.0  # for the closing handshake; the player waits meanwhile
LOOPBACK = {"localhost", "127.0.0.1", "::1"}  # never through a proxy


class WatchedConnection(ClientConnection):
    """A WebSocket connection that calls `on_data` whenever data arrives."""

    on_data: Callable[[], object] | None = None

    def data_received(self, data: bytes) -> None:
        """Handle received data: a part of a frame, or more."""
        super().data_received(data)
        if self.on_data is not None:
            self.on_data()

    def send_ping(self) -> None:
        """Send a ping without waiting until earlier data has left: a dead line takes none."""
        if self.state is State.OPEN:
            self.protocol.send_ping(b"")
            self.send_data()


class Line:
    """A connection after the server's welcome. `handle` is called with each message.

    `reading` is the task that reads the messages. It raises what ended the connection.
    """

    def __init__(
        self,
        websocket: WatchedConnection,
        keepalive: Keepalive,
        handle: Callable[[wire.AnyMessage], Awaitable[None]],
    ) -> None:
        self.keepalive = keepalive
        self._websocket, self._handle = websocket, handle
        self.reading = asyncio.create_task(self._read(), name="line")
        websocket.on_data = keepalive.record_data

    async def send(self, *sent: requests.AnyRequest) -> None:
        """Send requests. Raises ConnectionClosed."""
        self.keepalive.check()
        for request in sent:
            await self._websocket.send(encode(request))

    def stop_reading(self) -> None:
        """Handle no further messages, and send no pings. The connection stays open."""
        self.keepalive.close()
        self.reading.cancel()
        self.reading.add_done_callback(lambda task: task.cancelled() or task.exception())

    def abort(self) -> None:
        """End the connection and the task `reading`, without waiting for the server."""
        self.stop_reading()
        self._websocket.transport.abort()

    async def close(self) -> None:
        """End the connection and the task `reading`. A dead line is not waited for."""
        if self.keepalive.alive.is_set():
            self.reading.cancel()
            # In another task, because timeouts fail in a cancelled one before Python 3.11.4.
            await asyncio.wait([asyncio.create_task(self._websocket.close())])
        self.abort()
        await asyncio.wait([self.reading])

    async def _read(self) -> None:
        async for received in self._websocket:
            if (message := read_message(received)) is not None:
                await self._handle(message)
                self.keepalive.check()


def make_match_address(server: str, match: str) -> str:
    """Return the address at which a server's proxy sends all clients of a match to one node."""
    return f"{server.removesuffix('/')}/m/{find_part(match)}"


async def open_connection(server: str, network: Network, seconds: float) -> WatchedConnection:
    """Return a WebSocket connection to an address after a handshake of at most `seconds`.

    Raises OSError, WebSocketException, and ImportError if the configured proxy needs a package that
    is not installed.
    """
    host = urlsplit(server).hostname
    connecting = connect(
        server,
        ssl=find_tls_context(server, network.cafile),
        subprotocols=list(map(Subprotocol, DIALECTS)),
        compression=None,
        open_timeout=seconds,
        ping_interval=None,  # Keepalive sends the pings
        close_timeout=CLOSE_SECONDS,
        max_size=MAX_MESSAGE_BYTES,
        proxy=True if network.proxies and host not in LOOPBACK else None,
        create_connection=WatchedConnection,
    )
    return cast("WatchedConnection", await connecting)


async def receive_answer(websocket: ClientConnection, request: int) -> wire.AnyMessage | None:
    """Return the next message. Errors that do not answer the request id `request` are skipped.

    Returns None for a message of an unknown type.
    """
    while True:
        answer = read_message(await websocket.recv())
        if not isinstance(answer, wire.Error) or answer.id == request:
            return answer


def read_message(received: bytes | str) -> wire.AnyMessage | None:
    """Return a received message, or None if this client does not know its type."""
    if isinstance(received, str):
        raise ServerUnreachable(Cause.TEXT)
    try:
        return decode_message(received)
    except MessageError as error:
        if error.code == ErrorCode.UNKNOWN_MESSAGE:
            return None
        raise ServerUnreachable(Cause.OTHER_PROTOCOL) from error


def find_tls_context(server: str, cafile: str | None = None) -> ssl.SSLContext | None:
    """Return the TLS context for a wss:// address, and None for ws://."""
    return make_tls_context(cafile) if urlsplit(server).scheme == "wss" else None


@lru_cache(maxsize=4)  # reading certificates is slow, and contexts are never changed
def make_tls_context(cafile: str | None) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates and those in the PEM file `cafile`.

    Raises CertificatesUnreadable.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # the system may allow older ones
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # trusts a server's own certificate
    if cafile is not None:
        try:
            context.load_verify_locations(cafile)
        except ssl.SSLError:
            raise CertificatesUnreadable(cafile) from None
        except OSError as error:
            raise CertificatesUnreadable(cafile, error.strerror or str(error)) from None
    return context
