"""Connections are counted by the addresses of clients, also behind proxies."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import CloseCode

from kit.client import PATIENCE, RawClient
from kit.frames import HANDSHAKE
from kit.server import GameServer
from mastermind_server.bans import Ban
from mastermind_server.limits import Limits, Rate
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.sockets.address import read_networks

PROXIES = Access(proxies=read_networks("127.0.0.0/8"))


@contextlib.asynccontextmanager
async def half_a_handshake(hall: GameServer) -> AsyncIterator[asyncio.StreamReader]:
    """A socket that begins a handshake."""
    host, _, port = hall.address.removeprefix("ws://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(HANDSHAKE[:20])
    yield reader
    writer.close()


async def come(hall: GameServer, client: str) -> RawClient:
    return await hall.connect(additional_headers={"X-Forwarded-For": client})


async def is_cut(reader: asyncio.StreamReader) -> bool:
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionResetError):
            return await reader.read() == b""
        return True


async def test_behind_a_proxy_clients_count_by_their_own_addresses(idle_hall):
    await idle_hall.start(access=PROXIES, limits=Limits(connections_per_address=1))
    for client in ("203.0.113.1", "203.0.113.2", "2001:db8::1"):
        await (await come(idle_hall, client)).hello("Ada")
    for client in ("203.0.113.1", "198.51.100.1, 203.0.113.2", "2001:db8::ffff:1"):
        one_too_many = await come(idle_hall, client)
        assert (await one_too_many.closed())[0] == CloseCode.TRY_AGAIN_LATER


async def test_an_unknown_proxy_is_not_believed(idle_hall):
    await idle_hall.start(limits=Limits(connections_per_address=1))
    await (await come(idle_hall, "203.0.113.1")).hello("Ada")
    one_too_many = await come(idle_hall, "203.0.113.2")
    assert (await one_too_many.closed())[0] == CloseCode.TRY_AGAIN_LATER


async def test_one_client_behind_a_proxy_is_banned_and_not_the_others(idle_hall):
    await idle_hall.start(access=PROXIES)
    idle_hall.services.bans.replace([Ban("203.0.113.1", None, "enough")])
    with pytest.raises((ConnectionClosed, InvalidHandshake, OSError)):
        await come(idle_hall, "203.0.113.1")
    await (await come(idle_hall, "203.0.113.2")).hello("Bob")


async def test_the_sockets_of_a_proxy_itself_are_those_of_no_address(idle_hall):
    strict = Limits(
        connections_per_address=1,
        newcomers_per_address=1,
        arrivals=Rate(burst=1, per_second=0.001),
    )
    await idle_hall.start(access=PROXIES, limits=strict)
    async with half_a_handshake(idle_hall), half_a_handshake(idle_hall):
        for _ in range(3):
            await (await idle_hall.connect()).hello("Ada")


async def test_a_closed_connection_behind_a_proxy_is_not_counted(idle_hall):
    await idle_hall.start(access=PROXIES, limits=Limits(connections_per_address=1))
    gateway = idle_hall.server.gateway
    for _ in range(3):
        ada = await come(idle_hall, "203.0.113.1")
        await ada.hello("Ada")
        await ada.close()
        await gateway.drain(PATIENCE, asyncio.Event())


async def test_the_oldest_half_handshake_is_cut(hall):
    hall.limit(newcomers=1)
    async with half_a_handshake(hall) as oldest:
        newest = await hall.connect()
        assert await is_cut(oldest)
        await newest.hello("Ada")
