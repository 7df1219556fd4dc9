"""What waits to be read by clients: bounded for each, and for all together.

In all the one that has been behind for the longest goes. Whoever is honest reads on, so that it is
the least likely to; and being cut off costs nobody more than to come back. Nothing is counted for
a client that keeps up.
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


class Outbox:
    """What waits to be read by one client.

    It is `behind` while its transport can send no more. What comes then is kept here, in one piece:
    an event loop keeps up to 900 bytes beside each frame that it is given. It is `full` when so
    much waits that the client is to be served nothing further, until it has read most of it.
    """

    __slots__ = ("_kept", "_outboxes", "_transport", "behind", "full", "number")

    def __init__(self, outboxes: Outboxes, transport: asyncio.Transport, number: int) -> None:
        self._outboxes, self._transport = outboxes, transport
        self._kept = bytearray()
        self.behind = self.full = False
        self.number = number  # of the connection
        transport.set_write_buffer_limits(high=tuning.BEHIND_BYTES)

    def write(self, data: bytes) -> None:
        """Send data as soon as it can be; who reads too slowly is cut off."""
        if not self.behind:
            self._transport.write(data)
            return
        self._kept += data
        if self._weigh() > self._outboxes.limiter.limits.outbox_bytes:
            self.cut_off("outbox_bytes")

    def pause(self) -> None:
        """Keep what is still written: the transport can send no more."""
        self.behind = True
        self._weigh()

    def resume(self) -> None:
        """Send what was kept: the transport can send again."""
        self.behind = False
        self._outboxes.forget(self)
        self.hand_over()
        self.full = self.full and self.behind

    def hand_over(self) -> None:
        """Let the transport have all that was kept, such as before it is closed."""
        if self._kept:
            kept, self._kept = self._kept, bytearray()
            self._transport.write(kept)

    def close(self) -> None:
        """Let go of all that was kept: the transport is gone."""
        self.behind = self.full = False
        self._kept.clear()
        self._outboxes.forget(self)

    def cut_off(self, limit: str) -> None:
        """Close the connection at once: who does not read would not read why either."""
        about(_LOG, connection=self.number).info("reads too slowly, cut off")
        self._outboxes.limiter.met[limit] += 1
        self._transport.abort()

    def _weigh(self) -> int:
        waiting = self._transport.get_write_buffer_size() + len(self._kept)
        if waiting > self._outboxes.limiter.limits.unread_bytes:
            self.full = True
        self._outboxes.count(self, waiting)
        return waiting


class Outboxes:
    """Counts the bytes that wait for clients which are behind. Used on a running event loop.

    Whoever has to go does so in a turn of its own, for counting is done amid a write.
    """

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self._waiting: OrderedDict[Outbox, int] = OrderedDict()
        self._total = 0
        self._crowded = False

    def count(self, outbox: Outbox, waiting: int) -> None:
        """Take note of how many bytes wait for a client now."""
        self._total += waiting - self._waiting.get(outbox, 0)
        self._waiting[outbox] = waiting
        if not self._crowded and self._total > self._most:
            self._crowded = True
            asyncio.get_running_loop().call_soon(self._make_room)

    def forget(self, outbox: Outbox) -> None:
        """Count a client no more."""
        self._total -= self._waiting.pop(outbox, 0)

    @property
    def _most(self) -> int:
        return self.limiter.limits.outbox_bytes_in_all

    def _make_room(self) -> None:
        self._crowded = False
        while self._total > self._most:
            longest, waiting = self._waiting.popitem(last=False)
            self._total -= waiting
            longest.cut_off("outbox_bytes_in_all")
