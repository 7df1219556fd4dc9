from __future__ import annotations

import asyncio

import psycopg
import pytest

from mastermind_protocol.match import Phase
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.matchmaking import Opening, OthersWait, Terms
from mastermind_server.storage.statements.presence import Attendance
from mastermind_server.storage.store import Store

TERMS = Terms("mini", 2, rated=False, program=False)


def opening(code: str, at: int = 0, *, bots: str = "", reserved: str | None = None) -> Opening:
    record = MatchRecord(
        code, "mini", 2, True, Phase.GATHERING, "Ada", None, at, bots=bots, reserved=reserved
    )
    return Opening(LogRow(code, 1, at, b"\x90"), Projection(record), Attendance(("A",)))


async def test_those_who_wait_on_the_same_terms_are_listed_the_oldest_first(
    any_store: Store,
) -> None:
    for begun in (
        opening("SECOND", 2),
        opening("FIRSTS", 1),
        opening("ROBOTS", bots="maker"),
        opening("AGAIN2", reserved="B"),
    ):
        await any_store.begin(begun, "here")
    assert await any_store.list_waiting(TERMS) == ["FIRSTS", "SECOND"]
    assert await any_store.list_waiting(TERMS._replace(program=True)) == ["ROBOTS"]
    assert await any_store.list_waiting(TERMS._replace(rounds=1)) == []
    assert await any_store.list_waiting(TERMS._replace(rated=True)) == []


async def test_of_all_who_seek_at_once_one_opens_and_the_others_are_told(any_store: Store) -> None:
    seeking = [any_store.begin(opening(f"MATCH{n}"), "here", TERMS) for n in range(2, 6)]
    outcomes = await asyncio.gather(*seeking, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].count(OthersWait) == 3
    (opened,) = await any_store.list_waiting(TERMS)
    with pytest.raises(OthersWait):
        await any_store.begin(opening("MATCH6"), "here", TERMS, ["OTHERS"])
    await any_store.begin(opening("MATCH6"), "here", TERMS, [opened])
    assert await any_store.read_log("MATCH6") == [opening("MATCH6").row]


async def test_whoever_waits_for_the_turn_to_seek_keeps_nobody_else_waiting(
    postgres_url: str,
) -> None:
    store = await Store.open(postgres_url)
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtext('seek'))")
        opened = asyncio.create_task(store.begin(opening("FIRSTS", 1), "here"))
        second = opening("SECOND", 2)
        sought = asyncio.create_task(store.begin(second, "here", TERMS, ["FIRSTS"]))
        await opened
        assert not sought.done()
    await sought
    assert await store.list_waiting(TERMS) == ["FIRSTS", "SECOND"]
    await store.close()
