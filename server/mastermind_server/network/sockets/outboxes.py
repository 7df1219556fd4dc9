"""What waits to be read by all clients together: so many bytes, and who is behind the longest goes.

Whoever is honest reads on, so that those who have been behind for the longest are the least likely
to; and being cut off costs nobody more than to come back. A client that keeps up is not known here.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mastermind_server.limits import Limiter


class Reader(Protocol):
    """A connection whose client has not read what it was sent."""

    def cut_off(self, limit: str) -> None:
        """Go, for more waits to be read than this limit allows."""


class Outboxes:
    """Counts the bytes that wait for clients which are behind. Used on a running event loop.

    Whoever has to go does so in a turn of its own, for counting is done amid a write.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._waiting: OrderedDict[Reader, int] = OrderedDict()
        self._total = 0
        self._crowded = False

    def count(self, reader: Reader, waiting: int) -> None:
        """Take note of how many bytes wait for a client now."""
        self._total += waiting - self._waiting.get(reader, 0)
        self._waiting[reader] = waiting
        if not self._crowded and self._total > self._most:
            self._crowded = True
            asyncio.get_running_loop().call_soon(self._make_room)

    def forget(self, reader: Reader) -> None:
        """Count a client no more: it has read most of what it was sent, or is gone."""
        self._total -= self._waiting.pop(reader, 0)

    @property
    def _most(self) -> int:
        return self._limiter.limits.outbox_bytes_in_all

    def _make_room(self) -> None:
        self._crowded = False
        while self._total > self._most:
            oldest, waiting = self._waiting.popitem(last=False)
            self._total -= waiting
            oldest.cut_off("outbox_bytes_in_all")
