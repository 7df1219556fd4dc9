"""Hostile clients on real sockets: what they send, and what they are told, is counted."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType

from campaigns.fuzz.framing import (
    BINARY,
    CLOSE,
    HANDSHAKE,
    HANDSHAKES,
    MOST_CONTROL,
    VIOLATIONS,
    close,
    frame,
    send_control,
    send_pieces,
    send_text,
    send_whole,
    violate,
)
from campaigns.fuzz.payloads import PAYLOADS, Speech, Tape
from campaigns.fuzz.tally import Tally
from kit.matches import SeededRandom
from mastermind_protocol.codec import encode
from mastermind_protocol.requests import Hello

LONGEST = 400  # frames of one connection
AT_ONCE = 16  # frames in one write, at most
PATIENCE_SECONDS = 5.0  # for the server to read on: who does not read is not read either
ANSWER_SECONDS = 20.0  # for the server's half of a closing: it may have much to do before
SLICE = 64 * 1024  # bytes that are read at once
# How often what is sent, of a hundred frames or so.
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
    """One hostile player at one address, on one connection after the other."""

    def __init__(
        self, port: int, address: str, dice: SeededRandom, tape: Tape, tally: Tally
    ) -> None:
        self._port, self._address, self._dice, self._tally = port, address, dice, tally
        self._tape = tape
        self._speech = Speech(dice, tape)
        self._token: str | None = None

    async def attack(self, is_over: Callable[[], bool]) -> None:
        """Go on until it is over."""
        while not is_over():
            with suppress(OSError, TimeoutError):  # cut, for which there are reasons
                await self._connect()

    async def _connect(self) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(self._address, 0), limit=SLICE
        )
        try:
            if self._dice.random() < 0.2:
                await self._shake_hands_wrongly(reader, writer)
            else:
                await self._shake_hands(reader, writer)
        finally:
            writer.transport.abort()

    async def _shake_hands_wrongly(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        dice = self._dice
        kind = dice.choice(list(HANDSHAKES))
        self._tally.handshakes[kind] += 1
        await self._write(writer, dice.choice(HANDSHAKES[kind]))
        if dice.random() < 0.5:
            writer.write_eof()
            await self._read_status(reader)

    async def _shake_hands(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._tally.handshakes["right ones"] += 1
        writer.write(HANDSHAKE)
        if not await self._read_status(reader):
            return
        if self._dice.random() < 0.03:  # it never reads, and goes without a word
            await self._speak(writer, lambda: False)
            return
        listening = asyncio.create_task(self._listen(reader))
        try:
            if await self._speak(writer, listening.done):
                await asyncio.wait([listening], timeout=ANSWER_SECONDS)
        finally:
            listening.cancel()
            await asyncio.wait([listening])
            if not listening.cancelled() and (error := listening.exception()):
                self._tally.faults[f"what the server said cannot be read: {error!r}"] += 1

    async def _speak(self, writer: asyncio.StreamWriter, is_closed: Callable[[], bool]) -> bool:
        """Send frames; tell whether the server has been given a reason to close."""
        dice = self._dice
        if dice.random() < 0.9:  # or whatever comes is before hello
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
        """Write it in one go, or in pieces that have nothing to do with frames."""
        dice = self._dice
        if dice.random() < 0.1:
            while len(data) > 1 and dice.random() < 0.8 and not writer.is_closing():
                piece = dice.randrange(1, len(data))
                writer.write(data[:piece])
                data = data[piece:]
                await asyncio.sleep(0)
        writer.write(data)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await writer.drain()

    def _draw(self) -> Iterator[tuple[str, bytes]]:
        dice, speech = self._dice, self._speech
        (kind,) = dice.choices(_KINDS, _WEIGHTS)
        match kind:
            case "violations":
                kind, frames = violate(dice)
            case "control frames":
                frames = send_control(dice)
            case "text":
                frames = send_text(dice, speech.draw(dice.choice(_MESSAGES)))
            case "fragments":
                frames = send_pieces(dice, speech.draw(dice.choice(_MESSAGES)))
            case "requests, reordered":
                frames = [sent for _ in range(4) for sent in send_whole(dice, speech.replay())]
                dice.shuffle(frames)
            case _:
                frames = send_whole(dice, speech.draw(kind))
        for sent in frames:
            yield kind, sent

    async def _read_status(self, reader: asyncio.StreamReader) -> bool:
        """Tell whether a handshake is answered as it should be."""
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

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        """Count what comes until the connection ends."""
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
