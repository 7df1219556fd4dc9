"""Nodes start, stop and lose their lease: then their connections count as absent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.sql import SQL, Identifier

from kit.client import PATIENCE, RawClient
from kit.clock import near
from kit.clocked import MATCH, begin, wait_for
from kit.matches import state_of
from kit.server import GameServer
from mastermind_protocol.events import Finished, MatchEnd, SecretSet
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Challenged, ChallengeEnded, Presence
from mastermind_protocol.requests import Challenge
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import Store
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.downtime import LEASE_MILLISECONDS
from mastermind_server.timekeeping.statements import list_outages, record_failed_nodes


@pytest.fixture
def tables(postgres_url):
    """A direct connection to the database."""
    with closing(psycopg.connect(postgres_url, autocommit=True)) as connection:
        yield connection


def count(tables: Connection, table: str) -> int:
    query = SQL("SELECT count(*) FROM {}").format(Identifier(table))
    ((rows,),) = tables.execute(query).fetchall()
    assert isinstance(rows, int)
    return rows


def cut_off(tables: Connection, hall: GameServer) -> None:
    """Expire the lease of a node."""
    tables.execute("UPDATE nodes SET until = 0 WHERE node = %s", [hall.services.node])


async def until_listed(wire: RawClient, *matches: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while {entry.match for entry in (await wire.list("waiting")).matches} != set(matches):
            await wire.settle()


async def lost_in_a_minute(hall: GameServer) -> int:
    """Return the milliseconds that the next server would give back if this one failed now."""
    now = hall.clock.unix_milliseconds() + 60_000
    await hall.store.write_locking(record_failed_nodes, LEASE_MILLISECONDS, now, private=True)
    return sum(each.ended - each.began for each in await hall.store.read(list_outages, MATCH, 0))


async def test_a_private_server_that_fails_as_a_clock_starts_has_written_that_it_was_up(
    hall, ada, bob
):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    await ada.settle()
    assert await lost_in_a_minute(hall) == near(60_000)


async def test_a_private_server_writes_that_it_is_up_while_all_players_of_a_clock_are_away(
    hall, ada, bob
):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    for wire in (ada, bob):
        await wire.close()
    await hall.until_connections()
    hall.clock.seconds += 20
    await hall.server.lease.write_alive_if_due()
    assert await lost_in_a_minute(hall) == near(60_000)


async def test_a_private_server_that_fails_before_players_return_has_written_that_it_was_up(
    idle_hall,
):
    await idle_hall.start()
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    await begin(idle_hall, ada, bob)
    await idle_hall.restart()
    assert await lost_in_a_minute(idle_hall) == near(60_000)


async def test_a_stopped_node_and_its_players_are_absent_at_once(start_node, tables):
    here, there = await start_node(), await start_node()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.seek()).match
    await eve.follow(match)
    assert count(tables, "nodes") == 2
    await here.stop()
    assert count(tables, "nodes") == 1
    await until_listed(eve)
    assert await eve.until(Presence) == Presence(match=match, player=ada.id, here=False)


class Inspected(Store):
    """A store that calls `inspect` after each locking write."""

    inspect: Callable[[], None] = staticmethod(lambda: None)

    async def write_locking(self, work: Any, *args: Any, **kwargs: Any) -> Any:
        result = await super().write_locking(work, *args, **kwargs)
        self.inspect()
        return result


async def test_the_lease_of_a_stopping_node_ends_when_its_outage_is_recorded(start_node, tables):
    here, there = await start_node(), await start_node(store=Inspected)
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    await begin(here, ada, bob)
    await ada.set(MATCH, "2345")
    await wait_for(bob, SecretSet)
    found = []
    there.store.inspect = lambda: found.append((count(tables, "nodes"), count(tables, "outages")))
    await there.stop()
    assert found[-1] == (1, 1)
    assert (1, 0) not in found  # then the flag of another node could fall


async def test_the_players_of_a_lost_node_are_absent_and_their_lobbies_close(start_node, tables):
    here, there, third = [await start_node() for _ in range(3)]
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match, private = (await ada.seek()).match, (await bob.open()).match
    await ada.ask(ada.new(Challenge, player=eve.id, rules="mini"))
    challenge = (await eve.until(Challenged)).match
    await eve.follow(match)
    cut_off(tables, here)
    await until_listed(eve)  # before any node deletes it
    assert (await eve.seek()).match != match
    await third.server.lease.renew()
    assert count(tables, "nodes") == 2
    assert await eve.until(Presence) == Presence(match=match, player=ada.id, here=False)
    for node in (there, third):
        node.clock.skip(LOBBY_GRACE_SECONDS)
        await node.server.deadlines.end_due_matches()
    assert await eve.until(ChallengeEnded) == ChallengeEnded(match=challenge, how="expired")
    assert state_of(await eve.follow(match)).outcome == Finished(how=MatchEnd.CLOSED)
    assert state_of(await eve.follow(private)).phase is Phase.GATHERING


async def test_a_node_that_was_cut_off_returns_with_its_players(start_node, tables):
    here, there = await start_node(), await start_node()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.seek()).match
    cut_off(tables, here)
    await there.server.lease.renew()
    await until_listed(eve)
    await here.server.lease.renew()
    await until_listed(eve, match)
    assert (await eve.seek()).match == match


async def test_a_node_with_a_lease_of_unknown_outcome_returns_with_its_players(
    tmp_path, start_node, tables, far_url, proxy
):
    here, there = GameServer(tmp_path, far_url), await start_node()
    await here.start()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.seek()).match
    cut_off(tables, here)
    await there.server.lease.renew()
    await until_listed(eve)
    proxy.cut_after(b"COMMIT")
    with pytest.raises(StorageFailed):
        await here.server.lease.renew()
    assert count(tables, "nodes") == 2
    await here.server.lease.renew()
    await until_listed(eve, match)
    await here.close()


async def test_a_node_publishes_its_connections_and_whether_it_drains(start_node, tables):
    here = await start_node()
    await here.meet("Ada")
    here.services.readiness.draining = True
    await here.server.lease.renew()
    told = tables.execute("SELECT address, connections, draining FROM nodes").fetchall()
    assert told == [(here.address, 1, True)]


async def test_a_due_lobby_is_closed_by_one_of_the_nodes(start_node):
    nodes = [await start_node() for _ in range(3)]
    ada = await nodes[0].meet("Ada")
    matches = [(await ada.open(public=True)).match for _ in range(4)]
    eve = await nodes[1].meet("Eve")
    await ada.close()
    await until_listed(eve)
    await nodes[1].server.lease.renew()  # if the first node has not
    for node in nodes:
        node.clock.skip(LOBBY_GRACE_SECONDS)
    await asyncio.gather(*(node.server.deadlines.end_due_matches() for node in nodes))
    for match in matches:
        assert [row.version for row in await nodes[2].store.read(read_log, match)] == [1, 2]
