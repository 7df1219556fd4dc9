"""Who is let in: by its own address, also behind proxies, and not for long without a word."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.frames import CloseCode
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from kit.client import PATIENCE, Wire
from kit.clock import ManualClock
from kit.server import Hall
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import SUBPROTOCOL, Error
from mastermind_server.bans import Ban, Bans
from mastermind_server.health.readiness import Readiness
from mastermind_server.limits import USUAL, Limiter, Limits, Rate
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.sockets.address import read_networks
from mastermind_server.network.sockets.admission import Admission
from mastermind_server.tuning import REFUSED_SECONDS

PROXIES = Access(proxies=read_networks("127.0.0.0/8"))
_CLIENT = ClientProtocol(parse_uri("ws://localhost"), subprotocols=[Subprotocol(SUBPROTOCOL)])
HANDSHAKE = _CLIENT.connect().serialize()


@contextlib.asynccontextmanager
async def half_a_handshake(hall: Hall) -> AsyncIterator[asyncio.StreamReader]:
    """A socket that begins a handshake."""
    host, _, port = hall.address.removeprefix("ws://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(HANDSHAKE[:20])
    yield reader
    writer.close()


async def come(hall: Hall, client: str) -> Wire:
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


async def test_who_is_no_proxy_of_ours_is_not_believed(idle_hall):
    await idle_hall.start(limits=Limits(connections_per_address=1))
    await (await come(idle_hall, "203.0.113.1")).hello("Ada")
    one_too_many = await come(idle_hall, "203.0.113.2")
    assert (await one_too_many.closed())[0] == CloseCode.TRY_AGAIN_LATER


async def test_clients_behind_a_proxy_have_rates_of_their_own(idle_hall):
    slow = Limits(arrivals=Rate(burst=1, per_second=0.001))
    await idle_hall.start(access=PROXIES, limits=slow)
    await (await come(idle_hall, "203.0.113.1")).hello("Ada")
    with pytest.raises((ConnectionClosed, InvalidHandshake, OSError)):
        await come(idle_hall, "203.0.113.1")
    await (await come(idle_hall, "203.0.113.2")).hello("Bob")


async def test_who_is_banned_is_so_behind_a_proxy_and_others_are_not(idle_hall):
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


async def test_what_a_client_has_left_behind_a_proxy_counts_no_more(idle_hall):
    await idle_hall.start(access=PROXIES, limits=Limits(connections_per_address=1))
    gateway = idle_hall.server.gateway
    for _ in range(3):
        ada = await come(idle_hall, "203.0.113.1")
        await ada.hello("Ada")
        await ada.close()
        await gateway.drain(PATIENCE, asyncio.Event())


@pytest.mark.parametrize("limit", ["newcomers", "newcomers_per_address"])
async def test_of_those_that_have_not_said_hello_the_oldest_is_told_to_go(hall, limit):
    hall.limit(**{limit: 2})
    ada = await hall.meet("Ada")  # who is none of them any more
    silent = [await hall.connect() for _ in range(3)]
    told = await silent[0].next()
    assert isinstance(told, Error)
    assert told.code == ErrorCode.TOO_MANY
    assert (told.limit, told.retry_after) == (2, REFUSED_SECONDS)
    reason = f"no hello in time; retry_after={REFUSED_SECONDS:.3f}"
    assert await silent[0].closed() == (CloseCode.TRY_AGAIN_LATER, reason)
    for newer in silent[1:]:
        await newer.hello("Bob")
    assert (await ada.list("waiting")).matches == ()
    assert hall.services.limiter.met[limit] == 1


async def test_of_half_handshakes_the_oldest_is_cut(hall):
    hall.limit(newcomers=1)
    async with half_a_handshake(hall) as oldest:
        newest = await hall.connect()
        assert await is_cut(oldest)
        await newest.hello("Ada")


async def test_sockets_come_in_all_no_faster_than_a_crowd_that_comes_back(idle_hall):
    clock = ManualClock()
    slow = Limits(handshakes=Rate(burst=2, per_second=1))
    await idle_hall.start(line_clock=clock, limits=slow)
    await idle_hall.meet("Ada")
    await idle_hall.meet("Bob")
    async with half_a_handshake(idle_hall) as one_too_many:
        assert await is_cut(one_too_many)
    clock.skip(1)
    await idle_hall.meet("Eve")
    clock.let_go()


def test_whoever_has_many_networks_of_ipv6_leaves_room_for_others():
    clock, limiter = ManualClock(), Limiter()
    admission = Admission(limiter, clock, Readiness(), Bans())
    mine = [f"2001:db8:1:{number:x}::/64" for number in range(256)]

    def come(address):
        if not admission.admits(address):
            return False
        admission.enter(address)
        if admission.refuse(address) is None:
            return True
        admission.forget(address)
        return False

    assert sum(come(address) for address in mine * 4) == USUAL.arrivals_of_site.burst
    assert come("203.0.113.1")
    came = 0
    for _ in range(2):
        clock.skip(10)
        came += sum(come(address) for address in mine * 4)
    assert came == USUAL.connections_per_site - USUAL.arrivals_of_site.burst
    assert come("203.0.113.1")
    assert come("2001:db8:2::/64")
    assert limiter.met["arrivals_of_site"]
    assert limiter.met["connections_per_site"]
    for address in mine:
        admission.forget(address)
    clock.skip(10)
    assert sum(come(address) for address in mine * 2) == len(mine)


async def test_long_frames_are_read_more_slowly_and_nothing_is_lost(idle_hall):
    clock = ManualClock()
    slow = Limits(bytes=Rate(burst=4096, per_second=1000))
    await idle_hall.start(line_clock=clock, limits=slow)
    ada = await idle_hall.meet("Ada")
    for _ in range(6):
        await ada.send(b"\xc4\xff" + bytes(255) * 3)
    debt = await clock.until(lambda timer: timer.seconds < 1)
    clock.skip(debt.seconds)
    clock.let_go()
    for _ in range(6):
        assert isinstance(await ada.next(), Error)
    met = idle_hall.services.limiter.met
    assert met["bytes"]
    assert not met["frames"]
