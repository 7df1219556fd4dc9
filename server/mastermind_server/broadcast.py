"""Broadcasts frames to many recipients, spread over iterations of the event loop."""

from __future__ import annotations

import asyncio
import struct
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

BINARY_FRAME_BYTE = 0x82  # first byte of a binary message in one frame
MAX_SHORT_LENGTH = 125  # the longest payload whose length fits into the second byte
MAX_MEDIUM_LENGTH = 2**16 - 1  # the longest payload whose length fits into two more bytes

_SHORT_HEADERS = tuple(bytes((BINARY_FRAME_BYTE, length)) for length in range(MAX_SHORT_LENGTH + 1))
_MEDIUM_HEADER, _LONG_HEADER = struct.Struct("!BBH"), struct.Struct("!BBQ")


def encode_frame(message: bytes) -> bytes:
    """Return the WebSocket frame of the binary message `message`, without a mask."""
    length = len(message)
    if length <= MAX_SHORT_LENGTH:
        return _SHORT_HEADERS[length] + message
    if length <= MAX_MEDIUM_LENGTH:
        return _MEDIUM_HEADER.pack(BINARY_FRAME_BYTE, MAX_SHORT_LENGTH + 1, length) + message
    return _LONG_HEADER.pack(BINARY_FRAME_BYTE, MAX_SHORT_LENGTH + 2, length) + message


RECIPIENTS_PER_ITERATION = 32  # served in one iteration of the event loop: some 1 ms


class Recipient(Protocol):
    """A receiver of frames."""

    def push(self, *messages: bytes) -> None:
        """Send messages in order. Does not wait until the client reads them."""
        ...

    def push_frames(self, frames: bytes, count: int) -> None:
        """Send `frames`, the joined WebSocket frames of `count` messages."""
        ...


R = TypeVar("R", bound=Recipient)


class BroadcastScheduler:
    """Sends the frames of all audiences. Serves at most `budget` recipients per loop iteration.

    Other recipients receive their frames in later iterations. Audiences are served round robin.
    """

    def __init__(self, budget: int = RECIPIENTS_PER_ITERATION) -> None:
        self._budget = self._budget_left = budget
        self._pending: OrderedDict[Audience[Any], None] = OrderedDict()
        self._scheduled = False

    def schedule(self, audience: Audience[Any]) -> None:
        """Queue an audience with pending frames, and send what the budget allows."""
        self._pending.setdefault(audience)
        self._deliver()

    def _deliver(self) -> None:
        while self._pending and self._budget_left > 0:
            audience, _ = self._pending.popitem(last=False)
            self._budget_left -= audience.deliver(self._budget_left)
            if audience.is_behind:
                self._pending[audience] = None
        if self._budget_left < self._budget and not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._start_iteration)

    def _start_iteration(self) -> None:
        self._scheduled, self._budget_left = False, self._budget
        self._deliver()


class Audience(Generic[R]):
    """A set of recipients. Each receives every frame that is broadcast after its `add`, in order.

    A delivery sends a recipient all its pending frames. Recipients are ordered by their last
    delivery, so the first one has the most pending frames. A frame is stored only once, until all
    recipients have received it.
    """

    __slots__ = ("_count", "_frames", "_received", "_scheduler")

    def __init__(self, scheduler: BroadcastScheduler) -> None:
        self._scheduler = scheduler
        self._received: OrderedDict[R, int] = OrderedDict()  # number of the last frame sent to each
        self._count = 0  # number of all frames broadcast
        self._frames: list[bytes] = []  # frames that are pending for a recipient

    def __len__(self) -> int:
        return len(self._received)

    def __contains__(self, recipient: object) -> bool:
        return recipient in self._received

    def __iter__(self) -> Iterator[R]:
        return iter(self._received)

    @property
    def is_behind(self) -> bool:
        """Whether frames are pending for any recipient."""
        return bool(self._frames)

    def add(self, recipient: R) -> None:
        """Subscribe a recipient to later frames."""
        self._received[recipient] = self._count
        self._received.move_to_end(recipient)

    def remove(self, recipient: R) -> None:
        """Unsubscribe a recipient, and discard its pending frames."""
        self._received.pop(recipient, None)
        self._discard_delivered()

    def broadcast(self, message: bytes, exclude: R | None = None) -> None:
        """Send a message to all recipients except `exclude`.

        Earlier frames that are pending for `exclude` are sent at once.
        """
        if not self._received:
            return
        if exclude is not None and exclude in self._received:
            self.catch_up(exclude)
            self._received[exclude] = self._count + 1
            self._received.move_to_end(exclude)
        self._frames.append(encode_frame(message))
        self._count += 1
        self._scheduler.schedule(self)

    def catch_up(self, recipient: R) -> None:
        """Send the pending frames of a recipient now."""
        if (received := self._received[recipient]) < self._count:
            self._send_pending(recipient, received)
            self._discard_delivered()

    def deliver(self, limit: int) -> int:
        """Send the pending frames of up to `limit` recipients. Return the number served."""
        delivered = 0
        for recipient, received in list(islice(self._received.items(), limit)):
            if received == self._count:
                break
            self._send_pending(recipient, received)
            delivered += 1
        self._discard_delivered()
        return delivered

    def _send_pending(self, recipient: R, received: int) -> None:
        frames = self._frames[len(self._frames) - (self._count - received) :]
        recipient.push_frames(b"".join(frames), len(frames))
        self.add(recipient)

    def _discard_delivered(self) -> None:
        least = next(iter(self._received.values()), self._count)
        del self._frames[: len(self._frames) - (self._count - least)]
