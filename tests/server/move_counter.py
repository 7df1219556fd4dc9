"""Counts of the server's work for moves, which are equal on every machine.

Two players send prepared guesses to a whole server and only count the received bytes. So the
counts include nothing of the clients except writing, reading and waiting.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any

from websockets.frames import Frame, Opcode

from kit.client import PATIENCE, RawClient
from kit.server import GameServer
from mastermind_protocol.codec import encode
from mastermind_protocol.requests import Guess

RULES = "9x12/99"  # a measurement never runs out of guesses
SECRET, WRONG = "1" * 9, (1,) * 9


class Reader(asyncio.Protocol):
    """The receiving side of an open connection. It stores the bytes without parsing them."""

    def __init__(self, wire: RawClient) -> None:
        self.received = bytearray()
        self._wire, self._transport = wire, wire.websocket.transport
        self._more: asyncio.Future[None] | None = None
        self._transport.set_protocol(self)

    def data_received(self, data: bytes) -> None:
        """Store `data` and wake the waiting `until`."""
        self.received += data
        if self._more is not None:
            self._more.set_result(None)
            self._more = None

    def write(self, frame: bytes) -> None:
        """Send bytes unchanged."""
        self._transport.write(frame)

    async def until(self, size: int) -> None:
        """Wait until at least `size` bytes have been received."""
        while len(self.received) < size:
            self._more = asyncio.get_running_loop().create_future()
            await self._more

    def give_back(self) -> None:
        """Return the transport to the websocket, which then can close the connection."""
        self._transport.set_protocol(self._wire.websocket)


class MatchOfGuesses:
    """A match of Ada and Bob with spectators, in which Bob makes wrong guesses."""

    def __init__(self, code: str, version: int, breaker: Reader, others: list[Reader]) -> None:
        self.code, self.version, self.breaker, self.others = code, version, breaker, others

    async def play(self, guesses: int) -> None:
        """Make guesses, each after all readers have received the previous guess."""
        readers = (self.breaker, *self.others)
        for frame in [self._frame(self.version + number) for number in range(guesses)]:
            known = [len(reader.received) for reader in readers]
            self.breaker.write(frame)
            async with asyncio.timeout(PATIENCE):
                for reader, size in zip(readers, known, strict=True):
                    await reader.until(size + 1)
        self.version += guesses

    def _frame(self, version: int) -> bytes:
        guess = Guess(id=1000 + version, match=self.code, v=version, code=WRONG)
        return Frame(Opcode.BINARY, encode(guess)).serialize(mask=True)


@asynccontextmanager
async def guessing(hall: GameServer, spectators: int = 0) -> AsyncIterator[MatchOfGuesses]:
    """Yield a match with spectators, after the secret and the first guesses."""
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    code = (await ada.open(maker="me", breaker="open", rules=RULES)).match
    await bob.join(code)
    crowd = [await hall.meet() for _ in range(spectators)]
    for each in crowd:
        await each.follow(code)
    secret_set = (await ada.set(code, SECRET)).v
    for wire in (ada, bob, *crowd):
        hall.clock.skip(2.0)  # sends the pending spectator count, so that none is sent later
        await wire.settle()
    breaker, *others = readers = [Reader(wire) for wire in (bob, ada, *crowd)]
    try:
        match = MatchOfGuesses(code, secret_set, breaker, others)
        await match.play(4)  # fills caches, which would distort the counts
        yield match
    finally:
        for reader in readers:
            reader.give_back()


@contextmanager
def counting_tasks() -> Iterator[list[str]]:
    """Yield a list that receives the name of each task created within the block."""
    loop, names = asyncio.get_running_loop(), []

    def make(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
        names.append(work.__qualname__)
        return asyncio.Task(work, loop=loop, **options)

    loop.set_task_factory(make)
    try:
        yield names
    finally:
        loop.set_task_factory(None)


@contextmanager
def counting_calls() -> Iterator[Counter[str]]:
    """Yield a counter of this thread's calls within the block, by qualified name."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            calls[frame.f_code.co_qualname] += 1
        elif event == "c_call":
            calls[called.__qualname__] += 1

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)
