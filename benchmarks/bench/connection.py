"""A minimal WebSocket client connection: the driver must use less CPU than the server.

So it is no `RawClient` of the test kit, which decodes every message and keeps every frame.

websockets writes the handshake; frames are built and parsed by hand.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any, cast

import msgpack
from websockets.client import ClientProtocol
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

if TYPE_CHECKING:
    from collections.abc import Callable

SUBPROTOCOLS = [Subprotocol(f"mastermind.v{version}") for version in (3, 2, 1)]
HANDSHAKE_END = b"\r\n\r\n"
BINARY, CLOSE, PING, PONG = 0x82, 0x88, 0x89, 0x8A
SHORT, MEDIUM = 126, 1 << 16  # lengths from which on the length takes two or eight more bytes


class Lost(Exception):
    """The server closed or refused the connection."""


def mask(payload: bytes, opcode: int = BINARY) -> bytes:
    """Return a message as a masked client frame; the mask is 0."""
    size = len(payload)
    if size < SHORT:
        return bytes((opcode, 0x80 | size, 0, 0, 0, 0)) + payload
    assert size < MEDIUM, "a frame of this size has a longer header"
    return bytes((opcode, 0x80 | SHORT)) + size.to_bytes(2) + bytes(4) + payload


class Connection(asyncio.Protocol):
    """One client, which passes each message to `receive`.

    It can reconnect: it keeps its token and continues the ids of its requests.
    """

    def __init__(self, address: str, source: str) -> None:
        """Prepare a connection to a ws:// address, from a loopback address."""
        self.token: str | None = None
        self.receive: Callable[[bytes], object] = self._answer
        self.pong: Callable[[], object] = lambda: None
        self.address, self.source = address, source
        self._transport: asyncio.Transport
        self._buffer = b""
        self._open: asyncio.Future[None]
        self._gone: asyncio.Future[None]
        self._failed: Exception | None = None
        self._aborted = False
        self._ids = itertools.count(1)
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def open(self) -> None:
        """Connect; raises OSError, and Lost if the server refuses."""
        uri = parse_uri(self.address)
        loop = asyncio.get_running_loop()
        self._open, self._gone = loop.create_future(), loop.create_future()
        self._buffer, self._failed, self._aborted = b"", None, False
        await loop.create_connection(lambda: self, uri.host, uri.port, local_addr=(self.source, 0))
        client = ClientProtocol(uri, subprotocols=SUBPROTOCOLS)
        self._transport.write(client.connect().serialize())
        await self._open

    async def abort(self) -> None:
        """Abort the connection without a close frame."""
        self._aborted = True
        self._transport.abort()
        await self._gone

    def pause(self) -> None:
        """Stop reading; the kernel buffers what arrives."""
        self._transport.pause_reading()

    def resume(self) -> None:
        """Continue reading."""
        self._transport.resume_reading()

    def ping(self) -> None:
        """Send a WebSocket ping."""
        self._transport.write(mask(b"", PING))

    def next_id(self) -> int:
        """Return the next request id."""
        return next(self._ids)

    def send(self, payload: bytes) -> None:
        """Send a short message."""
        self._transport.write(mask(payload))

    def ask(self, op: str, **fields: object) -> asyncio.Future[dict[str, Any]]:
        """Send a request; the future is its answer, or raises Lost for an error."""
        request = self.next_id()
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[request] = future
        self.send(msgpack.packb({"op": op, "id": request, **fields}))
        return future

    def reset(self) -> None:
        """Pass messages to the futures of `ask` again."""
        self.receive = self._answer

    # Callbacks of the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Parse complete frames."""
        if self._buffer:
            data = self._buffer + data
        if not self._open.done():
            head, end, data = data.partition(HANDSHAKE_END)
            if not end:
                self._buffer = head
                return
            if b" 101 " not in head[:32]:
                self._open.set_exception(Lost(head.decode("latin-1")))
                return
            self._open.set_result(None)
        start, size = 0, len(data)
        while size - start >= 2:
            length, payload = data[start + 1], start + 2
            if length >= SHORT:
                payload += 2 if length == SHORT else 8
                if size < payload:
                    break
                length = int.from_bytes(data[start + 2 : payload])
            if size < payload + length:
                break
            if data[start] == BINARY:
                self.receive(data[payload : payload + length])
            else:
                self._control(data[start], data[payload : payload + length])
            start = payload + length
        self._buffer = data[start:]

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail all pending futures."""
        failed = exc or self._failed or Lost("the server has closed the connection")
        waiting: list[asyncio.Future[Any]] = [self._open, *self._asked.values()]
        waiting = [future for future in waiting if not future.done()]
        for future in waiting:
            future.set_exception(failed)
        self._asked.clear()
        self._gone.set_result(None)
        if not (self._aborted or waiting):
            raise failed  # no future can report it

    def _control(self, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self._transport.write(mask(payload, PONG))
        elif opcode == PONG:
            self.pong()
        else:
            assert opcode == CLOSE, f"a frame of type {opcode:#x}"
            self._failed = Lost(f"closed with {int.from_bytes(payload[:2])} {payload[2:]!r}")
            self._transport.close()

    def _answer(self, payload: bytes) -> None:
        message = msgpack.unpackb(payload)
        future = self._asked.pop(message.get("id"), None)
        if future is not None and not future.done():
            if message["op"] == "error":
                future.set_exception(Lost(str(message)))
            else:
                future.set_result(message)
