"""Nodes that stop, drain or fail together: no player loses time by them, and none gains any."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing

import psycopg
import pytest

from kit.client import PATIENCE
from kit.clock import ManualClock, near
from kit.clocked import BASE, MATCH, begin, finish_attempts, pass_time, wait_for
from kit.frames import HANDSHAKE
from kit.server import GameServer
from kit.store import WatchedStore
from mastermind_protocol.clock import SECOND
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Guessed, Resumed, RoundEnded
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.flags import NODE_RETRY_MS
from mastermind_server.timekeeping.lost_time import RETURN_MS
from mastermind_server.timekeeping.outages import NEVER
from mastermind_server.timekeeping.statements import (
    delete_old_outages,
    list_outages,
    record_failed_nodes,
)
from server.timekeeping.test_downtime import play, read_given_back, wait_for_given_back
from server.timekeeping.test_flags_on_nodes import begin_on_two, count, expire_lease


async def wait_for_outage(hall: GameServer) -> None:
    """Wait until the table of the match has read an outage."""
    async with asyncio.timeout(PATIENCE):
        while (table := hall.server.tables.get(MATCH)) is None or not table.time.lost.outages:
            await hall.store.look_up(list_outages, MATCH, 0)


async def has_open_outage(hall: GameServer) -> bool:
    found = await hall.store.look_up(list_outages, MATCH, 0)
    return any(outage.ended == NEVER for outage in found)


@pytest.mark.parametrize("returns", [False, True])
async def test_no_other_node_flags_the_player_of_a_node_that_is_stopping(start_node, returns):
    here, there, _, bob = await begin_on_two(start_node)
    reader, writer = await there.open_socket(HANDSHAKE)  # answers no close frame
    await reader.readuntil(b"\r\n\r\n")
    for hall in (here, there):
        hall.clock.skip(BASE - 10)
        await hall.server.lease.renew()
    stopping = asyncio.create_task(there.stop())
    await bob.closed()
    await there.until_connections(1)
    there.clock.seconds += 23
    for passed in range(5):
        await pass_time(here, 4.5)
        await finish_attempts()
        if returns and passed == 2:
            bob = await here.connect_again(bob)
            await bob.follow(MATCH)
    assert not await count(here, RoundEnded)
    assert not stopping.done()
    writer.close()
    await stopping
    if not returns:
        bob = await here.connect_again(bob)
        await bob.follow(MATCH)
    await wait_for_outage(here)
    async with asyncio.timeout(PATIENCE):
        while not await count(here, Resumed):
            here.clock.skip(0.02)
            await finish_attempts()
    assert isinstance((await bob.guess(MATCH, "2222")).events[0], Guessed)


async def test_after_the_stop_of_a_node_a_player_has_time_to_come_to_another_one(start_node):
    here, there, ada, bob = await begin_on_two(start_node)
    for hall in (here, there):
        hall.clock.skip(BASE - 1.5)
    await there.stop()
    await wait_for_outage(here)
    await pass_time(here, RETURN_MS / SECOND - 2)
    await finish_attempts()
    assert not await count(here, RoundEnded)
    bob = await here.connect_again(bob)
    await bob.follow(MATCH)
    await pass_time(here, 0)
    await wait_for(bob, Resumed)
    assert isinstance((await bob.guess(MATCH, "2222")).events[0], Guessed)
    # Bob has returned, so he has no such time when he leaves again.
    until = here.clock.seconds + BASE + RETURN_MS / SECOND
    await bob.close()
    await here.until_connections(1)
    await pass_time(here, BASE)
    await finish_attempts()
    while not await count(here, RoundEnded):
        await pass_time(here, NODE_RETRY_MS / SECOND)
        await finish_attempts()
        assert here.clock.seconds < until
    await wait_for(ada, RoundEnded)


async def test_an_outage_of_all_matches_ends_although_a_node_was_live(start_node, postgres_url):
    here, there = [await start_node(connection_clock=ManualClock()) for _ in range(2)]
    expire_lease(postgres_url, here)  # such as after 15 s without PostgreSQL
    await there.stop()
    assert await has_open_outage(here)
    await here.server.lease.renew()
    assert not await has_open_outage(here)


async def test_an_outage_of_all_matches_that_begins_as_a_node_starts_ends(start_node):
    there = await start_node(connection_clock=ManualClock())

    class Late(WatchedStore):
        async def after(self, statement, _):
            if statement is delete_old_outages:
                await there.stop()

    here = await start_node(connection_clock=ManualClock(), store=Late)
    assert not await has_open_outage(here)


async def test_nodes_that_drain_know_whether_players_can_come_in_at_another_one(start_node):
    here, there = [await start_node(connection_clock=ManualClock()) for _ in range(2)]

    async def drain(hall: GameServer) -> int | None:
        hall.services.readiness.draining = True
        hall.server.downtime.begin_drain()
        assert hall.services.pauses.closed_at is not None
        await hall.server.lease.renew()
        await hall.server.downtime.check_other_nodes()
        return hall.services.pauses.closed_at

    assert await drain(here) is None
    assert await drain(there) is not None
    await here.server.downtime.check_other_nodes()
    assert here.services.pauses.closed_at is not None


async def test_a_player_gains_no_outage_of_a_node_where_it_was_not(start_node, postgres_url):
    here, there, ada, bob = await begin_on_two(start_node)
    for hall in (here, there):
        hall.clock.skip(30)
    expire_lease(postgres_url, here)  # the node of Ada
    await there.server.lease.renew()
    await wait_for_outage(there)
    there.clock.skip(12)
    await bob.close()
    await there.until_connections()
    bob = await there.connect_again(bob)
    await bob.follow(MATCH)
    assert await read_given_back(there) == []
    del ada


async def test_the_only_node_of_a_database_takes_no_time_of_days_while_it_is_stopped(start_node):
    loop_clock = ManualClock()
    hall = await start_node(connection_clock=ManualClock(), lag_clock=loop_clock)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, "1d/move")
    await ada.set(MATCH, "2345")
    hall.clock.skip(60)
    for clock in (loop_clock, hall.clock):
        clock.seconds += 30 * 3600
    for _ in range(2):
        await hall.server.downtime.check_suspension()
    assert len(await hall.store.look_up(list_outages, MATCH, 0)) == 1
    await pass_time(hall, 0)
    assert await wait_for_given_back(hall) == [near(30 * 3600 * SECOND, 15 * SECOND)]


@pytest.mark.parametrize(("shared", "seconds"), [(False, 3605), (True, 16)])
async def test_a_start_that_fails_loses_no_outage(tmp_path, postgres_url, shared, seconds):
    hall = GameServer(tmp_path, postgres_url if shared else None)
    await play(hall)
    await hall.kill()
    began = time.monotonic()
    if shared:
        with closing(psycopg.connect(postgres_url, autocommit=True)) as driver:
            driver.execute(
                "UPDATE nodes SET until = extract(epoch FROM clock_timestamp()) * 1000 - 1000"
            )

    class Failing(WatchedStore):
        async def after(self, statement, _):
            if statement is record_failed_nodes:
                raise StorageFailed(Reason.NOT_SAVED)

    hall.clock.skip(5)  # not on the database's clock
    with pytest.raises(StorageFailed):
        await hall.start(store=Failing)
    await hall.stop()
    hall.clock.skip(3600)
    await hall.start()
    found = await hall.store.look_up(list_outages, MATCH, 0)
    passed = time.monotonic() - began if shared else 0.0  # by the database's clock
    tolerance = int((1 + passed) * SECOND)
    assert max(each.ended - each.began for each in found) == near(seconds * SECOND, tolerance)
    await hall.close()
