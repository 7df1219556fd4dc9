"""Outages of nodes concern the matches whose clocks they held up."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from kit.client import PATIENCE
from kit.clock import ManualClock
from mastermind_protocol.match import Phase
from mastermind_server.clock import Clock
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.statements.presence import (
    Node,
    PresenceRow,
    end_expired_leases,
    renew_lease,
    write_presence,
)
from mastermind_server.storage.store import Store, open_database
from mastermind_server.timekeeping.outages import Outage
from mastermind_server.timekeeping.statements import (
    delete_old_outages,
    end_node,
    find_newest_time,
    list_outages,
    read_shared_time,
    record_failed_nodes,
    record_outages,
)
from server.storage.builders import row

LEASE = 60_000  # ms
NOW = Clock().unix_milliseconds
AHEAD = NOW() + 3_600_000  # the time in a store, after the system's clock was set back


async def keep(store: Store, code: str, clock: str | None = "5+3", *, ended: bool = False) -> None:
    """Store a match that is being played, or has ended."""
    phase = Phase.FINISHED if ended else Phase.BREAKING
    record = MatchRecord(code, "mini", 1, True, phase, "Ada", "Bob", 0, clock=clock)
    await store.append(row(code), projections=[Projection(record)])


async def renew(store: Store, node: str, seconds: float) -> bool:
    """Let a node have a lease for some seconds; negative seconds are over."""
    lease = Node(node, "ws://", "1", 0, 0, draining=False)
    existed, until = await store.write_locking(renew_lease, lease, seconds, NOW)
    assert abs(until - NOW() - 1000 * seconds) < 60_000
    return existed


def list_all(session: Session, code: str) -> list[Outage]:
    return list_outages(session, code, 0)


async def test_a_renewal_tells_whether_the_node_still_had_its_lease(any_store):
    assert [await renew(any_store, "here", 60) for _ in range(2)] == [False, True]


async def test_a_failed_node_held_up_the_clocks_of_the_players_it_had(any_store):
    for code in ("AAAAAA", "BBBBBB"):
        await keep(any_store, code)
    await keep(any_store, "CCCCCC", clock=None)
    followed = {"AAAAAA": PresenceRow(("p",)), "CCCCCC": PresenceRow(("p",))}
    await any_store.write_locking(write_presence, "gone", followed)
    await renew(any_store, "here", 60)
    await renew(any_store, "gone", -3)
    await record(any_store)
    (outage,) = await any_store.read(list_all, "AAAAAA")
    assert LEASE + 3000 <= outage.ended - outage.began < 2 * LEASE
    for code in ("BBBBBB", "CCCCCC"):
        assert await any_store.read(list_all, code) == []


async def test_a_lease_that_expires_after_the_outages_were_recorded_is_ended_later(any_store):
    await keep(any_store, "AAAAAA")
    await any_store.write_locking(write_presence, "gone", {"AAAAAA": PresenceRow(("p",))})
    await renew(any_store, "here", 60)
    await renew(any_store, "gone", 60)
    before = await record(any_store)
    await renew(any_store, "gone", -3)
    await any_store.write_locking(end_expired_leases, before, LEASE)
    after = await record(any_store)
    await any_store.write_locking(end_expired_leases, after, LEASE)
    assert (before, after) == ([], ["gone"])
    assert len(await any_store.read(list_all, "AAAAAA")) == 1


async def test_without_another_node_the_outage_of_the_last_one_is_one_of_all_matches(any_store):
    for node, seconds in (("before", -7), ("gone", -3)):
        await renew(any_store, node, seconds)
    await record(any_store)
    (outage,) = await any_store.read(list_all, "AAAAAA")
    assert LEASE + 3000 <= outage.ended - outage.began < LEASE + 7000
    assert outage.disconnected


async def end(store: Store, node: str, at: int) -> None:
    await store.write_locking(end_node, node, LEASE, at, at, {})


async def record(store: Store, now: int = 0) -> list[str]:
    """Record the outages of failed nodes at the time `now`."""
    return await store.write_locking(record_failed_nodes, LEASE, now, private=False)


async def test_the_time_from_the_stop_of_the_last_node_to_the_next_start_is_an_outage(any_store):
    for node in ("first", "last"):
        await renew(any_store, node, 60)
    await end(any_store, "first", 100)
    assert await any_store.read(list_all, "AAAAAA") == []
    await end(any_store, "last", 500)
    await record(any_store, 9000)
    whole = Outage(500, 9000, disconnected=True, of_all=True)
    assert await any_store.read(list_all, "AAAAAA") == [whole]
    await record(any_store, 9500)
    assert await any_store.read(list_all, "AAAAAA") == [whole]


async def test_of_two_nodes_that_stop_at_once_one_is_the_last(start_node, postgres_url):
    nodes = [await start_node(connection_clock=ManualClock()) for _ in range(2)]
    store = nodes[0].store
    database = open_database(postgres_url)
    first, second = database.connect(), database.connect()
    with first.transaction():
        end_node(first, nodes[0].services.node, LEASE, 500, 500, {})
        waiting = asyncio.create_task(
            asyncio.to_thread(end_alone, second, nodes[1].services.node, 600)
        )
        await until_a_lock_is_waited_for(store)
    await waiting
    for session in (first, second):
        session.close()
    assert [outage.began for outage in await store.read(list_all, "AAAAAA")] == [600]


def end_alone(session: Session, node: str, at: int) -> None:
    with session.transaction():
        end_node(session, node, LEASE, at, at, {})


async def until_a_lock_is_waited_for(store: Store) -> None:
    waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'")
    async with asyncio.timeout(PATIENCE):
        while not await store.read(lambda session: session.connection.scalar(waiting)):
            pass


async def test_outages_of_ended_matches_are_deleted(any_store):
    await keep(any_store, "AAAAAA")
    await any_store.write_locking(record_outages, [("AAAAAA", Outage(500, 900))])
    record = MatchRecord("AAAAAA", "mini", 1, True, Phase.FINISHED, "Ada", "Bob", 0, clock="5+3")
    await any_store.append(row("AAAAAA", 2), projections=[Projection(record)])
    await any_store.write_locking(delete_old_outages, 1000)
    assert await any_store.read(list_all, "AAAAAA") == []


@pytest.mark.parametrize("source", ["match", "outage", "start of an outage", "lease"])
async def test_the_newest_time_in_the_store_is_found(any_store, source):
    await keep(any_store, "OTHERS")
    if source == "match":
        record = MatchRecord("AAAAAA", "mini", 1, False, Phase.SETTING, "Ada", "Bob", AHEAD)
        await any_store.append(row("AAAAAA"), projections=[Projection(record)])
    elif source == "outage":
        await any_store.write_locking(record_outages, [("AAAAAA", Outage(500, AHEAD))])
    elif source == "start of an outage":
        await end(any_store, "here", AHEAD)
    else:
        lease = Node("gone", "ws://", "1", 0, 0, draining=False)
        await any_store.write_locking(renew_lease, lease, LEASE / 1000, lambda: AHEAD)
    newest = await any_store.look_up(find_newest_time, LEASE)
    assert newest == pytest.approx(AHEAD, abs=1)


async def test_without_a_live_node_the_shared_time_is_not_before_the_newest_one(any_store):
    assert await any_store.look_up(read_shared_time, LEASE) == pytest.approx(NOW(), abs=60_000)
    await end(any_store, "here", AHEAD)
    assert await any_store.look_up(read_shared_time, LEASE) == AHEAD
    await renew(any_store, "here", 60)
    assert await any_store.look_up(read_shared_time, LEASE) == pytest.approx(NOW(), abs=60_000)
