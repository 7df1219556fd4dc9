"""Broadcasts messages to many recipients, spread over iterations of the event loop."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RECIPIENTS_PER_ITERATION = 32  # served in one iteration of the event loop: some 1 ms


class Recipient(Protocol):
    """A receiver of messages."""

    def push(self, *messages: bytes) -> None:
        """Send messages in order. Does not wait until the client reads them."""
        ...

    def encode(self, message: bytes) -> bytes:
        """Return a message as `push_encoded` of any recipient in the same audience sends it."""
        ...

    def push_encoded(self, encoded: Sequence[bytes]) -> None:
        """Send messages, results of `encode`, in order."""
        ...


R = TypeVar("R", bound=Recipient)


class BroadcastScheduler:
    """Sends the messages of all audiences. Serves at most `budget` recipients per loop iteration.

    Other recipients receive their messages in later iterations. Audiences are served round robin.
    """

    def __init__(self, budget: int = RECIPIENTS_PER_ITERATION) -> None:
        self._budget = self._budget_left = budget
        self._pending: OrderedDict[Audience[Any], None] = OrderedDict()
        self._scheduled = False

    def schedule(self, audience: Audience[Any]) -> None:
        """Queue an audience with pending messages, and send what the budget allows."""
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
    """A set of recipients. Each receives every message that is broadcast after its `add`, in order.

    A delivery sends a recipient all its pending messages. Recipients are ordered by their last
    delivery, so the first one has the most pending messages. A message is encoded and stored only
    once, until all recipients have received it.
    """

    __slots__ = ("_count", "_encoded", "_received", "_scheduler")

    def __init__(self, scheduler: BroadcastScheduler) -> None:
        self._scheduler = scheduler
        self._received: OrderedDict[R, int] = OrderedDict()  # the last one sent to each
        self._count = 0  # number of all messages broadcast
        self._encoded: list[bytes] = []  # messages that are pending for a recipient

    def __len__(self) -> int:
        return len(self._received)

    def __contains__(self, recipient: object) -> bool:
        return recipient in self._received

    def __iter__(self) -> Iterator[R]:
        return iter(self._received)

    @property
    def is_behind(self) -> bool:
        """Whether messages are pending for any recipient."""
        return bool(self._encoded)

    def add(self, recipient: R) -> None:
        """Subscribe a recipient to later messages."""
        self._received[recipient] = self._count
        self._received.move_to_end(recipient)

    def remove(self, recipient: R) -> None:
        """Unsubscribe a recipient, and discard its pending messages."""
        self._received.pop(recipient, None)
        self._discard_delivered()

    def broadcast(self, message: bytes, exclude: R | None = None) -> None:
        """Send a message to all recipients except `exclude`.

        Earlier messages that are pending for `exclude` are sent at once.
        """
        if not self._received:
            return
        if exclude is not None and exclude in self._received:
            self.catch_up(exclude)
            self._received[exclude] = self._count + 1
            self._received.move_to_end(exclude)
        self._encoded.append(next(iter(self._received)).encode(message))
        self._count += 1
        self._scheduler.schedule(self)

    def catch_up(self, recipient: R) -> None:
        """Send the pending messages of a recipient now."""
        if (received := self._received[recipient]) < self._count:
            self._send_pending(recipient, received)
            self._discard_delivered()

    def deliver(self, limit: int) -> int:
        """Send the pending messages of up to `limit` recipients. Return the number served."""
        delivered = 0
        for recipient, received in list(islice(self._received.items(), limit)):
            if received == self._count:
                break
            self._send_pending(recipient, received)
            delivered += 1
        self._discard_delivered()
        return delivered

    def _send_pending(self, recipient: R, received: int) -> None:
        recipient.push_encoded(self._encoded[len(self._encoded) - (self._count - received) :])
        self.add(recipient)

    def _discard_delivered(self) -> None:
        least = next(iter(self._received.values()), self._count)
        del self._encoded[: len(self._encoded) - (self._count - least)]
