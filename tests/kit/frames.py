"""The bytes that a client sends, and connections that receive them from the test."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import TYPE_CHECKING

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from kit.client import PATIENCE
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.messages import SUBPROTOCOL
from mastermind_protocol.requests import Ping

if TYPE_CHECKING:  # an attacker's process needs neither
    from kit.server import GameServer
    from mastermind_server.network.sockets.connection import Connection

_CLIENT = ClientProtocol(parse_uri("ws://localhost"), subprotocols=[Subprotocol(SUBPROTOCOL)])
HANDSHAKE = _CLIENT.connect().serialize()
PING = b"\x89\x80\0\0\0\0"  # with a mask of zeros


def frame(
    opcode: int, data: bytes = b"", *, mask: bytes = b"mask", fin: bool = True, reserved: int = 0
) -> bytes:
    """Return a client's frame, built by hand after RFC 6455: libraries refuse invalid ones.

    Without `fin`, more fragments of the message follow. `reserved` are the three reserved bits.
    """
    length = len(data)
    first = fin << 7 | reserved << 4 | opcode
    if length < 126:
        head = bytes((first, 0x80 | length))
    elif length < 2**16:
        head = struct.pack("!BBH", first, 0x80 | 126, length)
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, length)
    pattern = int.from_bytes((mask * (length // 4 + 1))[:length])
    return head + mask + (int.from_bytes(data) ^ pattern).to_bytes(length)


def request(number: int) -> bytes:
    """Return a frame with a `ping` request."""
    return frame(Opcode.BINARY, encode(Ping(id=number)))


def open_client() -> ClientProtocol:
    """Return the client side of an open connection, which parses the server's frames."""
    return ClientProtocol(parse_uri("ws://localhost"), state=State.OPEN)


def feed(connection: Connection, data: bytes) -> None:
    """Pass `data` to a connection, as one read of its socket would."""
    connection.get_buffer(-1)[: len(data)] = data
    connection.buffer_updated(len(data))


def read_ids(client: ClientProtocol, data: bytes) -> list[int | None]:
    """Return the request ids in the server's answers within the next bytes."""
    client.receive_data(data)
    events = [event for event in client.events_received() if isinstance(event, Frame)]
    answers = [decode_message(bytes(e.data)) for e in events if e.opcode is Opcode.BINARY]
    return [getattr(answer, "id", None) for answer in answers]


async def send_raw(hall: GameServer, data: bytes) -> str:
    """Send `data` on a new socket; return the whole answer."""
    reader, writer = await hall.open_socket(data)
    async with asyncio.timeout(PATIENCE):
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
    writer.close()
    return answer.decode()


class SlowReader:
    """A connection with small buffers, whose client reads only when the test calls `read`."""

    connection: Connection

    async def connect(self, hall: GameServer) -> SlowReader:
        """Open the connection and complete the handshake."""
        ours, self._theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self._theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        _, self.connection = await loop.create_connection(
            hall.server.gateway.make_connection, sock=ours
        )
        feed(self.connection, HANDSHAKE)
        assert (await self.read(1)).endswith(b"\r\n\r\n")
        return self

    async def read(self, count: int) -> bytes:
        """Read at least `count` bytes."""
        loop, read = asyncio.get_running_loop(), bytearray()
        async with asyncio.timeout(PATIENCE):
            while len(read) < count:
                data = await loop.sock_recv(self._theirs, 65536)
                assert data
                read += data
        return bytes(read)

    def close(self) -> None:
        """Close the client's socket."""
        self._theirs.close()
