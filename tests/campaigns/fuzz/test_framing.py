"""The server closes a connection on every invalid frame and handshake, with a defined code."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress

import pytest

from campaigns.fuzz.framing import CLOSE, HANDSHAKES, VIOLATIONS
from kit.client import PATIENCE
from kit.frames import HANDSHAKE
from kit.server import GameServer
from mastermind_server.limits import DEFAULT_LIMITS, Limits

ANSWERS = (b"400", b"404", b"405", b"426", b"431", b"505", b"200", b"101")
BROKEN, TOO_BIG, INVALID_TEXT = 1002, 1009, 1007
SHAKES = [shake for kind in ("wrong upgrades", "not a handshake") for shake in HANDSHAKES[kind]]


@pytest.fixture
async def server(tmp_path):
    server = GameServer(tmp_path)
    await server.start()
    yield server
    await server.close()


async def talk(server: GameServer, *parts: bytes) -> bytes:
    """Send each part after an answer to the previous one, and return the rest until the end."""
    _, _, port = server.address.rpartition(":")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    received = b""
    with suppress(ConnectionResetError):  # the server closes without reading all
        async with asyncio.timeout(PATIENCE):
            for part in parts:
                writer.write(part)
                received = await reader.read(2**16)
            if not received.startswith(b"HTTP/1.1 101"):
                received += await reader.read()
    writer.close()
    return received


@pytest.mark.parametrize("kind", VIOLATIONS)
async def test_invalid_frames_close_the_connection(server, kind):
    for frames in VIOLATIONS[kind]:
        received = await talk(server, HANDSHAKE, frames)
        assert received[0] == 0x80 | CLOSE, frames
        assert struct.unpack("!H", received[2:4])[0] in {BROKEN, TOO_BIG, INVALID_TEXT}


async def test_invalid_handshakes_are_rejected_or_cut(server):
    await server.stop()
    await server.start(limits=Limits(handshake_seconds=0.2))  # some are incomplete
    for shake in SHAKES:
        received = await talk(server, shake)
        assert not received or received[:12].removeprefix(b"HTTP/1.1 ") in ANSWERS, shake
    assert len(max(SHAKES, key=len)) > DEFAULT_LIMITS.handshake_bytes
