"""Those who seek at several nodes at once find each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kit.matches import events_of
from mastermind_protocol.events import Joined
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Seek
from mastermind_server.storage.store import Store

ROUNDS = 20  # of seeks


async def test_two_who_seek_at_once_at_two_nodes_find_each_other(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    for _ in range(ROUNDS):
        first, second = await asyncio.gather(ada.seek("mini"), bob.seek("mini"))
        assert first.match == second.match
        await ada.leave(first.match)


async def test_of_four_who_seek_at_once_two_and_two_play(start_node):
    here, there = await start_node(), await start_node()
    people = [await hall.meet() for hall in (here, there, here, there)]
    for _ in range(ROUNDS // 2):
        logs = await asyncio.gather(*(person.seek("mini") for person in people))
        assert len({log.match for log in logs}) == 2
        for person, log in zip(people, logs, strict=True):
            await person.leave(log.match)


async def test_what_is_sought_twice_by_one_request_is_found_once(start_node):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    again, bob = await there.again(ada), await there.meet("Bob")
    for _ in range(ROUNDS // 2):
        request = ada.new(Seek, rules="mini")
        first, second = await asyncio.gather(ada.ask(request), again.ask(request))
        assert isinstance(first, Log)
        assert isinstance(second, Log)
        assert first.match == second.match
        assert len(await here.store.read_log(first.match)) == 1
        found = await bob.seek("mini")
        assert found.match == first.match
        await bob.leave(found.match)


class Deaf(Store):
    """A store that delivers no notifications of other nodes."""

    def listen(self, _hear: object) -> Callable[[], None]:
        return lambda: None


async def test_nobody_finds_an_own_lobby_that_was_ended_elsewhere(start_node):
    here, there = await start_node(store=Deaf), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    waiting = await ada.seek()
    await bob.join(waiting.match)
    await bob.leave(waiting.match)
    assert (await ada.seek()).match != waiting.match


async def test_who_is_a_program_at_one_node_is_one_at_all(start_node):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    robot = await there.connect(ada.ids)
    await robot.hello(token=ada.token, program=True)
    log = await ada.open(public=True)
    (joined,) = [event for event in events_of(log) if isinstance(event, Joined)]
    assert joined.player.program
