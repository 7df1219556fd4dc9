"""Bots that several nodes might play for: each move is made once, and none is left undone."""

from __future__ import annotations

from typing import Any

import pytest

from kit.server import GameServer
from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Guessed
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened
from mastermind_server.matches import bot_driver
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import Store
from mastermind_server.storage.threads import StorageFailed
from server.matches.bots import SECRET, Thinker, register, watch_to_the_end

HOUR = 3600.0


@pytest.fixture
def thinker(monkeypatch):
    """A registered bot; no node takes over its turn within an hour."""
    thinker = Thinker()
    register(monkeypatch, thinker)
    monkeypatch.setattr(bot_driver, "BOT_OVERDUE_SECONDS", HOUR)
    return thinker


async def count_guesses(hall: GameServer, match: str) -> int:
    """Return the number of guesses in the log."""
    rows = await hall.store.read(read_log, match)
    return sum(isinstance(event, Guessed) for row in rows for event in decode_events(row.events))


async def test_two_bots_are_played_by_one_of_the_following_nodes(start_node, thinker):
    here, there = await start_node(), await start_node()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.open(maker="random", breaker="thinker", secret=SECRET)).match
    await eve.follow(match)
    thinker.may.set()
    await watch_to_the_end(eve, match)
    assert thinker.count == await count_guesses(here, match)


async def test_another_node_plays_the_bot_of_a_stopped_node(start_node, thinker):
    here, there = await start_node(), await start_node()
    here.clock.skip(10 * HOUR)  # its clock is ahead: that delays no node
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.open(maker="random", breaker="thinker", secret=SECRET)).match
    await eve.follow(match)
    while eve.matches[match].phase is not Phase.BREAKING:
        await eve.until(Happened)
    await thinker.asked()
    await here.stop()
    timer = await there.clock.until(lambda timer: HOUR / 2 < timer.seconds <= HOUR)
    thinker.may.set()
    assert thinker.count == 1
    there.clock.skip(timer.seconds)
    await watch_to_the_end(eve, match)


async def test_another_node_plays_after_the_guess_of_a_stopped_node(start_node, thinker):
    thinker.free = 1
    here, there = await start_node(), await start_node()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.open(maker="random", breaker="thinker", secret=SECRET)).match
    await eve.follow(match)
    await eve.until(Happened, lambda told: isinstance(told.events[0], Guessed))
    await here.stop()
    thinker.may.set()
    there.clock.skip(HOUR)
    await watch_to_the_end(eve, match)


async def test_two_nodes_that_play_one_bot_make_its_move_once(start_node, thinker):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "4132")
    await thinker.asked()
    other = await there.meet(token=ada.token)  # the line with the first node was cut
    await other.follow(match)
    await thinker.asked()  # both think about the same move
    thinker.may.set()
    await watch_to_the_end(ada, match)
    await watch_to_the_end(other, match)
    assert ada.matches == other.matches


class Doubtful(Store):
    """A store that loses its connection during a commit if `loses` is set."""

    loses = False

    async def append(self, *rows: LogRow, **more: Any) -> None:
        await super().append(*rows, **more)
        if self.loses:
            self.loses = False
            raise StorageFailed(Reason.NOT_SAVED, retry_after=1.0)


async def test_a_bots_move_that_may_have_been_saved_is_made_once(idle_hall, thinker):
    await idle_hall.start(store=Doubtful)
    idle_hall.clock.run_all_timers()  # it tries again at once
    ada = await idle_hall.meet("Ada")
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "4132")
    await thinker.asked()
    assert isinstance(idle_hall.store, Doubtful)
    idle_hall.store.loses = True
    thinker.may.set()
    await watch_to_the_end(ada, match)
    played = ada.matches[match].played[0]
    assert len(played.turns) == await count_guesses(idle_hall, match)
    assert not idle_hall.store.loses
