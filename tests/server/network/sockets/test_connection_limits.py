"""Connections behind proxies, and half handshakes. test_limits has the limits."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import CloseCode

from kit.client import PATIENCE, RawClient
from kit.frames import HANDSHAKE
from kit.server import PROXIED, GameServer
from mastermind_server.bans import Ban
from mastermind_server.limits import Limits, Rate


@contextlib.asynccontextmanager
async def half_a_handshake(hall: GameServer) -> AsyncIterator[asyncio.StreamReader]:
    """A socket that begins a handshake."""
    reader, writer = await hall.open_socket(HANDSHAKE[:20])
    yield reader
    writer.close()


async def come(hall: GameServer, client: str) -> RawClient:
    return await hall.connect(additional_headers={"X-Forwarded-For": client})


async def is_cut(reader: asyncio.StreamReader) -> bool:
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionResetError):
            return await reader.read() == b""
        return True


@pytest.mark.promise("proxy-header")
async def test_the_header_of_an_unknown_proxy_is_ignored(idle_hall):
    await idle_hall.start(limits=Limits(connections_per_address=1))
    await (await come(idle_hall, "203.0.113.1")).hello("Ada")
    one_too_many = await come(idle_hall, "203.0.113.2")
    assert (await one_too_many.closed())[0] == CloseCode.TRY_AGAIN_LATER


async def test_a_ban_of_one_client_behind_a_proxy_spares_the_others(idle_hall):
    await idle_hall.start(access=PROXIED)
    idle_hall.services.bans.replace([Ban("203.0.113.1", None, "enough")])
    with pytest.raises((ConnectionClosed, InvalidHandshake, OSError)):
        await come(idle_hall, "203.0.113.1")
    await (await come(idle_hall, "203.0.113.2")).hello("Bob")


async def test_the_connections_of_a_proxy_itself_are_not_limited(idle_hall):
    strict = Limits(
        connections_per_address=1,
        pending_connections_per_address=1,
        sockets_of_address=Rate(burst=1, per_second=0.001),
    )
    await idle_hall.start(access=PROXIED, limits=strict)
    async with half_a_handshake(idle_hall), half_a_handshake(idle_hall):
        for _ in range(3):
            await (await idle_hall.connect()).hello("Ada")


async def test_the_oldest_half_handshake_is_evicted(hall):
    hall.limit(pending_connections=1)
    async with half_a_handshake(hall) as oldest:
        newest = await hall.connect()
        assert await is_cut(oldest)
        await newest.hello("Ada")
