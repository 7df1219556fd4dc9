"""Send buffers of connections, with limits on the size of each buffer and on their total size.

If the total is too large, the client that has read too slowly for the longest time is cut off. It
can reconnect and resume.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING

from websockets.protocol import State

from mastermind_server.monitoring.logs import with_context

if TYPE_CHECKING:
    from websockets.server import ServerProtocol

    from mastermind_server.limits import Limiter

_LOG = logging.getLogger(__name__)
TRANSPORT_BUFFER_BYTES = 1024  # the rest stays in our own send buffers


class SendBuffer:
    """The data that one client has not read. `number` is the number of its connection.

    `paused` is true while the transport has paused writing. Data is then collected here, because
    the transport itself would need up to 900 bytes more for each write. `full` becomes true when
    the data exceeds the limit `unread_bytes`, and false when the client has read most of it. While
    `full` is true, the client's requests wait.
    """

    __slots__ = ("_buffers", "_data", "_transport", "full", "number", "paused")

    def __init__(self, buffers: SendBuffers, transport: asyncio.Transport, number: int) -> None:
        self._buffers, self._transport = buffers, transport
        self._data = bytearray()
        self.paused = self.full = False
        self.number = number  # of the connection
        transport.set_write_buffer_limits(high=TRANSPORT_BUFFER_BYTES)

    @property
    def size(self) -> int:
        """The number of bytes that the operating system has not accepted yet."""
        return self._transport.get_write_buffer_size() + len(self._data)

    def write(self, data: bytes) -> None:
        """Send or buffer `data`. Abort the connection above the limit `send_buffer_bytes`."""
        if not self.paused:
            self._transport.write(data)
            return
        self._data += data
        if self._update_size() > self._buffers.limiter.limits.send_buffer_bytes:
            self.cut_off("send_buffer_bytes")

    def write_output(self, protocol: ServerProtocol) -> None:
        """Send the output of `protocol`, and end the stream after the last output.

        After an HTTP response this closes the connection.
        """
        for data in protocol.data_to_send():
            if self._transport.is_closing():
                return
            if data:
                self.write(data)
                continue
            self.flush()
            if protocol.state is State.CONNECTING:
                self._transport.close()
            else:
                with suppress(OSError):  # reset by the client; connection_lost will follow
                    self._transport.write_eof()

    def pause(self) -> None:
        """Buffer data from now on: the transport has paused writing."""
        self.paused = True
        self._update_size()

    def resume(self) -> None:
        """Flush the buffer: the transport has resumed writing."""
        self.paused = False
        self._buffers.remove(self)
        self.flush()
        self.full = self.full and self.paused

    def flush(self) -> None:
        """Pass the buffered data to the transport."""
        if self._data:
            data, self._data = self._data, bytearray()
            self._transport.write(data)

    def close(self) -> None:
        """Drop the buffered data: the transport is closed."""
        self.paused = self.full = False
        self._data.clear()
        self._buffers.remove(self)

    def cut_off(self, limit: str) -> None:
        """Abort the connection, because the limit named `limit` is exceeded."""
        with_context(_LOG, connection=self.number).info("reads too slowly, cut off")
        self._buffers.limiter.exceeded[limit] += 1
        self._transport.abort()

    def _update_size(self) -> int:
        limiter = self._buffers.limiter
        size = self.size
        if size > limiter.limits.unread_bytes and not self.full:
            self.full = True
            limiter.exceeded["unread_bytes"] += 1
        self._buffers.set_size(self, size)
        return size


class SendBuffers:
    """The sizes of the paused send buffers. Must be used on a running event loop."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self._sizes: OrderedDict[SendBuffer, int] = OrderedDict()
        self._total = 0
        self._evicting = False

    def set_size(self, buffer: SendBuffer, size: int) -> None:
        """Set the size of a buffer, in bytes. Schedule evictions if the total exceeds its limit."""
        self._total += size - self._sizes.get(buffer, 0)
        self._sizes[buffer] = size
        if not self._evicting and self._total > self.limiter.limits.send_buffer_bytes_in_all:
            self._evicting = True
            asyncio.get_running_loop().call_soon(self._evict_slowest)

    def remove(self, buffer: SendBuffer) -> None:
        """Stop counting a buffer."""
        self._total -= self._sizes.pop(buffer, 0)

    def _evict_slowest(self) -> None:
        self._evicting = False
        while self._total > self.limiter.limits.send_buffer_bytes_in_all:
            buffer, size = self._sizes.popitem(last=False)
            self._total -= size
            buffer.cut_off("send_buffer_bytes_in_all")
