"""A busy server refuses new matches and lists, and still accepts moves."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any, ClassVar

import pytest

from kit.client import PATIENCE, RawClient
from kit.clock import LateClock, ManualClock
from kit.server import PROXIED, GameServer
from kit.store import WatchedStore
from mastermind_protocol.messages import Error, Log
from mastermind_protocol.requests import (
    Archive,
    Challenge,
    Follow,
    Hello,
    Join,
    ListMatches,
    ListOwn,
    Open,
    Request,
    ShowProfile,
)
from mastermind_server.monitoring import overload
from mastermind_server.monitoring.overload import (
    LAG_INTERVAL_SECONDS,
    LAGS_KEPT,
    OVERLOADED_RETRY_SECONDS,
    Level,
    Queue,
)
from mastermind_server.storage.statements.matches import list_public, list_running


async def begin(hall: GameServer) -> tuple[RawClient, RawClient, str]:
    """Return a codemaker, a codebreaker and their match, where the secret is set."""
    ada, bob, match = await hall.begin_match()
    await ada.set(match, "1234")
    return ada, bob, match


async def refuses(wire: RawClient, request: Request) -> bool:
    """Return whether a request is refused for overload."""
    answer = await wire.ask(request)
    if not isinstance(answer, Error):
        return False
    assert answer.details is not None
    assert (answer.code, answer.details["reason"]) == ("rate_limited", "overloaded")
    assert answer.retry_after == OVERLOADED_RETRY_SECONDS
    return True


@pytest.mark.promise("overload")
async def test_a_late_event_loop_refuses_new_matches_and_serves_running_ones(idle_hall):
    lag_clock = LateClock(0.0)
    await idle_hall.start(lag_clock=lag_clock)
    (ada, bob, match), eve = await begin(idle_hall), await idle_hall.meet("Eve")
    opening = ada.new(Open, rules="classic", maker="me", breaker="open")

    lag_clock.late = 1.0
    await lag_clock.until(lag_clock.timers + LAGS_KEPT + 1)
    assert idle_hall.services.load.highest is Level.OVERLOADED
    assert await refuses(ada, opening)
    assert await refuses(bob, bob.new(ListOwn))
    newcomer = await idle_hall.connect()
    for kind, fields in ((Hello, {}), (Hello, {"name": "Eve"})):
        assert (await newcomer.refused(kind, **fields)).code == "rate_limited"
    assert (await bob.refused(Join, match=match)).code == "rate_limited"
    assert (await eve.refused(Follow, match=match, v=1)).code == "rate_limited"
    again = await idle_hall.connect_again(bob)
    assert len((await again.follow(match)).rows) == bob.versions[match]
    await bob.guess(match, "1111")

    lag_clock.late = 0.0
    await lag_clock.until(lag_clock.timers + 2)
    assert not await refuses(ada, opening)  # the same request, which was not done


async def test_a_blocked_writer_refuses_new_matches_and_completes_the_waiting_move(
    idle_hall, monkeypatch
):
    monkeypatch.setattr(overload, "BUSY_STORE_SECONDS", 0.0)  # however quick the machine is
    monkeypatch.setattr(overload, "OVERLOADED_STORE_SECONDS", 3600.0)
    lag_clock = ManualClock()
    await idle_hall.start(lag_clock=lag_clock)
    _, bob, match = await begin(idle_hall)
    eve = await idle_hall.meet("Eve")
    with closing(sqlite3.connect(idle_hall.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        move = asyncio.create_task(bob.guess(match, "1111"))
        async with asyncio.timeout(PATIENCE):
            while not idle_hall.store.measure_waits()[Queue.MOVES]:
                await eve.settle()
        lag_clock.skip(LAG_INTERVAL_SECONDS)
        assert idle_hall.services.load.highest is Level.BUSY
        opening = eve.new(Open, rules="classic", maker="me", breaker="open")
        assert await refuses(eve, opening)
        assert not await refuses(eve, eve.new(ListMatches, what="waiting"))
        await eve.follow(match)
        other.execute("COMMIT")
    await move
    async with asyncio.timeout(PATIENCE):
        while idle_hall.store.measure_waits()[Queue.MOVES]:
            await eve.settle()
    lag_clock.skip(LAG_INTERVAL_SECONDS)
    assert not await refuses(eve, opening)


class RecordingStore(WatchedStore):
    """A store that records the queries for lists in the order in which they are queued."""

    queued: ClassVar[list[Callable[..., object]]]

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if statement in (list_running, list_public):
            self.queued.append(statement)


@pytest.mark.promise("cost")
async def test_a_list_waits_for_one_query_of_each_other_address(idle_hall, monkeypatch):
    queued: list[Callable[..., object]] = []
    monkeypatch.setattr(RecordingStore, "queued", queued, raising=False)
    await idle_hall.start(access=PROXIED, store=RecordingStore)

    async def meet(address: str) -> RawClient:
        wire: RawClient = await idle_hall.connect(additional_headers={"X-Forwarded-For": address})
        await wire.hello()
        return wire

    crowd, other = [await meet("203.0.113.1") for _ in range(5)], await meet("198.51.100.1")
    may_end = threading.Event()
    blocked = asyncio.create_task(idle_hall.store.read(lambda _: may_end.wait(PATIENCE)))
    lists = [asyncio.create_task(each.list_own()) for each in crowd]
    for each in crowd:
        await each.settle()
    listing = asyncio.create_task(other.list("waiting"))
    async with asyncio.timeout(PATIENCE):
        while list_public not in queued:
            await other.settle()
    assert queued == [list_running, list_public]
    may_end.set()
    await asyncio.gather(blocked, listing, *lists)
    assert queued == [list_running, list_public, *[list_running] * 4]


async def test_slow_queries_refuse_lists_and_nothing_else(idle_hall, monkeypatch):
    monkeypatch.setattr(overload, "OVERLOADED_STORE_SECONDS", 0.0)
    lag_clock, may_end = ManualClock(), threading.Event()
    await idle_hall.start(lag_clock=lag_clock)
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    query = asyncio.create_task(idle_hall.store.read(lambda _: may_end.wait(PATIENCE)))
    async with asyncio.timeout(PATIENCE):
        while not idle_hall.store.measure_waits()[Queue.READS]:
            await ada.settle()
    lag_clock.skip(LAG_INTERVAL_SECONDS)
    assert idle_hall.services.load.highest is Level.OVERLOADED
    for request in (bob.new(ListOwn), bob.new(Archive), bob.new(ShowProfile)):
        assert await refuses(bob, request)
    opened = await ada.ask(ada.new(Challenge, player=bob.id, rules="mini"))
    assert isinstance(opened, Log)
    await bob.join(opened.match)
    await bob.say(opened.match, "Hello!")
    await (await idle_hall.meet("Eve")).follow(opened.match)
    await ada.open()
    may_end.set()
    await query
