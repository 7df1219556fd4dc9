from __future__ import annotations

import asyncio

import psycopg
import pytest

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.clock import Clock
from mastermind_server.storage.conditions import ConditionFailed
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.lobby import (
    MatchSearch,
    NewMatch,
    NoOpponent,
    SeekTerms,
    find_waiting,
    open_match,
)
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.presence import (
    Node,
    PresenceRow,
    renew_lease,
    write_presence,
)
from mastermind_server.storage.store import Store

TERMS = SeekTerms("mini", 2, rated=False, program=False)
WANTED = MatchSearch(TERMS)


@pytest.fixture
async def store(postgres_url):
    """A store of two nodes with a lease each."""
    store = await Store.open(postgres_url)
    for node in ("here", "there"):
        there = Node(node, "ws://", "1", 0, 0, draining=False)
        await store.write_locking(renew_lease, there, 60, Clock().unix_milliseconds)
    yield store
    await store.close()


def opening(code: str, at: int = 0, **terms: str) -> NewMatch:
    record = MatchRecord(
        code,
        "mini",
        2,
        True,
        Phase.GATHERING,
        "Ada",
        None,
        at,
        **terms,  # type: ignore[arg-type]
    )
    return NewMatch(LogRow(code, 1, at, b"\x90"), Projection(record), PresenceRow(("A",)))


async def test_the_oldest_suitable_lobby_of_other_nodes_is_found(store):
    for begun in (
        opening("SECOND", 2),
        opening("FIRSTS", 1),
        opening("ROBOTS", bots="maker"),
        opening("AGAIN2", reserved="B"),
        opening("CLOCKS", clock="5+3"),
    ):
        await store.write_locking(open_match, begun, "there")
    await store.write_locking(open_match, opening("MINEAA"), "here")
    await store.write_locking(open_match, opening("NOBODY"), "gone")

    async def find(wanted):
        return await store.read(find_waiting, wanted, "here")

    assert await find(WANTED) == ("FIRSTS", 1)
    assert await find(WANTED._replace(excluded=["FIRSTS", "OTHERS"])) == ("SECOND", 2)
    assert await find(WANTED._replace(seat=Seat.BREAKER)) == ("FIRSTS", 1)
    assert await find(WANTED._replace(seat=Seat.MAKER)) is None
    assert await find(MatchSearch(TERMS._replace(program=True))) == ("ROBOTS", 0)
    assert await find(MatchSearch(TERMS._replace(rounds=1))) is None
    assert await find(MatchSearch(TERMS._replace(rated=True))) is None
    assert await find(MatchSearch(TERMS._replace(clock="5+3"))) == ("CLOCKS", 0)
    await store.write_locking(write_presence, "there", {"FIRSTS": PresenceRow(spectators=1)})
    assert await find(WANTED) == ("SECOND", 2)


async def test_one_of_two_nodes_that_seek_at_once_opens_a_lobby(store):
    codes = {"here": "MATCHA", "there": "MATCHB"}
    seeking = [
        store.write_locking(open_match, opening(code), node, [NoOpponent(WANTED, node)])
        for node, code in codes.items()
    ]
    outcomes = await asyncio.gather(*seeking, return_exceptions=True)
    (told,) = [
        place for place, outcome in enumerate(outcomes) if isinstance(outcome, ConditionFailed)
    ]
    (node, refused), (_, opened) = list(codes.items())[told], list(codes.items())[1 - told]
    assert await store.read(read_log, refused) == []
    assert await store.read(read_log, opened) == [opening(opened).row]
    elsewhere = NoOpponent(WANTED._replace(excluded=[opened]), node)
    await store.write_locking(open_match, opening(refused), node, [elsewhere])
    assert await store.read(read_log, refused) == [opening(refused).row]


async def test_a_seek_that_waits_for_another_delays_no_opening(store, postgres_url):
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtext('seek'))")
        opened = asyncio.create_task(store.write_locking(open_match, opening("FIRSTS"), "here"))
        sought = asyncio.create_task(
            store.write_locking(open_match, opening("SECOND"), "here", [NoOpponent(WANTED, "here")])
        )
        await opened
        assert not sought.done()
    await sought
    assert await store.read(read_log, "SECOND")
