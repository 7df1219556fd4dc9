"""Unread bytes of all clients together; tests/server/test_limits.py has the limits."""

import asyncio

import pytest
from websockets.frames import CloseCode, Frame

from kit.client import PATIENCE
from kit.frames import SlowReader, open_client
from mastermind_server.limits import Limits
from mastermind_server.network.sockets.send_buffers import TRANSPORT_BUFFER_BYTES

LIMITS = Limits(
    unread_bytes=32 * 1024, send_buffer_bytes=64 * 1024, send_buffer_bytes_in_all=96 * 1024
)
LOG = bytes(42 * 1024)  # those of three clients are more than the limit for all


@pytest.fixture
async def meet(idle_hall):
    """Return a function that connects a client which reads when the test does."""
    await idle_hall.start(limits=LIMITS)
    clients: list[SlowReader] = []

    async def meet():
        clients.append(await SlowReader().connect(idle_hall))
        return clients[-1]

    yield meet
    for client in clients:
        client.close()


async def test_bytes_that_a_client_has_read_or_abandoned_are_not_counted(idle_hall, meet):
    closed = await meet()
    closed.connection.push(LOG)
    closed.close()
    await idle_hall.server.gateway.drain(PATIENCE, asyncio.Event())
    reader, *others = [await meet() for _ in range(3)]
    reader.connection.push(LOG)
    await reader.read(len(LOG))
    for client in others:
        client.connection.push(LOG)
    await asyncio.sleep(0)
    assert all(client.connection.open for client in (reader, *others))
    assert not idle_hall.services.limiter.exceeded["send_buffer_bytes_in_all"]


async def test_a_client_that_reads_promptly_is_not_counted(idle_hall, meet):
    idle_hall.limit(send_buffer_bytes_in_all=1024)
    client = await meet()
    for _ in range(20):
        client.connection.push(bytes(TRANSPORT_BUFFER_BYTES // 2))
        await client.read(TRANSPORT_BUFFER_BYTES // 2)
    assert client.connection.open
    client.connection.push(LOG)
    await asyncio.sleep(0)
    assert not client.connection.open


async def test_messages_arrive_in_order_before_the_close_frame(meet):
    client = await meet()
    messages = [f"{number:020}".encode() for number in range(2500)]
    for message in messages:
        client.connection.push(message)
    client.connection.end(CloseCode.GOING_AWAY, "later")
    protocol = open_client()
    while protocol.close_rcvd is None:
        protocol.receive_data(await client.read(1))
    frames = [event.data for event in protocol.events_received() if isinstance(event, Frame)]
    assert frames[:-1] == messages
    assert protocol.close_rcvd.reason == "later"
