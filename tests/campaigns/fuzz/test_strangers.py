"""Hostile clients find what a server may not say, by one that says it."""

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
    """Return a short frame of a server."""
    return bytes((0x80 | opcode, len(data))) + data


FAULTS = {
    "a handshake was answered with HTTP 500": b"HTTP/1.1 500 Internal Server Error\r\n\r\n",
    "what the server said cannot be read": UPGRADED + answer(CLOSE, b"\x03"),
    "closed with 1003": UPGRADED + answer(CLOSE, struct.pack("!H", 1003)),
    "an answer is no message": UPGRADED + answer(2, b"\xc1"),
    "answered with an internal error": UPGRADED
    + answer(2, encode(Error(code=ErrorCode.INTERNAL, message="oh"))),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_a_server_may_not_say_is_a_fault(fault):
    saying: list[asyncio.Task[None] | None] = []

    async def say(reader, writer):
        saying.append(asyncio.current_task())
        writer.write(FAULTS[fault])
        writer.write_eof()
        with suppress(ConnectionError):
            while await reader.read(2**16):
                pass
        writer.close()

    tally = Tally()
    async with asyncio.timeout(PATIENCE), await asyncio.start_server(say, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        stranger = Stranger(port, "127.1.0.1", SeededRandom(1), Tape(), tally)
        await stranger.attack(lambda: bool(tally.faults))
        await asyncio.gather(*filter(None, saying))
    assert {found.split(":")[0] for found in tally.faults} == {fault}
