from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from kit.client import PATIENCE
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Player
from mastermind_server.storage import registrations
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.registrations import Registrations
from mastermind_server.storage.statements.identities import NewPlayer
from mastermind_server.storage.store import Store
from mastermind_server.tuning import REGISTERED_AT_ONCE

CROWD = 2 * REGISTERED_AT_ONCE + 1


def new(number: int) -> NewPlayer:
    return NewPlayer(Player(id=f"P{number}", name="Guest"), number.to_bytes(32), 0)


async def register(registrations: Registrations, numbers: Iterable[int]) -> None:
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*[registrations.add(new(number)) for number in numbers])


def count_commits(store: Store) -> int:
    return store.measure().writing.within[-1][1]


async def test_a_lone_new_player_waits_for_nobody(any_store):
    registrations = Registrations(any_store._writer, pace=3600)
    await register(registrations, [0])
    assert await any_store.find_player(new(0).token) == new(0).player


async def test_of_a_crowd_many_are_kept_by_one_write(any_store):
    registrations = Registrations(any_store._writer, pace=0.01)
    await register(registrations, range(CROWD))
    assert count_commits(any_store) == 3
    assert await any_store.find_tokens([new(number).token for number in range(CROWD)]) == {
        new(number).token for number in range(CROWD)
    }


async def test_who_waits_when_the_store_closes_is_kept(tmp_path):
    store = await Store.open(tmp_path / "store.sqlite3")
    registered = [asyncio.ensure_future(store.add_player(*new(number))) for number in range(CROWD)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*registered)
    with pytest.raises(StorageFailed):
        await asyncio.wait_for(store.add_player(*new(CROWD)), PATIENCE)
    store = await Store.open(tmp_path / "store.sqlite3")
    assert await store.find_player(new(CROWD - 1).token) == new(CROWD - 1).player
    await store.close()


async def test_all_of_a_group_are_told_that_it_is_not_kept(any_store):
    await any_store.add_player(*new(0))
    registrations = Registrations(any_store._writer, pace=0)
    outcomes = await asyncio.gather(
        *[registrations.add(new(number)) for number in (0, 1)], return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [StorageFailed] * 2
    assert await any_store.find_player(new(1).token) is None
    await register(registrations, [1])


async def test_whoever_has_gone_meanwhile_harms_nobody_in_its_group(any_store):
    registrations = Registrations(any_store._writer)
    gone = registrations.add(new(0))
    gone.cancel()
    await register(registrations, [1])
    assert await any_store.find_player(new(1).token) == new(1).player


async def test_no_more_wait_than_the_queue_has_room_for(store, monkeypatch):
    monkeypatch.setattr(registrations, "STORE_QUEUE", 2)
    waiting = Registrations(store._writer)
    here = [waiting.add(new(number)) for number in range(2)]
    with pytest.raises(StorageFailed) as refused:
        await waiting.add(new(2))
    assert (refused.value.reason, refused.value.limit) == (Reason.OVERLOADED, 2)
    await asyncio.gather(*here)
