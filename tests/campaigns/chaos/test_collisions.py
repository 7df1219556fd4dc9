"""Concurrent requests of one player on two nodes, and a node without notifications."""

from collections import Counter

import psycopg

from campaigns.chaos.collisions import Collision, collide
from campaigns.chaos.storms import write_url
from kit.postgres import find_socket
from kit.proxy import Proxy
from mastermind_protocol.messages import Happened
from mastermind_server.tuning import LOOK_SECONDS

TIMES = 60


async def test_concurrent_requests_on_two_nodes_append_one_row(start_node, postgres_url):
    here, there = await start_node(), await start_node()
    outcomes = await collide(here.address, there.address, times=TIMES, seed=1)
    assert outcomes.keys() == {
        f"{Collision.TWO_MOVES}: done and stale_version",
        f"{Collision.ONE_TWICE}: done and done",
        f"{Collision.ONE_ID}: done and reused_id",
    }
    with psycopg.connect(postgres_url) as connection:
        rows = connection.execute("SELECT player, request FROM log").fetchall()
    assert max(Counter(rows).values()) == 1


async def test_a_node_without_notifications_receives_events_by_polling(start_node, postgres_url):
    async with Proxy.to(find_socket(postgres_url), deaf=True) as line:
        here, there = await start_node(), await start_node(write_url(line, postgres_url))
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
