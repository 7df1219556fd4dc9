"""What a node has read before it writes still holds when it writes, at each node.

In each race all requests have read before the first of them writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from kit.client import RawClient
from kit.matches import state_of
from kit.rated import store_rated
from kit.server import GameServer
from kit.store import WatchedStore
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error, Log
from mastermind_protocol.requests import Join
from mastermind_server.matches.ratings import MAX_PAIR_MATCHES
from mastermind_server.storage.statements.lobby import has_begun_match
from mastermind_server.storage.statements.ratings import count_pair_matches
from mastermind_server.storage.store import Store

RATED = {"rules": "classic", "rounds": 2, "rated": True, "clock": "5+3"}
NODES = 3
OTHERS = ("Bob", "Eve", "Fay")


def meet_after(query: Callable[..., object]) -> type[Store]:
    """Return a store that returns the first NODES results of `query` at the same moment."""
    barrier, left = asyncio.Barrier(NODES), NODES

    class Meeting(WatchedStore):
        async def after(self, statement: Callable[..., object], _: Any) -> None:
            nonlocal left
            if statement is query and left:
                left -= 1
                await barrier.wait()

    return Meeting


StartNodes = Callable[[type[Store]], Awaitable[list[GameServer]]]


@pytest.fixture(params=["SQLite", "PostgreSQL"])
async def start_nodes(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[StartNodes]:
    """Starts three nodes of PostgreSQL, or one of SQLite, which is in the list three times."""
    url = request.getfixturevalue("postgres_url") if request.param == "PostgreSQL" else None
    async with AsyncExitStack() as stack:

        async def start(store: type[Store]) -> list[GameServer]:
            nodes = [GameServer(tmp_path, url) for _ in range(NODES if url else 1)]
            for node in nodes:
                stack.push_async_callback(node.close)
                await node.start(store=store)
            return nodes if url else nodes * NODES

        yield start


async def meet_everywhere(nodes: list[GameServer], name: str) -> list[RawClient]:
    """Return connections of a new player to all nodes."""
    first = await nodes[0].meet(name)
    return [first, *[await node.connect_again(first) for node in nodes[1:]]]


@pytest.mark.promise("rated-pair")
async def test_matches_that_begin_at_the_same_moment_exceed_no_limit_of_a_pair(start_nodes):
    nodes = await start_nodes(meet_after(count_pair_matches))
    ada, bobs = await nodes[0].meet("Ada"), await meet_everywhere(nodes, "Bob")
    now = nodes[0].clock.unix_milliseconds()

    def play_all_but_one(session):
        for number in range(MAX_PAIR_MATCHES - 1):
            store_rated(session, f"MATCH{number}", ada.player, bobs[0].player, at=now - 1000)

    await nodes[0].store.write(play_all_but_one)
    codes = [(await ada.open(**RATED)).match for _ in nodes]

    answers = await asyncio.gather(
        *(bob.ask(bob.new(Join, match=code)) for bob, code in zip(bobs, codes, strict=True))
    )

    assert all(isinstance(answer, Log) for answer in answers)
    assert sorted(bob.matches[code].rated for bob, code in zip(bobs, codes, strict=True)) == [
        False,
        False,
        True,
    ]


async def test_one_of_two_searches_that_are_joined_at_the_same_moment_begins(start_nodes):
    nodes = await start_nodes(meet_after(has_begun_match))
    adas = await meet_everywhere(nodes, "Ada")
    searches = [
        await ada.seek("classic", rounds=rounds, clock=clock)
        for ada, (rounds, clock) in zip(adas, ((2, "5+3"), (2, "3+2"), (1, "5+3")), strict=True)
    ]
    others = [await node.meet(name) for node, name in zip(nodes, OTHERS, strict=True)]

    answers = await asyncio.gather(
        *(
            wire.ask(wire.new(Join, match=search.match))
            for wire, search in zip(others, searches, strict=True)
        )
    )

    begun = [answer for answer in answers if isinstance(answer, Log)]
    assert len(begun) == 1
    refused = [answer for answer in answers if isinstance(answer, Error)]
    assert [answer.code for answer in refused] == [ErrorCode.WRONG_PHASE] * (NODES - 1)
    for wire, search in zip(others, searches, strict=True):
        state = state_of(await wire.follow(search.match))
        assert state.phase is (Phase.SETTING if search.match == begun[0].match else Phase.FINISHED)
