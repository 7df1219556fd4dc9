from __future__ import annotations

import asyncio
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import pytest

from kit.client import PATIENCE
from kit.clock import ManualClock
from mastermind_server.app import listen
from mastermind_server.network.sockets.entrance import Entrance
from mastermind_server.network.sockets.turns import Turns
from mastermind_server.tuning import ACCEPT_RETRY_SECONDS, LET_IN_PER_TURN, NEWCOMERS_SECONDS


class Visitor(asyncio.Protocol):
    """What is made for a socket that is let in."""


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def listener():
    with listen("127.0.0.1", 0) as listening:
        yield listening


@asynccontextmanager
async def open_entrance(
    listener: socket.socket, admits: Callable[[str], bool], clock: ManualClock
) -> AsyncIterator[list[Visitor]]:
    """Open one, and list who has been let in."""
    visitors = list[Visitor]()

    def connect() -> Visitor:
        visitors.append(Visitor())
        return visitors[-1]

    entrance = Entrance(listener, admits, connect, Turns(clock), clock)
    try:
        yield visitors
    finally:
        await entrance.close()


@contextmanager
def come(listener: socket.socket, number: int) -> Iterator[list[socket.socket]]:
    """Let so many come at once."""
    with ExitStack() as stack:
        address = listener.getsockname()
        yield [stack.enter_context(socket.create_connection(address)) for _ in range(number)]


async def count_by_turn(visitors: list[Visitor], number: int) -> list[int]:
    """Return how many were let in in each turn of the loop, until they are so many."""
    counts = list[int]()
    async with asyncio.timeout(PATIENCE):
        while len(visitors) < number:
            before = len(visitors)
            await asyncio.sleep(0)
            counts.append(len(visitors) - before)
    return [count for count in counts if count]


async def test_of_a_crowd_a_few_are_let_in_in_a_turn(listener, clock):
    crowd = 4 * LET_IN_PER_TURN
    async with open_entrance(listener, lambda _: True, clock) as visitors:
        with come(listener, crowd):
            assert await count_by_turn(visitors, crowd) == [LET_IN_PER_TURN] * 4


async def test_one_is_let_in_in_a_turn_that_has_no_time_for_newcomers(listener, clock):
    def take_long(_):
        clock.skip(2 * NEWCOMERS_SECONDS)
        return True

    async with open_entrance(listener, take_long, clock) as visitors:
        with come(listener, 3):
            assert await count_by_turn(visitors, 3) == [1, 1, 1]


async def test_for_who_is_turned_away_nothing_is_made(listener, clock):
    peers = list[str]()

    def refuse(peer):
        peers.append(peer)
        return False

    async with open_entrance(listener, refuse, clock) as visitors:
        with come(listener, 2 * LET_IN_PER_TURN) as crowd:
            for one in crowd:
                one.settimeout(PATIENCE)
                assert await asyncio.to_thread(one.recv, 1) == b""
        assert peers == ["127.0.0.1"] * 2 * LET_IN_PER_TURN
        assert visitors == []


async def test_who_was_let_in_is_connected_when_it_is_closed_and_nobody_comes_after(
    listener, clock
):
    address, admitted = listener.getsockname(), asyncio.Event()

    def admit(_):
        admitted.set()
        return True

    async with open_entrance(listener, admit, clock) as visitors:
        with come(listener, 1):
            await admitted.wait()
    assert len(visitors) == 1
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


@contextmanager
def without_descriptors() -> Iterator[None]:
    """Let the process open nothing further."""
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(next_one := os.open(os.devnull, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_one, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (usual, most))


async def test_who_comes_when_no_socket_can_be_opened_is_let_in_later(listener, clock, caplog):
    async with open_entrance(listener, lambda _: True, clock) as visitors:
        with come(listener, 1):
            with without_descriptors():
                pause = await clock.until(lambda timer: timer.seconds == ACCEPT_RETRY_SECONDS)
                await asyncio.sleep(0)  # it is not tried again meanwhile
            assert caplog.messages == ["no socket can be accepted: Too many open files"]
            clock.skip(pause.seconds)
            assert await count_by_turn(visitors, 1) == [1]
