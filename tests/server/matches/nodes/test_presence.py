"""Presence across nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg

from kit.client import PATIENCE, RawClient
from kit.clocked import MATCH, begin
from kit.matches import SeededRandom
from kit.server import GameServer
from kit.store import WatchedStore
from mastermind_protocol.errors import Reason
from mastermind_protocol.messages import Presence, Spectators
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.nodes import presence
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.matches.nodes.presence import Presence as Presences
from mastermind_server.matches.nodes.subscription import POLL_SECONDS
from mastermind_server.matches.tables.followers import SPECTATOR_COUNT_SECONDS
from mastermind_server.storage.engines import postgresql_engine
from mastermind_server.storage.statements.lobby import update_presence
from mastermind_server.storage.statements.matches import list_due
from mastermind_server.storage.statements.presence import (
    NO_PRESENCE,
    PresenceRow,
    end_lease,
    find_presence,
)
from mastermind_server.storage.threads import StorageFailed
from server.matches.nodes.stores import Deaf


async def until_known(hall: GameServer, match: str, presence: PresenceRow) -> None:
    """Wait until the store has this presence at a match at this node."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await hall.store.read(find_presence, [match], "another")
            players, spectators = found.get(match, NO_PRESENCE)
            if (set(players), spectators) == (set(presence.players), presence.spectators):
                return


async def test_missed_changes_of_presence_are_found_by_a_poll(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match = (await ada.open()).match
    await bob.join(match)
    await until_known(here, match, PresenceRow((ada.id, bob.id)))
    await eve.follow(match)
    await bob.close()
    await until_known(there, match, PresenceRow((ada.id,), 1))
    await there.clock.until(lambda timer: timer.seconds == POLL_SECONDS)
    there.clock.skip(POLL_SECONDS)
    assert await eve.until(Presence) == Presence(match=match, player=bob.id, here=False)


async def test_spectators_at_another_node_are_counted(start_node):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    match = (await ada.open()).match
    for _ in range(4):
        await (await there.meet()).follow(match)
    there.clock.skip(SPECTATOR_COUNT_SECONDS)
    await until_known(there, match, PresenceRow((ada.id,), 4))
    while (await ada.until(Spectators)).count != 4:
        here.clock.skip(SPECTATOR_COUNT_SECONDS)


async def test_a_move_waits_for_no_number_of_spectators(start_node):
    hall = await start_node()
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob)
    await until_known(hall, MATCH, PresenceRow((ada.id, bob.id)))
    await (await hall.meet()).follow(MATCH)
    await until_known(hall, MATCH, PresenceRow((ada.id, bob.id), 1))
    await (await hall.meet()).follow(MATCH)  # only changes the number, which is written later
    await ada.set(MATCH, "2345")
    await until_known(hall, MATCH, PresenceRow((ada.id, bob.id), 1))


async def test_presence_is_written_again_in_batches(start_node, monkeypatch):
    pieces: list[int] = []

    class Recording(WatchedStore):
        async def before(self, statement, args):
            if statement is update_presence:
                pieces.append(len(args[1]))

    hall = await start_node(store=Recording)
    ada = await hall.meet("Ada")
    matches = [(await ada.open(public=True)).match for _ in range(5)]
    await hall.store.write_locking(end_lease, hall.services.node)
    await until_known(hall, matches[0], NO_PRESENCE)
    monkeypatch.setattr(presence, "ROWS_PER_COMMIT", 2)
    pieces.clear()
    await hall.server.lease.renew()
    for match in matches:
        await until_known(hall, match, PresenceRow((ada.id,)))
    assert pieces == [2, 2, 1]


async def test_the_presence_at_a_match_that_is_being_opened_is_written_again(start_node):
    hall = await start_node()
    other, opener = Presences(hall.server.tables, hall.services), PresenceRow(("ADA",))
    with other.override_while_opening("AAAAAA", opener):
        other.write_all()
        await until_known(hall, "AAAAAA", opener)
    await until_known(hall, "AAAAAA", NO_PRESENCE)  # nobody follows it
    await other.stop()


async def test_a_failed_write_of_presence_is_repeated(start_node, postgres_url, monkeypatch):
    monkeypatch.setattr(postgresql_engine, "LOCK_TIMEOUT_SECONDS", 0.05)
    hall = await start_node()
    ada = await hall.meet("Ada")
    match = (await ada.open()).match
    await until_known(hall, match, PresenceRow((ada.id,)))
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT FROM presence FOR UPDATE")
        await ada.close()
        await hall.clock.until(lambda timer: timer.seconds == RETRY_SECONDS)
    await until_known(hall, match, PresenceRow((ada.id,)))
    hall.clock.skip(RETRY_SECONDS)
    await until_known(hall, match, NO_PRESENCE)


class FailingWhileReturning(WatchedStore):
    """A store whose writes of presence fail, after the event `returned`, until `works` is set."""

    works = True
    started: asyncio.Event
    returned: asyncio.Event

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if statement is update_presence and not self.works:
            self.started.set()
            await self.returned.wait()
            raise StorageFailed(Reason.NOT_SAVED, retry_after=1.0)


async def test_after_a_failed_write_the_last_change_of_a_lobby_is_written(idle_hall):
    hall = idle_hall
    await hall.start(store=FailingWhileReturning)
    ada = await hall.meet("Ada")
    match = (await ada.open(public=True)).match
    store = hall.store
    assert isinstance(store, FailingWhileReturning)
    store.started, store.returned, store.works = asyncio.Event(), asyncio.Event(), False
    await ada.close()
    async with asyncio.timeout(PATIENCE):
        await store.started.wait()
    ada = await hall.connect_again(ada)
    await ada.follow(match)  # during the write of her absence
    store.works = True
    store.returned.set()
    await hall.clock.until(lambda timer: timer.seconds == RETRY_SECONDS)
    hall.clock.skip(RETRY_SECONDS)
    await ada.settle()
    hall.clock.skip(LOBBY_GRACE_SECONDS + RETRY_SECONDS)
    assert match not in await store.read(list_due, hall.clock.unix_milliseconds(), limit=9)


async def list_codes(wire: RawClient, what: str) -> list[str]:
    return [entry.match for entry in (await wire.list(what)).matches]


class Counting(WatchedStore):
    """A store that counts the writes of presence."""

    told = 0

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        self.told += statement is update_presence


async def test_a_single_node_writes_no_presence(idle_hall):
    await idle_hall.start(store=Counting)
    ada, bob, eve = [await idle_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open(public=True)).match
    await bob.join(match)
    await eve.follow(match)
    await eve.close()
    await bob.unfollow(match)
    assert await ada.until(Presence, lambda told: not told.here)
    await idle_hall.stop()
    assert isinstance(idle_hall.store, Counting)
    assert idle_hall.store.told == 0


async def test_a_match_code_drawn_twice_changes_no_presence(idle_hall):
    await idle_hall.start(random=SeededRandom(1))
    ada = await idle_hall.meet("Ada")
    first = await ada.seek()
    await idle_hall.restart(random=SeededRandom(1))  # draws the same codes
    ada, bob = await idle_hall.connect_again(ada), await idle_hall.meet("Bob")
    await ada.follow(first.match)
    await bob.open()
    assert await list_codes(bob, "waiting") == [first.match]
