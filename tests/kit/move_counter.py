"""Counts what moves make a server do: figures that are the same on every machine.

Two players at a whole server send guesses made beforehand, and only count what comes back, so that
nothing of theirs is counted but writing, reading and waiting.
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

RULES = "9x12/99"  # a code that wrong guesses do not exhaust
SECRET, WRONG = "1" * 9, (1,) * 9


class Reader(asyncio.Protocol):
    """The reading end of an open connection: it keeps the bytes, and knows no more of them."""

    def __init__(self, wire: RawClient) -> None:
        self.received = bytearray()
        self._wire, self._transport = wire, wire.websocket.transport
        self._more: asyncio.Future[None] | None = None
        self._transport.set_protocol(self)

    def data_received(self, data: bytes) -> None:
        """Keep what has come, and tell who waits for it."""
        self.received += data
        if self._more is not None:
            self._more.set_result(None)
            self._more = None

    def write(self, frame: bytes) -> None:
        """Send bytes as they are."""
        self._transport.write(frame)

    async def until(self, size: int) -> None:
        """Wait until so many bytes have come."""
        while len(self.received) < size:
            self._more = asyncio.get_running_loop().create_future()
            await self._more

    def give_back(self) -> None:
        """Let the websocket have its connection again, to close it."""
        self._transport.set_protocol(self._wire.websocket)


class MatchOfGuesses:
    """A match in which Bob guesses wrong, before Ada and before some who look on."""

    def __init__(self, code: str, version: int, breaker: Reader, others: list[Reader]) -> None:
        self.code, self.version, self.breaker, self.others = code, version, breaker, others

    async def play(self, guesses: int) -> None:
        """Make guesses, each when the one before has come to everybody."""
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
    """A match whose secret is set, before so many spectators; some guesses have been made."""
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    code = (await ada.open(maker="me", breaker="open", rules=RULES)).match
    await bob.join(code)
    crowd = [await hall.meet() for _ in range(spectators)]
    for each in crowd:
        await each.follow(code)
    secret_set = (await ada.set(code, SECRET)).v
    for wire in (ada, bob, *crowd):
        hall.clock.skip(2.0)  # the number of those who look on is told, and then no more
        await wire.settle()
    breaker, *others = readers = [Reader(wire) for wire in (bob, ada, *crowd)]
    try:
        match = MatchOfGuesses(code, secret_set, breaker, others)
        await match.play(4)  # what is made once is made
        yield match
    finally:
        for reader in readers:
            reader.give_back()


def list_frames(received: bytes | bytearray) -> list[bytes]:
    """Return the payloads of a server's frames, which have no mask."""
    frames, start = [], 0
    while start < len(received):
        size, start = received[start + 1], start + 2
        if size == 126:  # two more bytes tell the size
            size, start = int.from_bytes(received[start : start + 2], "big"), start + 2
        frames.append(bytes(received[start : start + size]))
        start += size
    return frames


@contextmanager
def counting_tasks() -> Iterator[list[str]]:
    """Yield a list that gets the name of every task that is made meanwhile."""
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
    """Yield how often each function is called meanwhile by this thread, by its qualified name."""
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
