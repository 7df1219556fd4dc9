"""Two nodes: one of them ends a time, once, and never against a guess that came in time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing

import psycopg
import pytest

from kit.client import PATIENCE, RawClient
from kit.clock import ManualClock, near
from kit.clocked import BASE, MATCH, begin, finish_attempts, pass_time, poll, read_events, wait_for
from kit.matches import events_of
from kit.server import GameServer
from mastermind_protocol.clock import SECOND
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import AnyEvent, Finished, Guessed, Left, Resumed, RoundEnded
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import Guess
from mastermind_server.clock import Clock
from mastermind_server.matches.nodes.subscription import POLL_SECONDS
from mastermind_server.storage.statements.presence import (
    NO_PRESENCE,
    PresenceRow,
    write_presence,
)
from mastermind_server.storage.store import Store
from mastermind_server.timekeeping import flags
from mastermind_server.timekeeping.downtime import LEASE_MILLISECONDS
from mastermind_server.timekeeping.flags import NODE_RETRY_MS, RENEWAL_RETRY_MS
from mastermind_server.timekeeping.lost_time import RETURN_MS
from mastermind_server.timekeeping.statements import find_last_renewal
from server.matches.nodes.stores import Deaf

LATE = 5 * SECOND  # from the end of a lease until another node finds it


async def count(hall: GameServer, kind: type[AnyEvent]) -> int:
    return sum(isinstance(event, kind) for event in await read_events(hall))


def count_flags(hall: GameServer) -> int:
    """Return the number of times that a node has ended."""
    return hall.server.flags.delays.cumulative_buckets[-1][1]


def expire_lease(url: str, hall: GameServer) -> None:
    """Let the lease of a node have ended LATE milliseconds ago."""
    with closing(psycopg.connect(url, autocommit=True)) as driver:
        driver.execute(
            "UPDATE nodes SET until = now - %s, ahead = %s - now"
            " FROM (SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now) AS time"
            " WHERE node = %s",
            [LATE, hall.clock.unix_milliseconds(), hall.services.node],
        )


async def begin_on_two(
    start_node: Callable[..., Awaitable[GameServer]], store: type[Store] = Store
) -> tuple[GameServer, GameServer, RawClient, RawClient]:
    """Return the nodes of Ada, who has set a code, and of Bob, who has guessed once.

    Bob's node uses a `store` of this type.
    """
    here = await start_node(connection_clock=ManualClock())
    there = await start_node(connection_clock=ManualClock(), store=store)
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    await begin(here, ada, bob)
    await ada.set(MATCH, "2345")
    if store is Deaf:
        for hall in (here, there):
            hall.clock.skip(POLL_SECONDS)
    await bob.guess(MATCH, "1111")
    return here, there, ada, bob


async def test_the_time_of_the_players_of_a_lost_node_is_given_back_once_and_before_any_flag(
    start_node, postgres_url
):
    here, there, ada, bob = await begin_on_two(start_node)
    there.clock.skip(BASE + 2)
    await there.server.lease.renew()
    await pass_time(here, BASE + 2)
    await finish_attempts()
    assert not await count(here, RoundEnded)  # the other node may have a guess that came in time
    expire_lease(postgres_url, there)
    await here.server.lease.renew()
    await here.server.lease.renew()
    await pass_time(here, 2 + RETURN_MS / SECOND)  # Bob could have come to this node
    await finish_attempts()
    while not await count(here, Resumed):
        here.clock.skip(0.1)
        await finish_attempts()
    (resumed,) = await wait_for(ada, Resumed)
    assert isinstance(resumed, Resumed)
    lost = LEASE_MILLISECONDS + LATE + RETURN_MS
    assert resumed.lost == near(lost)
    assert (await count(here, RoundEnded), await count(here, Resumed)) == (0, 1)
    await pass_time(here, lost / SECOND)
    await finish_attempts()
    while not await count(here, RoundEnded):
        await pass_time(here, NODE_RETRY_MS / SECOND)
        await finish_attempts()
    assert Left(player=bob.id, absent=True) in await wait_for(ada, RoundEnded)


@pytest.mark.parametrize(("returned", "lost"), [(True, 16), (False, 30)])
async def test_no_flag_falls_before_the_outage_of_a_lost_node_is_recorded(
    start_node, postgres_url, returned, lost
):
    here, there, ada, bob = await begin_on_two(start_node, Deaf)  # a lost node answers nothing
    there.clock.skip(BASE - 5 - POLL_SECONDS)
    await there.server.lease.renew()
    here.clock.skip(BASE - 4 - POLL_SECONDS)
    if returned:  # to the node that is left, while the lease of the other still runs
        bob = await here.connect_again(bob)
        await bob.follow(MATCH)
    else:
        expire_lease(postgres_url, there)
    await pass_time(here, 7)
    there.clock.seconds = here.clock.seconds
    await ada.settle()
    assert not await count(here, RoundEnded)
    expire_lease(postgres_url, there)
    await here.server.lease.renew()
    if not returned:
        here.clock.skip(RETURN_MS / SECOND)
    before = here.clock.skipped
    async with asyncio.timeout(PATIENCE):
        while not await count(here, Resumed):
            here.clock.skip(0.01)  # until the notice of the outage has come
    waited = int(1000 * (here.clock.skipped - before))
    (resumed,) = await wait_for(ada, Resumed)
    assert isinstance(resumed, Resumed)
    # From 20 s ago until the player came 7 s ago, and from the deadline 3 s ago until now. Or until
    # the player could have come.
    assert resumed.lost == near(lost * SECOND, 1000 + waited)


async def test_a_flag_waits_only_shortly_for_a_live_node_that_the_player_has_left(start_node):
    here, there, ada, bob = await begin_on_two(start_node)
    there.clock.skip(BASE - 5)
    await there.server.lease.renew()
    here.clock.skip(BASE - 4)
    moved = await here.connect_again(bob)  # the connection to the other node is not closed
    await moved.follow(MATCH)
    arrived = here.clock.unix_milliseconds()
    there.clock.seconds = here.clock.seconds = here.clock.seconds + 4.2  # with GRACE_MS
    await pass_time(here, 0)
    retry = await here.clock.until(lambda timer: timer.seconds <= RENEWAL_RETRY_MS / SECOND)
    who = (MATCH, bob.id, here.services.node, LEASE_MILLISECONDS)
    async with asyncio.timeout(PATIENCE):
        while (await here.store.read(find_last_renewal, *who) or 0) < arrived:
            pass
    here.clock.skip(retry.seconds)
    await wait_for(ada, RoundEnded)


async def test_no_request_ends_a_time_before_the_outage_of_a_lost_node_is_recorded(
    start_node, postgres_url
):
    here, there, ada, bob = await begin_on_two(start_node)
    await wait_for(ada, Guessed)
    bob = await here.connect_again(bob)
    await bob.follow(MATCH)
    expire_lease(postgres_url, there)
    table = here.server.tables.get(MATCH)
    assert table is not None
    table.followers.set_elsewhere(NO_PRESENCE)  # the lease has ended
    here.clock.seconds += BASE + 1  # no timer runs
    await poll(here)
    answer = await bob.ask(bob.new(Guess, match=MATCH, code=(1, 1, 1, 1)))
    assert isinstance(answer, Error)
    assert answer.details == {"reason": Reason.CLOCK_ELSEWHERE.key}
    assert not await count(here, RoundEnded)
    await here.server.lease.renew()
    await pass_time(here, 0)
    await wait_for(ada, RoundEnded)


async def test_a_player_of_a_lost_node_can_follow_the_match_which_ends_no_time(
    start_node, postgres_url
):
    here, there = [await start_node(connection_clock=ManualClock()) for _ in range(2)]
    ada, bob = await there.meet("Ada"), await there.meet("Bob")
    await begin(there, ada, bob)
    await ada.set(MATCH, "2345")
    for hall in (here, there):
        hall.clock.seconds += BASE + 1  # no timer runs
    expire_lease(postgres_url, there)
    bob = await here.connect_again(bob)
    await bob.follow(MATCH)
    assert not await count(here, RoundEnded)
    await here.server.lease.renew()
    await pass_time(here, 0)
    await wait_for(bob, Resumed)


async def test_a_turn_that_began_after_the_player_came_waits_for_no_lost_node(
    start_node, postgres_url
):
    here, there, ada, bob = await begin_on_two(start_node)
    await wait_for(ada, Guessed)
    bob = await here.connect_again(bob)
    await bob.follow(MATCH)
    here.clock.skip(1)
    await bob.guess(MATCH, "1112")
    expire_lease(postgres_url, there)
    await pass_time(here, BASE)
    await wait_for(ada, RoundEnded)
    assert not await count(here, Resumed)


@pytest.mark.parametrize("known", [True, False])
async def test_a_guess_in_time_at_one_node_is_not_beaten_by_the_flag_of_another(start_node, known):
    here, there, ada, bob = await begin_on_two(start_node)
    there.clock.skip(BASE - 5)
    await wait_for(ada, Guessed)
    if not known:  # the notice that Bob has come to the other node is late
        table = here.server.tables.get(MATCH)
        assert table is not None
        table.followers.set_elsewhere(NO_PRESENCE)
    await pass_time(here, BASE + 1)
    await ada.settle()
    told = await bob.guess(MATCH, "2222")
    assert isinstance(told.events[0], Guessed)
    assert not await count(here, RoundEnded)


async def test_a_guess_in_time_at_one_node_is_not_beaten_by_a_request_at_another(start_node):
    here, there, ada, bob = await begin_on_two(start_node)
    there.clock.skip(BASE - 5)
    await wait_for(ada, Guessed)
    table = here.server.tables.get(MATCH)
    assert table is not None
    table.followers.set_elsewhere(
        NO_PRESENCE
    )  # the notice that Bob has come to the other node is late
    here.clock.seconds += BASE + 1
    answer = await ada.ask(ada.new(Guess, match=MATCH, code=(1, 1, 1, 1)))
    assert isinstance(answer, Error)
    told = await bob.guess(MATCH, "2222")
    assert isinstance(told.events[0], Guessed)


async def test_one_of_two_nodes_writes_the_flag(start_node):
    here, there, ada, bob = await begin_on_two(start_node)
    await pass_time(here, BASE + 1)
    await pass_time(there, BASE + 1)
    for wire in (ada, bob):
        await wait_for(wire, RoundEnded)
    assert await count(here, RoundEnded) == 1
    assert [count_flags(hall) for hall in (here, there)] == [0, 1]


async def test_a_slow_query_of_a_client_delays_no_flag_and_is_no_outage(start_node):
    here, there, ada, _bob = await begin_on_two(start_node)
    released = threading.Event()
    query = asyncio.create_task(there.store.read(lambda _: released.wait()))
    try:
        await pass_time(there, BASE + 1)
        await wait_for(ada, RoundEnded)
    finally:
        released.set()
    assert await query
    assert not await count(here, Resumed)


async def test_two_nodes_end_the_time_of_a_match_that_nobody_follows_once(start_node):
    here, there, ada, bob = await begin_on_two(start_node)
    await ada.close()
    await bob.close()
    for hall in (here, there):
        await hall.until_connections()
        await hall.server.lease.renew()
    for hall in (here, there):
        await pass_time(hall, BASE + 1)
    while not await count(here, Finished):  # a node may still see the other's players
        for hall in (here, there):
            await pass_time(hall, NODE_RETRY_MS / SECOND)
    assert [type(event).__name__ for event in await read_events(here)][-3:] == [
        "Left",
        "RoundEnded",
        "Finished",
    ]


async def test_a_flag_is_on_time_although_both_players_have_just_left_their_nodes(start_node):
    here, there, ada, bob = await begin_on_two(start_node)
    left = [(here, PresenceRow((ada.id,))), (there, PresenceRow((bob.id,)))]
    await ada.close()
    await bob.close()
    for hall, _ in left:
        await hall.until_connections()
        await hall.server.lease.renew()
    for hall, row in left:  # each node still sees the player of the other
        await hall.store.write_locking(write_presence, hall.services.node, {MATCH: row})
    for hall, _ in left:
        await pass_time(hall, BASE - 1)
        await hall.clock.until(lambda timer: timer.seconds == flags.POLL_SECONDS)
    for hall, _ in left:
        hall.clock.skip(1.01)
        await poll(hall)
        assert not await count(hall, RoundEnded)  # read after the presence
    for hall, _ in left:
        await hall.store.write_locking(write_presence, hall.services.node, {MATCH: NO_PRESENCE})
    for hall, _ in left:
        hall.clock.skip(0.15)
    async with asyncio.timeout(PATIENCE):
        while not await count(here, RoundEnded):
            pass


@pytest.mark.parametrize("jump", [60, -60])
async def test_a_jump_of_the_system_clock_flags_nobody(tmp_path, monkeypatch, jump):
    hall = GameServer(tmp_path, clock=Clock())
    await hall.start()
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + jump * 10**9)
    await hall.server.lease.write_alive_if_due()
    await hall.server.flags.poll()
    told = await bob.guess(MATCH, "2222")
    timer = bob.matches[MATCH].timer
    assert isinstance(told.events[0], Guessed)
    assert timer is not None
    assert timer.remaining == pytest.approx(BASE * SECOND, abs=30 * SECOND)
    assert not [event for event in events_of(await ada.follow(MATCH)) if isinstance(event, Resumed)]
    await hall.close()
