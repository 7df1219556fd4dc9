"""Requests of one player that reach two nodes at once, and a node that hears nothing."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import psycopg
import pytest

from campaigns.chaos.collisions import Collision, collide
from campaigns.chaos.storms import write_url
from kit.postgres import find_socket
from kit.proxy import Proxy
from kit.server import GameServer
from mastermind_protocol.messages import Happened
from mastermind_server.tuning import LOOK_SECONDS

StartNode = Callable[[str], Awaitable[GameServer]]

TIMES = 60


@pytest.fixture
async def start(tmp_path):
    """Starts a node on the database of this URL."""
    async with AsyncExitStack() as stack:

        async def start(url):
            hall = GameServer(tmp_path, url)
            stack.push_async_callback(hall.close)
            await hall.start()
            return hall

        yield start


async def test_of_what_reaches_two_nodes_at_once_one_is_done_and_the_other_is_told(
    start, postgres_url
):
    here, there = await start(postgres_url), await start(postgres_url)
    went = await collide(here.address, there.address, times=TIMES, seed=1)
    assert went.keys() == {
        f"{Collision.TWO_MOVES}: done and stale_version",
        f"{Collision.ONE_TWICE}: done and done",
        f"{Collision.ONE_ID}: done and reused_id",
    }
    with psycopg.connect(postgres_url) as connection:
        rows = connection.execute("SELECT player, request FROM log").fetchall()
    assert max(Counter(rows).values()) == 1


async def test_who_is_at_a_node_that_hears_nothing_has_every_event_when_it_looks(
    start, postgres_url
):
    async with Proxy.to(find_socket(postgres_url), deaf=True) as line:
        here, there = await start(postgres_url), await start(write_url(line, postgres_url))
        ada, bob, eve = await here.meet("Ada"), await there.meet("Bob"), await there.meet("Eve")
        match = (await ada.open()).match
        await bob.join(match)
        await eve.follow(match)
        await ada.set(match, "1234")
        assert bob.versions[match] == eve.versions[match] == 2
        await there.clock.until(lambda timer: timer.seconds == LOOK_SECONDS)
        there.clock.skip(LOOK_SECONDS)
        for wire in (bob, eve):
            await wire.until(Happened, lambda happened: happened.v == 3)
        assert line.unheard
        await there.close()
