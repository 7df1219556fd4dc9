"""Every frame and handshake that breaks the rules does end its connection, in the stated way."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress

import pytest

from campaigns.fuzz.framing import CLOSE, HANDSHAKE, HANDSHAKES, VIOLATIONS
from kit.client import PATIENCE
from kit.server import GameServer
from mastermind_server.limits import USUAL, Limits

ANSWERS = (b"400", b"405", b"426", b"431", b"505", b"200", b"101")
BROKEN, TOO_BIG, NO_TEXT = 1002, 1009, 1007
SHAKES = [shake for kind in ("wrong upgrades", "no handshakes") for shake in HANDSHAKES[kind]]


@pytest.fixture
async def hall(tmp_path):
    hall = GameServer(tmp_path)
    await hall.start(limits=Limits(handshake_seconds=0.2))  # some of these are only half of one
    yield hall
    await hall.close()


async def talk(hall: GameServer, *parts: bytes) -> bytes:
    """Return all that is answered until the server closes, each part sent behind some answer."""
    _, _, port = hall.address.rpartition(":")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    said = b""
    with suppress(ConnectionResetError):  # it is not read to its end
        async with asyncio.timeout(PATIENCE):
            for part in parts:
                writer.write(part)
                said = await reader.read(2**16)
            if not said.startswith(b"HTTP/1.1 101"):
                said += await reader.read()
    writer.close()
    return said


@pytest.mark.parametrize("kind", VIOLATIONS)
async def test_frames_against_the_rules_end_their_connection(hall, kind):
    for frames in VIOLATIONS[kind]:
        said = await talk(hall, HANDSHAKE, frames)
        assert said[0] == 0x80 | CLOSE, frames
        assert struct.unpack("!H", said[2:4])[0] in {BROKEN, TOO_BIG, NO_TEXT}


async def test_what_is_no_handshake_is_refused_or_cut(hall):
    for shake in SHAKES:
        said = await talk(hall, shake)
        assert not said or said[:12].removeprefix(b"HTTP/1.1 ") in ANSWERS, shake
    assert len(max(SHAKES, key=len)) > USUAL.handshake_bytes
