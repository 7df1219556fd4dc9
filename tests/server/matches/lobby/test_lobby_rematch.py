from __future__ import annotations

import asyncio
import sqlite3

from kit.client import RawClient
from kit.matches import SeededRandom, state_of
from mastermind_protocol.code import Code
from mastermind_protocol.events import (
    RoundEnded,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened

LAB_SEED = 42


async def play(maker: RawClient, breaker: RawClient, match: str) -> None:
    """Play one round, which is broken at the first guess."""
    await maker.set(match, "1234")
    await breaker.guess(match, "1234")


async def finish_round(breaker: RawClient, match: str) -> Code:
    """Give the round up and return its secret."""
    events = (await breaker.resign(match)).events
    (ended,) = [event for event in events if isinstance(event, RoundEnded)]
    return ended.code


async def test_two_who_offer_at_the_same_moment_meet(hall, ada, bob, match):
    await play(ada, bob, match)
    await ada.until(Happened, lambda event: event.v == 4)
    pause = sqlite3.connect(hall.database, isolation_level=None)
    pause.execute("BEGIN IMMEDIATE")  # blocks every write
    offers = [asyncio.create_task(player.rematch(match)) for player in (ada, bob)]
    await ada.settle()
    await bob.settle()
    pause.execute("ROLLBACK")
    pause.close()

    first, second = await asyncio.gather(*offers)

    assert first.match == second.match
    state = state_of(await ada.follow(first.match))
    assert {player.id for player in state.players} == {ada.id, bob.id}


async def test_a_bot_accepts_at_once_and_the_seats_stay(ada):
    match = (await ada.open(maker="knuth", breaker="me", rules="mini")).match
    await finish_round(ada, match)
    for _ in range(2):
        log = await ada.rematch(match)
        match = log.match
        state = state_of(log)
        assert (state.maker and state.maker.bot, state.breaker) == ("knuth", ada.player)
        await finish_round(ada, match)


async def test_the_seats_of_several_rounds_against_a_bot_are_those_of_the_first(ada):
    log = await ada.open(maker="me", breaker="knuth", rules="2x2", rounds=2)
    match = log.match
    await ada.set(match, "12")
    await ada.turn(match)
    await finish_round(ada, match)
    state = state_of(await ada.rematch(match))
    assert (state.maker, state.phase) == (ada.player, Phase.SETTING)


async def test_a_seed_fixes_the_secrets_of_a_bot_through_every_rematch(ada):
    log = await ada.open(maker="random", breaker="me", rules="lab", seed=LAB_SEED)
    drawn = [await finish_round(ada, log.match)]
    for _ in range(3):
        log = await ada.rematch(log.match)
        drawn.append(await finish_round(ada, log.match))
    random = SeededRandom(LAB_SEED)
    assert drawn == [tuple(random.randint(0, 5) for _ in range(4)) for _ in range(4)]


async def test_a_seed_goes_on_through_rounds_too(ada):
    log = await ada.open(maker="random", breaker="me", rules="2x3", seed=7, rounds=3)
    drawn = []
    for _ in range(2):
        match = log.match
        drawn.append(await finish_round(ada, match))
        await ada.set(match, "12")  # the second round is the bot's to break
        drawn.append(await finish_round(ada, match))
        log = await ada.rematch(match)
    random = SeededRandom(7)
    assert drawn == [tuple(random.randint(0, 2) for _ in range(2)) for _ in range(4)]
