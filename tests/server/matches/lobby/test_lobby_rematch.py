from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

from kit.client import PATIENCE, RawClient
from kit.matches import SeededRandom, state_of
from kit.store import WatchedStore
from mastermind_protocol.code import Code
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import (
    RoundEnded,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Challenged, ChallengeEnded, Happened, Presence
from mastermind_protocol.requests import Decline, Join
from mastermind_server.storage.statements.lobby import update_presence
from mastermind_server.timekeeping.flags import POLL_SECONDS

RATED: dict[str, Any] = {
    "rules": "mini", "maker": "me", "breaker": "open", "rounds": 2, "rated": True, "clock": "5+3",
}  # fmt: skip


async def finish_round(breaker: RawClient, match: str) -> Code:
    """Give the round up and return its secret."""
    events = (await breaker.resign(match)).events
    (ended,) = [event for event in events if isinstance(event, RoundEnded)]
    assert ended.code is not None
    return ended.code


async def play_rated(ada: RawClient, bob: RawClient) -> str:
    """Play a rated match of two rounds. Return its code."""
    match = (await ada.open(**RATED)).match
    await bob.join(match)
    for maker, breaker in ((ada, bob), (bob, ada)):
        await maker.wait_for_turn(match)
        await maker.set(match, "1234")
        await breaker.wait_for_turn(match)
        await finish_round(breaker, match)
    return match


async def test_concurrent_offers_of_a_rematch_lead_to_one_match(hall, ada, bob, match):
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
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


async def test_a_rematch_offered_to_a_player_who_is_away_waits_for_its_return(
    hall, ada, bob, match
):
    await ada.set(match, "1234")
    await finish_round(bob, match)
    await bob.close()
    offered = (await ada.rematch(match)).match
    bob = await hall.connect_again(bob)
    told = await bob.until(Challenged)
    assert (told.match, told.previous, told.by, told.seat) == (offered, match, ada.player, "maker")
    assert told.seconds > 29 * 24 * 3600
    (own,) = (await bob.list_own()).matches
    assert (own.match, own.opponent, own.turn, own.seat) == (offered, "Ada", True, "maker")
    assert state_of(await bob.join(offered)).phase is Phase.SETTING
    assert (await bob.until(ChallengeEnded)).how == "accepted"


async def test_an_offered_rematch_leaves_the_memory_after_its_player(hall, ada, bob, match):
    await ada.set(match, "1234")
    await finish_round(bob, match)
    offered = (await ada.rematch(match)).match
    await bob.close()
    bob = await hall.connect_again(bob)
    await bob.until(Challenged)
    await ada.close()
    await bob.close()
    async with asyncio.timeout(PATIENCE):
        while hall.server.tables.get_used(offered):
            hall.clock.skip(POLL_SECONDS)
            await asyncio.sleep(0)


async def test_a_rematch_that_is_declined_leaves_the_lists_of_both_players(hall, ada, bob, match):
    await ada.set(match, "1234")
    await finish_round(bob, match)
    await ada.rematch(match)
    bob = await hall.connect_again(bob)
    await bob.ask(bob.new(Decline, match=(await bob.until(Challenged)).match))
    assert (await bob.list_own()).matches == (await ada.list_own()).matches == ()


async def test_a_rated_rematch_does_not_begin_while_the_player_who_offers_it_is_away(
    hall, ada, bob
):
    match = await play_rated(ada, bob)
    offered = (await ada.rematch(match)).match
    await bob.follow(offered)
    await ada.close()
    await bob.until(Presence, lambda told: told.match == offered and not told.here)
    refused = await bob.refused(Join, match=offered)
    assert (refused.code, refused.field) == (ErrorCode.NOT_ONLINE, "match")
    ada = await hall.connect_again(ada)
    await ada.follow(offered)
    assert state_of(await bob.join(offered)).phase is Phase.SETTING


class SlowPresence(WatchedStore):
    """A store that never finishes writing presence while `slow` is true."""

    slow = False

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if self.slow and statement is update_presence:
            await asyncio.Event().wait()


async def test_a_rated_rematch_begins_at_another_node_before_presence_there_is_stored(start_node):
    here, there = await start_node(store=SlowPresence), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    match = await play_rated(ada, bob)
    await bob.until(Happened, lambda _: bob.matches[match].phase is Phase.FINISHED)
    here.store.slow = True
    await ada.rematch(match)
    assert state_of(await bob.rematch(match)).phase is Phase.SETTING


async def test_a_rematch_has_the_clock_of_the_match(ada, bob):
    match = (await ada.open(clock="5+3", maker="me", breaker="open")).match
    await bob.join(match)
    await ada.set(match, "1234")
    await finish_round(bob, match)
    with_bot = (await ada.open(clock="60/move", maker="knuth", breaker="me")).match
    await finish_round(ada, with_bot)

    assert state_of(await ada.rematch(match)).opened.clock == "5+3"
    assert state_of(await ada.rematch(with_bot)).opened.clock == "60/move"


async def test_a_rematch_with_a_bot_begins_at_once_with_the_same_seats(ada):
    match = (await ada.open(maker="knuth", breaker="me", rules="mini")).match
    await finish_round(ada, match)
    for _ in range(2):
        log = await ada.rematch(match)
        match = log.match
        state = state_of(log)
        assert (state.maker and state.maker.bot, state.breaker) == ("knuth", ada.player)
        await finish_round(ada, match)


async def test_a_rematch_with_a_bot_begins_with_the_seats_of_the_first_round(ada):
    log = await ada.open(maker="me", breaker="knuth", rules="2x2", rounds=2)
    match = log.match
    await ada.set(match, "12")
    await ada.wait_for_turn(match)
    await finish_round(ada, match)
    state = state_of(await ada.rematch(match))
    assert (state.maker, state.phase) == (ada.player, Phase.SETTING)


async def test_a_seed_fixes_the_secrets_of_a_bot_in_rounds_and_rematches(ada):
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
