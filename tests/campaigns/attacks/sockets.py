"""Attacks by sockets and frames."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from typing import TYPE_CHECKING

from websockets.frames import Opcode

from campaigns.attacks.attackers import CONNECTING, DONE, act, find_source
from kit.frames import HANDSHAKE, PING, frame
from mastermind_protocol import requests
from mastermind_protocol.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAGMENT = b"\x00\x80\0\0\0\0"
FIRST_FRAGMENT = b"\x02\x80\0\0\0\0"
HELLO = frame(Opcode.BINARY, encode(requests.Hello(id=1)))
BOMB = b"\xdc\x3a\x00" * 5000  # nested arrays with a length of 14,848 each
HALF_FRAME = frame(Opcode.BINARY, bytes(16_000))[:-10]  # near the limit on a frame


async def open_socket(
    address: str, source: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the server's port from a loopback address."""
    host, _, port = address.removeprefix("ws://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
    DONE["sockets"] += 1
    return reader, writer


async def hold(address: str, first: bytes, sockets: int) -> None:
    """Keep `sockets` sockets open, each after sending `first`; reopen closed sockets."""
    room = asyncio.Semaphore(CONNECTING)

    async def keep(number: int) -> None:
        async with room:
            reader, writer = await open_socket(address, find_source(number))
        with closing(writer):
            writer.write(first)
            await read_all(reader)

    await act(sockets, keep)


async def read_all(reader: asyncio.StreamReader) -> None:
    """Read until the connection ends."""
    with contextlib.suppress(OSError):
        while await reader.read(1 << 16):
            pass


async def write_forever(
    address: str, first: bytes, data: bytes, connections: int, *, greet: bool = True
) -> None:
    """Write frames as fast as the sockets accept them."""

    async def write(number: int) -> None:
        reader, writer = await open_socket(address, find_source(number))
        with closing(writer):
            writer.write(HANDSHAKE)
            await reader.readuntil(b"\r\n\r\n")
            reading = asyncio.create_task(read_all(reader))
            writer.write((HELLO if greet else b"") + first)
            try:
                while not reading.done():
                    writer.write(data)
                    await writer.drain()
                    DONE["sent"] += 1
            finally:
                reading.cancel()

    await act(connections, write)


async def send_headers(address: str) -> None:
    """Send a megabyte of headers on each of 500 sockets."""

    async def send(number: int) -> None:
        _, writer = await open_socket(address, find_source(number))
        with closing(writer):
            writer.write(b"GET / HTTP/1.1\r\n")
            for line in range(127):
                writer.write(b"X-%d: " % line + b"x" * 8000 + b"\r\n")
                await writer.drain()
                DONE["sent"] += 1

    await act(500, send)


async def handshake_half(address: str) -> None:
    """Send half a handshake on each of 6,000 sockets."""
    await hold(address, HANDSHAKE[: len(HANDSHAKE) // 2], 6000)


async def idle(address: str) -> None:
    """Complete a handshake on each of 2,000 sockets, and send nothing."""
    await hold(address, HANDSHAKE, 2000)


async def ping(address: str) -> None:
    """Ping without a pause on one connection."""
    await write_forever(address, b"", PING * 1000, 1)


async def ping_on_twenty(address: str) -> None:
    """Ping without a pause on twenty connections."""
    await write_forever(address, b"", PING * 1000, 20)


async def fragment(address: str) -> None:
    """Send an endless message of empty fragments, on five connections."""
    await write_forever(address, FIRST_FRAGMENT, FRAGMENT * 1000, 5)


async def bomb(address: str) -> None:
    """Send msgpack with false array lengths, on five connections before hello."""
    await write_forever(address, b"", frame(Opcode.BINARY, BOMB), 5, greet=False)


async def connect_close(address: str) -> None:
    """Connect, complete the handshake and close, fifty at a time from new addresses."""
    sources = list_sources()

    async def connect(_: int) -> None:
        while True:
            reader, writer = await open_socket(address, next(sources))
            with closing(writer):
                writer.write(HANDSHAKE)
                await reader.readuntil(b"\r\n\r\n")

    await act(50, connect)


async def break_frames(address: str) -> None:
    """Connect, send most of a frame and abort, fifty at a time from new addresses."""
    sources = list_sources()

    async def connect(_: int) -> None:
        while True:
            reader, writer = await open_socket(address, next(sources))
            writer.write(HANDSHAKE)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(HALF_FRAME)
            await writer.drain()
            writer.transport.abort()

    await act(50, connect)


def list_sources() -> Iterator[str]:
    """Yield loopback addresses without repetition within a hundred."""
    for number in itertools.count():
        yield f"127.{2 + number // 62500 % 200}.{number // 250 % 250}.{1 + number % 250}"


@contextlib.contextmanager
def closing(writer: asyncio.StreamWriter) -> Iterator[None]:
    """Close a connection at the end of the block."""
    try:
        yield
    finally:
        writer.close()
