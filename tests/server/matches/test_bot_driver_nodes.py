"""Bots that several nodes might play for: each move is made once, and none is left undone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from random import Random

import pytest

from kit.client import RawClient
from kit.server import GameServer
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Guessed
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened
from mastermind_server import bots
from mastermind_server.bots.consistent import Consistent
from mastermind_server.matches import bot_driver
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.records import Projection
from mastermind_server.storage.store import LogRow, Store

HOUR = 3600.0


class Thinker(Consistent):
    """A bot that signals each call and answers when `may` is set."""

    name = "thinker"

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.may = threading.Event()
        self.count = 0

    def choose(self, view: BreakerView, random: Random) -> Code:
        self.count += 1
        self.asked.release()
        assert self.may.wait(10)
        return super().choose(view, random)


@pytest.fixture
def thinker(monkeypatch):
    """A registered bot; no node takes over its turn within an hour."""
    thinker = Thinker()
    monkeypatch.setattr(bots, "BOTS", {**bots.BOTS, thinker.name: thinker})
    monkeypatch.setattr(bot_driver, "BOT_OVERDUE_SECONDS", HOUR)
    return thinker


async def asked(thinker: Thinker) -> None:
    """Wait for the next call of the bot."""
    assert await asyncio.to_thread(thinker.asked.acquire, timeout=10)


async def watch_to_the_end(wire: RawClient, match: str) -> None:
    """Read on until a match is over."""
    while wire.matches[match].phase is not Phase.FINISHED:
        await wire.until(Happened)


async def count_guesses(hall: GameServer, match: str) -> int:
    """Return the number of guesses in the log."""
    rows = await hall.store.read_log(match)
    return sum(isinstance(event, Guessed) for row in rows for event in decode_events(row.events))


async def test_two_bots_are_played_by_one_of_the_nodes_that_look_on(start_node, thinker):
    here, there = await start_node(), await start_node()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.open(maker="random", breaker="thinker")).match
    await eve.follow(match)
    thinker.may.set()
    await watch_to_the_end(eve, match)
    assert thinker.count == await count_guesses(here, match)


async def test_a_bot_whose_node_ends_while_it_thinks_is_played_by_another_in_the_end(
    start_node, thinker
):
    here, there = await start_node(), await start_node()
    here.clock.skip(10 * HOUR)  # its clock is ahead: that delays no node
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.open(maker="random", breaker="thinker")).match
    await eve.follow(match)
    while eve.matches[match].phase is not Phase.BREAKING:
        await eve.until(Happened)
    await asked(thinker)
    await here.stop()
    timer = await there.clock.until(lambda timer: HOUR / 2 < timer.seconds <= HOUR)
    thinker.may.set()
    assert thinker.count == 1
    there.clock.skip(timer.seconds)
    await watch_to_the_end(eve, match)


async def test_who_comes_to_another_node_is_answered_at_once_and_by_one_of_them(
    start_node, thinker
):
    here, there = await start_node(), await start_node()
    ada = await here.meet("Ada")
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "4132")
    await asked(thinker)
    other = await there.meet(token=ada.token)  # the line with the first node was cut
    await other.follow(match)
    await asked(thinker)  # both think about the same move
    thinker.may.set()
    await watch_to_the_end(ada, match)
    await watch_to_the_end(other, match)
    assert ada.matches == other.matches


class Doubtful(Store):
    """A store that loses its connection during a commit if `loses` is set."""

    loses = False

    async def append(self, *rows: LogRow, projections: Sequence[Projection] = ()) -> None:
        await super().append(*rows, projections=projections)
        if self.loses:
            self.loses = False
            raise StorageFailed(Reason.NOT_SAVED, retry_after=1.0)


async def test_a_bots_move_that_may_have_been_saved_is_made_once(idle_hall, thinker):
    await idle_hall.start(store=Doubtful)
    idle_hall.clock.let_go()  # it tries again at once
    ada = await idle_hall.meet("Ada")
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "4132")
    await asked(thinker)
    assert isinstance(idle_hall.store, Doubtful)
    idle_hall.store.loses = True
    thinker.may.set()
    await watch_to_the_end(ada, match)
    played = ada.matches[match].played[0]
    assert len(played.turns) == await count_guesses(idle_hall, match)
    assert not idle_hall.store.loses
