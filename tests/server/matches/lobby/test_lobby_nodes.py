"""Those who seek at several nodes at once find each other."""

from __future__ import annotations

import asyncio

from kit.matches import events_of
from mastermind_protocol.events import Joined
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Leave, Seek
from mastermind_server.storage.statements.log import read_log
from server.matches.nodes.stores import Deaf

ROUNDS = 20  # of seeks


async def test_concurrent_seekers_at_two_nodes_meet(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    for _ in range(ROUNDS):
        first, second = await asyncio.gather(ada.seek("mini"), bob.seek("mini"))
        assert first.match == second.match
        for wire in (ada, bob):  # the first player may not leave yet
            await wire.ask(wire.new(Leave, match=first.match))


async def test_one_seek_sent_to_two_nodes_finds_one_match(start_node):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    again, bob = await there.connect_again(ada), await there.meet("Bob")
    for _ in range(ROUNDS // 2):
        request = ada.new(Seek, rules="mini")
        first, second = await asyncio.gather(ada.ask(request), again.ask(request))
        assert isinstance(first, Log)
        assert isinstance(second, Log)
        assert first.match == second.match
        assert len(await here.store.read(read_log, first.match)) == 1
        found = await bob.seek("mini")
        assert found.match == first.match
        await bob.leave(found.match)


async def test_a_seek_skips_an_own_lobby_that_ended_at_another_node(start_node):
    here, there = await start_node(store=Deaf), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    waiting = await ada.seek()
    await bob.join(waiting.match)
    await bob.leave(waiting.match)
    assert (await ada.seek()).match != waiting.match


async def test_a_program_at_one_node_is_one_at_all_nodes(start_node):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    robot = await there.connect(ada.ids)
    await robot.hello(token=ada.token, program=True)
    log = await ada.open(public=True)
    (joined,) = [event for event in events_of(log) if isinstance(event, Joined)]
    assert joined.player.program
