import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import pytest

from kit.client import PATIENCE
from kit.clock import ManualClock
from kit.faults import no_descriptors_left
from mastermind_server.app import listen
from mastermind_server.network.sockets.acceptor import (
    ACCEPT_RETRY_SECONDS,
    ACCEPTS_PER_ITERATION,
    Acceptor,
)
from mastermind_server.network.sockets.scheduler import PENDING_BUDGET_SECONDS, LoopScheduler


class Visitor(asyncio.Protocol):
    """The protocol of an accepted socket."""


@pytest.fixture
def listener():
    with listen("127.0.0.1", 0) as listening:
        yield listening


@asynccontextmanager
async def open_acceptor(
    listener: socket.socket, admits: Callable[[str], bool], clock: ManualClock
) -> AsyncIterator[list[Visitor]]:
    """Open an acceptor; yield the list of accepted visitors."""
    visitors = list[Visitor]()

    def connect() -> Visitor:
        visitors.append(Visitor())
        return visitors[-1]

    acceptor = Acceptor(listener, admits, connect, LoopScheduler(clock), clock)
    try:
        yield visitors
    finally:
        await acceptor.close()


@contextmanager
def come(listener: socket.socket, number: int) -> Iterator[list[socket.socket]]:
    """Connect `number` sockets at once."""
    with ExitStack() as stack:
        address = listener.getsockname()
        yield [stack.enter_context(socket.create_connection(address)) for _ in range(number)]


async def count_by_turn(visitors: list[Visitor], number: int) -> list[int]:
    """Return the number of sockets accepted in each iteration of the loop, up to `number`."""
    counts = list[int]()
    async with asyncio.timeout(PATIENCE):
        while len(visitors) < number:
            before = len(visitors)
            await asyncio.sleep(0)
            counts.append(len(visitors) - before)
    return [count for count in counts if count]


async def test_a_few_sockets_are_accepted_in_each_iteration(listener, clock):
    crowd = 4 * ACCEPTS_PER_ITERATION
    async with open_acceptor(listener, lambda _: True, clock) as visitors:
        with come(listener, crowd):
            assert await count_by_turn(visitors, crowd) == [ACCEPTS_PER_ITERATION] * 4


async def test_one_socket_is_accepted_in_an_iteration_without_time_left(listener, clock):
    def take_long(_):
        clock.skip(2 * PENDING_BUDGET_SECONDS)
        return True

    async with open_acceptor(listener, take_long, clock) as visitors:
        with come(listener, 3):
            assert await count_by_turn(visitors, 3) == [1, 1, 1]


@pytest.mark.promise("socket-rate")
async def test_a_refused_socket_gets_no_connection(listener, clock):
    peers = list[str]()

    def refuse(peer):
        peers.append(peer)
        return False

    async with open_acceptor(listener, refuse, clock) as visitors:
        with come(listener, 2 * ACCEPTS_PER_ITERATION) as crowd:
            for one in crowd:
                one.settimeout(PATIENCE)
                assert await asyncio.to_thread(one.recv, 1) == b""
        assert peers == ["127.0.0.1"] * 2 * ACCEPTS_PER_ITERATION
        assert visitors == []


async def test_an_accepted_socket_is_connected_when_the_acceptor_closes(listener, clock):
    address, admitted = listener.getsockname(), asyncio.Event()

    def admit(_):
        admitted.set()
        return True

    async with open_acceptor(listener, admit, clock) as visitors:
        with come(listener, 1):
            await admitted.wait()
    assert len(visitors) == 1
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


async def test_a_socket_is_accepted_later_when_no_descriptor_is_free(listener, clock, caplog):
    async with open_acceptor(listener, lambda _: True, clock) as visitors:
        with come(listener, 1):
            with no_descriptors_left():
                pause = await clock.until(lambda timer: timer.seconds == ACCEPT_RETRY_SECONDS)
                await asyncio.sleep(0)  # without another attempt
            assert caplog.messages == ["cannot accept a socket: Too many open files"]
            clock.skip(pause.seconds)
            assert await count_by_turn(visitors, 1) == [1]
