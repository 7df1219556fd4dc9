from __future__ import annotations

from mastermind_server.clock import Clock
from mastermind_server.storage.statements.lobby import set_due_of_abandoned_lobbies, update_presence
from mastermind_server.storage.statements.matches import list_due
from mastermind_server.storage.statements.presence import (
    Node,
    PresenceRow,
    renew_lease,
    write_presence,
)
from mastermind_server.storage.store import Store
from server.storage.builders import listed, row

HERE = Node("here", "ws://here", "1", 0, 0, draining=False)


async def keep(store: Store, code: str) -> None:
    await store.append(row(code), projections=[listed(code, due=1000)])


async def test_only_a_node_with_a_lease_attends_a_lobby(any_store):
    await keep(any_store, "PUBLIC")
    await any_store.write_locking(write_presence, "here", {"PUBLIC": PresenceRow(("A",))})
    await any_store.write_locking(renew_lease, HERE, 1000, Clock().unix_milliseconds)
    await any_store.write_locking(set_due_of_abandoned_lobbies, 5)
    assert await any_store.read(list_due, 5, limit=9) == []
    await any_store.write_locking(renew_lease, HERE, 0, Clock().unix_milliseconds)
    await any_store.write_locking(set_due_of_abandoned_lobbies, 5)
    assert await any_store.read(list_due, 5, limit=9) == ["PUBLIC"]


async def test_a_node_deserts_some_lobbies_and_postpones_others(any_store):
    for code in ("AAAAAA", "BBBBBB", "CCCCCC"):
        await keep(any_store, code)
    await any_store.write_locking(update_presence, "here", {}, {"AAAAAA": 3, "BBBBBB": 2}, {})
    assert await any_store.read(list_due, 9, limit=9) == ["BBBBBB", "AAAAAA"]
    assert await any_store.read(list_due, 9, limit=1) == ["BBBBBB"]
    await any_store.write_locking(update_presence, "here", {}, {}, {"BBBBBB": 2000})
    assert await any_store.read(list_due, 1000, limit=9) == ["AAAAAA", "CCCCCC"]
