"""Unread bytes of clients: bounded per client and in all.

Above the total, the client that has been behind for the longest is cut off. Honest clients read
promptly, and a client that is cut off can reconnect. Clients that keep up are not counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from mastermind_server import tuning
from mastermind_server.logs import about

if TYPE_CHECKING:
    from mastermind_server.limits import Limiter

_LOG = logging.getLogger(__name__)


class SendBuffer:
    """The unread bytes of one client.

    The buffer is `behind` while its transport cannot send more. Further data is then kept here in
    one piece, because an event loop adds up to 900 bytes to each frame. The buffer is `full` above
    `unread_bytes`, until the client has read most of the data. Its requests wait then.
    """

    __slots__ = ("_buffers", "_data", "_transport", "behind", "full", "number")

    def __init__(self, buffers: SendBuffers, transport: asyncio.Transport, number: int) -> None:
        self._buffers, self._transport = buffers, transport
        self._data = bytearray()
        self.behind = self.full = False
        self.number = number  # of the connection
        transport.set_write_buffer_limits(high=tuning.BEHIND_BYTES)

    def write(self, data: bytes) -> None:
        """Send `data`, or buffer it. Cut off a client above `outbox_bytes`."""
        if not self.behind:
            self._transport.write(data)
            return
        self._data += data
        if self._measure() > self._buffers.limiter.limits.outbox_bytes:
            self.cut_off("outbox_bytes")

    def pause(self) -> None:
        """Buffer further data: the transport cannot send more."""
        self.behind = True
        self._measure()

    def resume(self) -> None:
        """Flush the buffer: the transport can send again."""
        self.behind = False
        self._buffers.remove(self)
        self.flush()
        self.full = self.full and self.behind

    def flush(self) -> None:
        """Pass all buffered data to the transport."""
        if self._data:
            data, self._data = self._data, bytearray()
            self._transport.write(data)

    def close(self) -> None:
        """Drop all buffered data: the transport is closed."""
        self.behind = self.full = False
        self._data.clear()
        self._buffers.remove(self)

    def cut_off(self, limit: str) -> None:
        """Abort the connection. A close frame would not be read either."""
        about(_LOG, connection=self.number).info("reads too slowly, cut off")
        self._buffers.limiter.met[limit] += 1
        self._transport.abort()

    def _measure(self) -> int:
        limiter = self._buffers.limiter
        size = self._transport.get_write_buffer_size() + len(self._data)
        if size > limiter.limits.unread_bytes and not self.full:
            self.full = True
            limiter.met["unread_bytes"] += 1
        self._buffers.count(self, size)
        return size


class SendBuffers:
    """The total size of the buffers of clients that are behind. Used on a running event loop."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self._sizes: OrderedDict[SendBuffer, int] = OrderedDict()
        self._total = 0
        self._evicting = False

    def count(self, buffer: SendBuffer, size: int) -> None:
        """Record the size of a buffer; evict buffers later, because a write is in progress."""
        self._total += size - self._sizes.get(buffer, 0)
        self._sizes[buffer] = size
        if not self._evicting and self._total > self.limiter.limits.outbox_bytes_in_all:
            self._evicting = True
            asyncio.get_running_loop().call_soon(self._evict)

    def remove(self, buffer: SendBuffer) -> None:
        """Stop counting a buffer."""
        self._total -= self._sizes.pop(buffer, 0)

    def _evict(self) -> None:
        self._evicting = False
        while self._total > self.limiter.limits.outbox_bytes_in_all:
            buffer, size = self._sizes.popitem(last=False)
            self._total -= size
            buffer.cut_off("outbox_bytes_in_all")
