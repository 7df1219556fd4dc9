from __future__ import annotations

from mastermind_protocol.match import Phase
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.presence import Attendance, Node
from mastermind_server.storage.store import Store

HERE = Node("here", "ws://here", "1", 0, 0, draining=False)


async def keep(store: Store, code: str, *, phase: Phase = Phase.GATHERING, **more: bool) -> None:
    public = more.get("public", True)
    record = MatchRecord(code, "mini", 1, public, phase, "Ada", None, 0, due=1000)
    await store.append(LogRow(code, 1, 0, b"\x90"), projections=[Projection(record)])


async def test_deserted_lobbies_are_those_that_are_public_and_have_nobody_at_any_node(any_store):
    await keep(any_store, "PUBLIC")
    await keep(any_store, "HIDDEN", public=False)
    await keep(any_store, "PLAYED", phase=Phase.BREAKING)
    await any_store.desert_lobbies(5)
    assert await any_store.list_due(5, limit=9) == ["PUBLIC"]
    await any_store.desert_lobbies(7)  # this never delays it
    assert await any_store.list_due(5, limit=9) == ["PUBLIC"]


async def test_a_lobby_is_attended_only_by_a_node_that_has_its_lease(any_store):
    await keep(any_store, "PUBLIC")
    await any_store.write_attendances("here", {"PUBLIC": Attendance(("A",))})
    await any_store.renew_lease(HERE, 1000)
    await any_store.desert_lobbies(5)
    assert await any_store.list_due(5, limit=9) == []
    await any_store.renew_lease(HERE, 0)
    await any_store.desert_lobbies(5)
    assert await any_store.list_due(5, limit=9) == ["PUBLIC"]


async def test_some_are_deserted_and_others_put_off_by_what_a_node_tells(any_store):
    for code in ("AAAAAA", "BBBBBB", "CCCCCC"):
        await keep(any_store, code)
    await any_store.write_attendances("here", {}, deserted={"AAAAAA": 3, "BBBBBB": 2})
    assert await any_store.list_due(9, limit=9) == ["BBBBBB", "AAAAAA"]
    assert await any_store.list_due(9, limit=1) == ["BBBBBB"]
    await any_store.write_attendances("here", {}, attended={"BBBBBB": 2000})
    assert await any_store.list_due(1000, limit=9) == ["AAAAAA", "CCCCCC"]
