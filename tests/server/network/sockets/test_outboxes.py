"""What waits to be read by all clients together: the one that is behind the longest goes."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

import pytest
from websockets.client import ClientProtocol
from websockets.frames import CloseCode, Frame
from websockets.protocol import State
from websockets.uri import parse_uri

from kit.client import PATIENCE
from mastermind_server.limits import Limits
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.tuning import BEHIND_BYTES
from server.network.sockets.test_connection import HANDSHAKE, feed

Meet = Callable[[], Awaitable[tuple[Connection, socket.socket]]]

LIMITS = Limits(unread_bytes=32 * 1024, outbox_bytes=64 * 1024, outbox_bytes_in_all=96 * 1024)
LOG = bytes(40 * 1024)


@pytest.fixture
async def meet(idle_hall):
    """Makes a connection whose client reads only what the test reads, but for little."""
    await idle_hall.start(limits=LIMITS)
    clients: list[socket.socket] = []

    async def meet():
        ours, theirs = socket.socketpair()
        clients.append(theirs)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(idle_hall.server.gateway.connect, sock=ours)
        feed(connection, HANDSHAKE)
        assert (await read(theirs, 1)).endswith(b"\r\n\r\n")
        return connection, theirs

    yield meet
    for client in clients:
        client.close()


async def read(client: socket.socket, count: int) -> bytes:
    """Let a client read so many bytes at least."""
    loop, read = asyncio.get_running_loop(), bytearray()
    async with asyncio.timeout(PATIENCE):
        while len(read) < count:
            data = await loop.sock_recv(client, 65536)
            assert data
            read += data
    return bytes(read)


async def test_who_is_behind_the_longest_is_cut_when_too_much_waits_for_all(
    idle_hall, meet, caplog
):
    caplog.set_level(logging.INFO)
    met = idle_hall.services.limiter.met
    (longest, _), (other, _), (last, _) = [await meet() for _ in range(3)]
    for connection in (longest, other):
        connection.push(LOG)
    longest.push(bytes(1024))
    await asyncio.sleep(0)
    assert longest.open
    last.push(LOG)
    await asyncio.sleep(0)
    assert [each.open for each in (longest, other, last)] == [False, True, True]
    assert (met["outbox_bytes_in_all"], met["outbox_bytes"]) == (1, 0)
    told = [record for record in caplog.records if "reads too slowly, cut off" in record.message]
    assert [record.levelname for record in told] == ["INFO"]  # what strangers can cause


async def test_who_has_read_on_or_is_gone_counts_no_more(idle_hall, meet):
    gone, its = await meet()
    gone.push(LOG)
    its.close()
    await idle_hall.server.gateway.drain(PATIENCE, asyncio.Event())
    (reader, client), (last, _) = [await meet() for _ in range(2)]
    reader.push(LOG)
    await read(client, len(LOG))
    for _ in range(2):
        for connection in (reader, last):
            connection.push(bytes(20 * 1024))
    await asyncio.sleep(0)
    assert reader.open
    assert last.open
    assert not idle_hall.services.limiter.met["outbox_bytes_in_all"]


async def test_who_keeps_up_is_not_counted(idle_hall, meet):
    idle_hall.limit(outbox_bytes_in_all=1024)
    connection, client = await meet()
    for _ in range(20):
        connection.push(bytes(BEHIND_BYTES // 2))
        await read(client, BEHIND_BYTES // 2)
    assert connection.open
    connection.push(LOG)
    await asyncio.sleep(0)
    assert not connection.open


async def test_what_was_kept_comes_in_its_order_and_the_closing_behind_it(meet):
    connection, client = await meet()
    messages = [f"{number:020}".encode() for number in range(2500)]
    for message in messages:
        connection.push(message)
    connection.end(CloseCode.GOING_AWAY, "later")
    protocol = ClientProtocol(parse_uri("ws://localhost"), state=State.OPEN)
    while protocol.close_rcvd is None:
        protocol.receive_data(await read(client, 1))
    frames = [event.data for event in protocol.events_received() if isinstance(event, Frame)]
    assert frames[:-1] == messages
    assert protocol.close_rcvd.reason == "later"
