"""Hostile clients on real sockets, which count the frames they send and the answers."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType

from campaigns.fuzz.framing import (
    BINARY,
    CLOSE,
    HANDSHAKES,
    MOST_CONTROL,
    VIOLATIONS,
    close,
    send_control,
    send_fragments,
    send_text,
    send_whole,
    violate,
)
from campaigns.fuzz.payloads import PAYLOADS, MessageSource, Tape
from campaigns.fuzz.tally import Tally
from kit.frames import HANDSHAKE, frame
from kit.matches import SeededRandom
from mastermind_protocol.codec import encode
from mastermind_protocol.requests import Hello

LONGEST = 400  # frames per connection
AT_ONCE = 16  # frames in one write, at most
PATIENCE_SECONDS = 5.0  # per write: the server stops reading from clients that do not read
ANSWER_SECONDS = 20.0  # for an answer or the server's close frame: it answers queued requests first
SLICE = 64 * 1024  # bytes per read
# Weights of the kinds of frames; their sum is about 100.
_SHARES: Mapping[str, float] = MappingProxyType(
    {
        "random bytes": 8,
        "requests, mutated": 22,
        "others' requests, replayed": 10,
        "requests": 8,
        "own requests, repeated": 6,
        "own ids, for others": 4,
        "wrong types and fields": 14,
        "invalid UTF-8": 6,
        "msgpack bombs": 6,
        "text": 2,
        "fragments": 5,
        "control frames": 6,
        "requests, reordered": 2,
        "violations": 1,
    }
)
_KINDS, _WEIGHTS = list(_SHARES), list(_SHARES.values())
_MESSAGES = list(PAYLOADS)


class Stranger:
    """A hostile player at one address, which opens one connection after another.

    It reads and writes streams, because no client of the kit sends or accepts what is forbidden.
    """

    def __init__(
        self, port: int, address: str, dice: SeededRandom, tape: Tape, tally: Tally
    ) -> None:
        self._port, self._address, self._dice, self._tally = port, address, dice, tally
        self._tape = tape
        self._source = MessageSource(dice, tape)
        self._token: str | None = None

    async def attack(self, is_over: Callable[[], bool]) -> None:
        """Open connections and send hostile frames until `is_over` returns True."""
        while not is_over():
            with suppress(OSError, TimeoutError):  # the server may cut a hostile connection
                await self._connect()

    async def _connect(self) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(self._address, 0), limit=SLICE
        )
        try:
            if self._dice.random() < 0.2:
                await self._send_bad_handshake(reader, writer)
            else:
                await self._send_handshake(reader, writer)
        finally:
            writer.transport.abort()

    async def _send_bad_handshake(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        dice = self._dice
        kind = dice.choice(list(HANDSHAKES))
        self._tally.handshakes[kind] += 1
        await self._write(writer, dice.choice(HANDSHAKES[kind]))
        if dice.random() < 0.5:
            writer.write_eof()
            await self._read_status(reader)

    async def _send_handshake(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._tally.handshakes["valid"] += 1
        writer.write(HANDSHAKE)
        if not await self._read_status(reader):
            return
        if self._dice.random() < 0.03:  # it never reads, and aborts without a close frame
            await self._send_frames(writer, lambda: False)
            return
        counting = asyncio.create_task(self._count_answers(reader))
        try:
            if await self._send_frames(writer, counting.done):
                await asyncio.wait([counting], timeout=ANSWER_SECONDS)
        finally:
            counting.cancel()
            await asyncio.wait([counting])
            if not counting.cancelled() and (error := counting.exception()):
                self._tally.faults[f"the server's data cannot be read: {error!r}"] += 1

    async def _send_frames(
        self, writer: asyncio.StreamWriter, is_closed: Callable[[], bool]
    ) -> bool:
        """Send random frames. Return whether the server has a reason to close the connection."""
        dice = self._dice
        if dice.random() < 0.9:  # otherwise all frames precede hello
            hello = Hello(id=dice.getrandbits(50) + 1, token=self._token)
            writer.write(frame(BINARY, encode(hello)))
        for _ in range(dice.randint(1, LONGEST // AT_ONCE)):
            frames = [draw for _ in range(dice.randint(1, AT_ONCE)) for draw in self._draw()]
            ended = next(
                (place for place, (kind, _) in enumerate(frames) if kind in VIOLATIONS), None
            )
            frames = frames[: None if ended is None else ended + 1]
            await self._write(writer, b"".join(sent for _, sent in frames))
            self._tally.sent.update(kind for kind, _ in frames)
            if ended is not None or is_closed():
                return True
        if dice.random() < 0.3:
            return False
        writer.write(close(dice.choice((1000, 1001, 3000, 4999))))
        return True

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Write `data` at once, or in chunks that ignore the boundaries of frames."""
        dice = self._dice
        if dice.random() < 0.1:
            while len(data) > 1 and dice.random() < 0.8 and not writer.is_closing():
                chunk = dice.randrange(1, len(data))
                writer.write(data[:chunk])
                data = data[chunk:]
                await asyncio.sleep(0)
        writer.write(data)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await writer.drain()

    def _draw(self) -> Iterator[tuple[str, bytes]]:
        dice, source = self._dice, self._source
        (kind,) = dice.choices(_KINDS, _WEIGHTS)
        match kind:
            case "violations":
                kind, frames = violate(dice)
            case "control frames":
                frames = send_control(dice)
            case "text":
                frames = send_text(dice, source.draw(dice.choice(_MESSAGES)))
            case "fragments":
                frames = send_fragments(dice, source.draw(dice.choice(_MESSAGES)))
            case "requests, reordered":
                frames = [sent for _ in range(4) for sent in send_whole(dice, source.replay())]
                dice.shuffle(frames)
            case _:
                frames = send_whole(dice, source.draw(kind))
        for sent in frames:
            yield kind, sent

    async def _read_status(self, reader: asyncio.StreamReader) -> bool:
        """Return whether the server accepts the handshake."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            self._tally.closings["cut without a word"] += 1
            return False
        status = head.split(b" ", 2)[1]
        if status != b"101":
            self._tally.take_status(status.decode())
        return status == b"101"

    async def _count_answers(self, reader: asyncio.StreamReader) -> None:
        """Count the server's messages until the connection ends."""
        tally = self._tally
        try:
            while True:
                first, length = await reader.readexactly(2)
                if length > MOST_CONTROL:
                    wide = length == 127
                    size = await reader.readexactly(8 if wide else 2)
                    (length,) = struct.unpack("!Q" if wide else "!H", size)
                data = await reader.readexactly(length)
                opcode = first & 0x0F
                if opcode == CLOSE:
                    tally.take_code(struct.unpack("!H", data[:2])[0] if data else 1005)
                    return
                if opcode == BINARY and (welcome := tally.take_answer(data, self._tape)):
                    self._token = welcome.token or self._token
        except (asyncio.IncompleteReadError, ConnectionError):
            tally.closings["cut without a word"] += 1
