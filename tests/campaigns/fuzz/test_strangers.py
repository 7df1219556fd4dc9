"""Hostile clients report every forbidden answer of a server."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress

import pytest

from campaigns.fuzz.framing import CLOSE
from campaigns.fuzz.payloads import Tape
from campaigns.fuzz.strangers import Stranger
from campaigns.fuzz.tally import Tally
from kit.client import PATIENCE
from kit.matches import SeededRandom
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error

UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"


def answer(opcode: int, data: bytes) -> bytes:
    """Return a short server frame."""
    return bytes((0x80 | opcode, len(data))) + data


FAULTS = {
    "a handshake was answered with HTTP 500": b"HTTP/1.1 500 Internal Server Error\r\n\r\n",
    "the server's data cannot be read": UPGRADED + answer(CLOSE, b"\x03"),
    "closed with 1003": UPGRADED + answer(CLOSE, struct.pack("!H", 1003)),
    "an answer is not a message": UPGRADED + answer(2, b"\xc1"),
    "answered with an internal error": UPGRADED
    + answer(2, encode(Error(code=ErrorCode.INTERNAL, message="oh"))),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_forbidden_answer_is_a_fault(fault):
    answering: list[asyncio.Task[None] | None] = []

    async def respond(reader, writer):
        answering.append(asyncio.current_task())
        writer.write(FAULTS[fault])
        writer.write_eof()
        with suppress(ConnectionError):
            while await reader.read(2**16):
                pass
        writer.close()

    tally = Tally()
    async with (
        asyncio.timeout(PATIENCE),
        await asyncio.start_server(respond, "127.0.0.1") as server,
    ):
        port = server.sockets[0].getsockname()[1]
        stranger = Stranger(port, "127.1.0.1", SeededRandom(1), Tape(), tally)
        await stranger.attack(lambda: bool(tally.faults))
        await asyncio.gather(*filter(None, answering))
    assert {found.split(":")[0] for found in tally.faults} == {fault}
