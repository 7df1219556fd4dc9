"""A client connection to a server in this process, over memory instead of a socket.

The server's handshake, framing, rate limits and requests are the real ones. Sockets are left out,
because they would take most of the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from websockets.frames import CloseCode, Opcode

from kit.frames import HANDSHAKE, frame

_PONG = frame(Opcode.PONG)


class MemoryConnection(asyncio.Transport):
    """The client's end and the server's transport in one. Written bytes go to `receive`."""

    def __init__(
        self,
        protocol: asyncio.BufferedProtocol,
        receive: Callable[[bytes], None],
        ids: Iterator[int] | None = None,
    ) -> None:
        super().__init__()
        self.ids = ids or count(1)
        self.closed = False
        self.last = b""  # payload sent
        self._protocol, self._receive = protocol, receive
        self._unread = bytearray()
        self._paused = False
        protocol.connection_made(self)
        self.feed(HANDSHAKE)

    # The client's end.

    def send(self, payload: bytes, opcode: Opcode = Opcode.BINARY) -> None:
        """Send one unfragmented frame."""
        self.last = payload
        self.feed(frame(opcode, payload))

    def feed(self, data: bytes) -> None:
        """Send raw bytes."""
        self._unread += data
        self._deliver()

    def send_close(self) -> None:
        """Send a normal close frame."""
        self.send(CloseCode.NORMAL_CLOSURE.to_bytes(2, "big"), Opcode.CLOSE)

    def answer_pings(self) -> None:
        """Send a pong, so that the server does not time out the connection."""
        if not self.closed:
            self.feed(_PONG)

    def _deliver(self) -> None:
        while self._unread and not self._paused and not self.closed:
            buffer = memoryview(self._protocol.get_buffer(-1))
            size = min(len(buffer), len(self._unread))
            buffer[:size] = self._unread[:size]
            del self._unread[:size]
            self._protocol.buffer_updated(size)

    # The server's transport.

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self.closed:
            self._receive(bytes(data))

    def write_eof(self) -> None:
        self.close()  # the client closes its half at once

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.close()

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        asyncio.get_running_loop().call_soon(self._deliver)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 9) if name == "peername" else default

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass
