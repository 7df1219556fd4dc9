"""The same frame for a crowd: in its order for each, and for so many in one turn of the loop."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from mastermind_server.framing import pack
from mastermind_server.tuning import TOLD_PER_TURN

if TYPE_CHECKING:
    from collections.abc import Iterator


class Recipient(Protocol):
    """Whoever can be sent frames."""

    def push(self, *frames: bytes) -> None:
        """Send frames, in order, without waiting for anybody to read them."""
        ...

    def push_frames(self, frames: bytes, count: int) -> None:
        """Do the same with `count` frames that have their headers."""
        ...


R = TypeVar("R", bound=Recipient)


class Fanout:
    """Lets the audiences of one server take turns. Used on a running event loop.

    Of all audiences together so many recipients are told in one turn of the loop: at once, or else
    in later turns, in which one audience comes after the other.
    """

    def __init__(self, per_turn: int = TOLD_PER_TURN) -> None:
        self._per_turn = self._room = per_turn
        self._waiting: OrderedDict[Audience[Any], None] = OrderedDict()
        self._begins = False

    def serve(self, audience: Audience[Any]) -> None:
        """Deliver what an audience has not been told, when it is its turn."""
        self._waiting.setdefault(audience)
        self._deliver()

    def _deliver(self) -> None:
        while self._waiting and self._room > 0:
            audience, _ = self._waiting.popitem(last=False)
            self._room -= audience.deliver(self._room)
            if audience.is_behind:
                self._waiting[audience] = None
        if self._room < self._per_turn and not self._begins:
            self._begins = True
            asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        """Begin a turn of the loop, in which so many may be told again."""
        self._begins, self._room = False, self._per_turn
        self._deliver()


class Audience(Generic[R]):
    """Those who are told all the same: each, once and in order, what is told after it has come.

    They are in the order in which they were last told, so whoever lacks most is the first. A frame
    is kept, once for all, until the last has it.
    """

    __slots__ = ("_count", "_fanout", "_frames", "_had")

    def __init__(self, fanout: Fanout) -> None:
        self._fanout = fanout
        self._had: OrderedDict[R, int] = OrderedDict()  # how many of all frames each need not get
        self._count = 0  # of all frames
        self._frames: list[bytes] = []  # the last of them, which somebody lacks

    def __len__(self) -> int:
        return len(self._had)

    def __contains__(self, recipient: object) -> bool:
        return recipient in self._had

    def __iter__(self) -> Iterator[R]:
        return iter(self._had)

    @property
    def is_behind(self) -> bool:
        """Whether somebody lacks something."""
        return bool(self._frames)

    def add(self, recipient: R) -> None:
        """Let somebody be told what comes from now on."""
        self._had[recipient] = self._count
        self._had.move_to_end(recipient)

    def remove(self, recipient: R) -> None:
        """Tell somebody nothing more, nor what it lacks."""
        self._had.pop(recipient, None)
        self._forget()

    def tell(self, frame: bytes, but: R | None = None) -> None:
        """Tell everybody in its turn, but one who knows: that one now has all that was before."""
        if not self._had:
            return
        if but is not None and but in self._had:
            self.catch_up(but)
            self._had[but] = self._count + 1
            self._had.move_to_end(but)
        self._frames.append(pack(frame))
        self._count += 1
        self._fanout.serve(self)

    def catch_up(self, recipient: R) -> None:
        """Tell somebody at once what it lacks."""
        if (had := self._had[recipient]) < self._count:
            self._bring(recipient, had)
            self._forget()

    def deliver(self, most: int) -> int:
        """Tell those who lack something what they lack, so many of them; return their number."""
        told = 0
        for recipient, had in list(islice(self._had.items(), most)):
            if had == self._count:
                break
            self._bring(recipient, had)
            told += 1
        self._forget()
        return told

    def _bring(self, recipient: R, had: int) -> None:
        frames = self._frames[len(self._frames) - (self._count - had) :]
        recipient.push_frames(b"".join(frames), len(frames))
        self.add(recipient)

    def _forget(self) -> None:
        """Keep no frame that nobody lacks."""
        least = next(iter(self._had.values()), self._count)
        del self._frames[: len(self._frames) - (self._count - least)]
