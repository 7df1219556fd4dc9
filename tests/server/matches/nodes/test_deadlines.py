"""Abandoned matches end once, when they are due, and both players receive it."""

from __future__ import annotations

import asyncio

from kit.matches import events_of, state_of
from kit.server import GameServer
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Finished, Left, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened
from mastermind_server.storage.store import LogRow
from mastermind_server.tuning import ABANDONED_DAYS

DAY = 24 * 3600  # seconds


async def wait(hall: GameServer, days: float) -> None:
    """Skip some days without a request, and poll."""
    hall.clock.skip(days * DAY)
    await hall.server.deadlines.look()


async def test_a_match_is_lost_by_who_should_have_moved_and_both_find_it_so(hall, ada, bob, match):
    await ada.close()
    await bob.close()
    await wait(hall, ABANDONED_DAYS)
    for wire in (ada, bob):
        back = await hall.again(wire)
        assert events_of(await back.follow(match))[-2:] == [
            Left(player=ada.id, absent=True),
            Finished(how=MatchEnd.LEFT, winner=bob.id),
        ]
        assert (await back.list_own()).matches == ()


async def test_a_guess_puts_the_end_off_and_who_looks_is_told_of_it_at_once(hall, ada, bob, match):
    await ada.set(match, "2345")
    hall.clock.skip((ABANDONED_DAYS - 1) * DAY)
    await bob.guess(match, "2222")
    await bob.close()
    await wait(hall, 2)
    assert await hall.store.list_due(hall.clock.time_of_day(), limit=9) == []
    assert state_of(await ada.follow(match)).phase is Phase.BREAKING
    await wait(hall, ABANDONED_DAYS - 2)
    told = await ada.until(Happened, lambda told: isinstance(told.events[0], Left))
    assert told.events[0] == Left(player=bob.id, absent=True)
    assert told.events[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_match_goes_on_whose_player_thinks_before_it(hall, ada, bob, match):
    await bob.close()
    await wait(hall, ABANDONED_DAYS)
    assert state_of(await ada.follow(match)).phase is Phase.SETTING
    await ada.close()
    eve = await hall.meet("Eve")
    await eve.follow(match)
    await wait(hall, ABANDONED_DAYS)
    assert isinstance((await eve.until(Happened)).events[-1], Finished)


async def test_a_private_lobby_that_nobody_comes_back_to_is_closed(hall, ada):
    match = (await ada.open()).match
    await ada.close()
    await wait(hall, ABANDONED_DAYS)
    back = await hall.again(ada)
    assert events_of(await back.follow(match))[-2:] == [
        Left(player=ada.id, absent=True),
        Finished(how=MatchEnd.CLOSED),
    ]


async def test_a_match_whose_log_is_damaged_is_not_come_upon_at_every_look(hall, match, caplog):
    await hall.store.append(LogRow(match, 3, 0, b"\xc1"))
    await hall.restart()
    await wait(hall, ABANDONED_DAYS + 1)
    assert "could not be ended: storage_failed" in caplog.text
    assert await hall.store.list_due(hall.clock.time_of_day(), limit=9) == []


async def test_of_two_nodes_one_ends_a_match(tmp_path, postgres_url):
    nodes = [GameServer(tmp_path, postgres_url) for _ in range(2)]
    for node in nodes:
        await node.start()
    ada, bob = await nodes[0].meet("Ada"), await nodes[1].meet("Bob")
    match = (await ada.open(maker="me", breaker="open")).match
    await bob.join(match)
    await nodes[0].stop()  # all players disconnect
    await nodes[1].stop()
    for node in nodes:
        await node.start()
        node.clock.skip((ABANDONED_DAYS + 1) * DAY)
    ends = await asyncio.gather(
        *(node.server.deadlines.end(match) for node in nodes), return_exceptions=True
    )
    assert {type(end) for end in ends} <= {type(None), Refused}
    assert len(await nodes[0].store.read_log(match)) == 3
    for node in nodes:
        await node.close()
