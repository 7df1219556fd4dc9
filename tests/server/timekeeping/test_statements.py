"""Outages of nodes concern the matches whose clocks they held up."""

from __future__ import annotations

import pytest

from mastermind_protocol.match import Phase
from mastermind_server.clock import Clock
from mastermind_server.storage.database import Session
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.statements.presence import (
    Node,
    PresenceRow,
    end_expired_leases,
    renew_lease,
    write_presence,
)
from mastermind_server.storage.store import Store
from mastermind_server.timekeeping.outages import Outage
from mastermind_server.timekeeping.statements import (
    begin_outage,
    end_outages,
    find_newest_time,
    list_outages,
    read_shared_time,
    record_failed_nodes,
    record_outages,
)
from server.storage.builders import row

LEASE = 1000  # ms
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
    return await store.write_locking(renew_lease, lease, seconds, NOW)


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
    await any_store.write_locking(record_failed_nodes, LEASE)
    (outage,) = await any_store.read(list_all, "AAAAAA")
    assert 4000 <= outage.ended - outage.began < 60_000
    for code in ("BBBBBB", "CCCCCC"):
        assert await any_store.read(list_all, code) == []


async def test_a_lease_that_expires_after_the_outages_were_recorded_is_ended_later(any_store):
    await keep(any_store, "AAAAAA")
    await any_store.write_locking(write_presence, "gone", {"AAAAAA": PresenceRow(("p",))})
    await renew(any_store, "here", 60)
    await renew(any_store, "gone", 60)
    before = await any_store.write_locking(record_failed_nodes, LEASE)
    await renew(any_store, "gone", -3)
    await any_store.write_locking(end_expired_leases, before)
    after = await any_store.write_locking(record_failed_nodes, LEASE)
    await any_store.write_locking(end_expired_leases, after)
    assert (before, after) == ([], ["gone"])
    assert len(await any_store.read(list_all, "AAAAAA")) == 1


async def test_without_another_node_the_outage_of_the_last_one_is_one_of_all_matches(any_store):
    for node, seconds in (("before", -7), ("gone", -3)):
        await renew(any_store, node, seconds)
    await any_store.write_locking(record_failed_nodes, LEASE)
    (outage,) = await any_store.read(list_all, "AAAAAA")
    assert 4000 <= outage.ended - outage.began < 8000
    assert outage.disconnected


async def test_the_time_from_the_stop_of_the_last_node_to_the_next_start_is_an_outage(any_store):
    await any_store.write_locking(begin_outage, 500)
    await any_store.write_locking(end_outages, 9000)
    assert await any_store.read(list_all, "AAAAAA") == [Outage(500, 9000, disconnected=True)]
    await renew(any_store, "here", 60)
    await any_store.write_locking(begin_outage, 9500)
    assert await any_store.read(list_all, "AAAAAA") == [Outage(500, 9000, disconnected=True)]


async def test_outages_of_ended_matches_are_deleted(any_store):
    await keep(any_store, "AAAAAA")
    await any_store.write_locking(record_outages, ["AAAAAA"], [Outage(500, 900)])
    record = MatchRecord("AAAAAA", "mini", 1, True, Phase.FINISHED, "Ada", "Bob", 0, clock="5+3")
    await any_store.append(row("AAAAAA", 2), projections=[Projection(record)])
    await any_store.write_locking(end_outages, 1000)
    assert await any_store.read(list_all, "AAAAAA") == []


@pytest.mark.parametrize("source", ["match", "outage", "start of an outage", "lease"])
async def test_the_newest_time_in_the_store_is_found(any_store, source):
    await keep(any_store, "OTHERS")
    if source == "match":
        record = MatchRecord("AAAAAA", "mini", 1, False, Phase.SETTING, "Ada", "Bob", AHEAD)
        await any_store.append(row("AAAAAA"), projections=[Projection(record)])
    elif source == "outage":
        await any_store.write_locking(record_outages, ["AAAAAA"], [Outage(500, AHEAD)])
    elif source == "start of an outage":
        await any_store.write_locking(begin_outage, AHEAD)
    else:
        lease = Node("gone", "ws://", "1", 0, 0, draining=False)
        await any_store.write_locking(renew_lease, lease, LEASE / 1000, lambda: AHEAD)
    newest = await any_store.look_up(find_newest_time, LEASE)
    assert newest == pytest.approx(AHEAD, abs=1)


async def test_without_a_live_node_the_shared_time_is_not_before_the_newest_one(any_store):
    assert await any_store.look_up(read_shared_time, LEASE) == pytest.approx(NOW(), abs=60_000)
    await any_store.write_locking(begin_outage, AHEAD)
    assert await any_store.look_up(read_shared_time, LEASE) == AHEAD
    await renew(any_store, "here", 60)
    assert await any_store.look_up(read_shared_time, LEASE) == pytest.approx(NOW(), abs=60_000)
