"""Programs as players, and bots by their names."""

from __future__ import annotations

import pytest

from kit.matches import events_of, pegs, state_of
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Forfeit, Left
from mastermind_protocol.requests import Guess, Open, Rematch

RATED = {"maker": "me", "breaker": "open", "rated": True, "rounds": 2, "clock": "5+3"}


@pytest.fixture
async def robot(hall):
    return await hall.meet("Robot", program=True)


async def test_a_player_who_becomes_a_program_may_only_leave_a_rated_match(hall, ada, bob):
    match = (await ada.open(**RATED)).match
    await bob.join(match)
    await ada.set(match, "1234")
    robot = await hall.connect(bob.ids)
    await robot.hello(token=bob.token, program=True)
    for wire in (robot, bob, await hall.connect_again(bob)):
        refusal = await wire.refused(Guess, match=match, v=3, code=pegs("1234"))
        assert (refusal.code, refusal.field) == (ErrorCode.RATED, "match")
    assert (await bob.leave(match)).v == 4


async def test_a_player_who_becomes_a_program_offers_no_rated_rematch(hall, ada, bob):
    match = (await ada.open(**RATED)).match
    await bob.join(match)
    await ada.set(match, "1234")
    await bob.resign(match)
    await bob.set(match, "1234")
    await ada.resign(match)
    robot = await hall.connect(bob.ids)
    await robot.hello(token=bob.token, program=True)
    refusal = await robot.refused(Rematch, match=match)
    assert (refusal.code, refusal.field) == (ErrorCode.RATED, "match")


async def test_a_program_may_give_a_reason_for_leaving(robot, ada):
    match = (await robot.open(maker="open", breaker="me")).match
    await ada.join(match)
    await robot.leave(match, why=Forfeit.SLOW)
    assert Left(player=robot.id, why=Forfeit.SLOW) in events_of(await ada.follow(match))


@pytest.mark.parametrize(("alias", "name"), [("easy", "forgetful"), ("hard", "optimal")])
async def test_a_bot_under_an_alias_shows_what_it_is(ada, alias, name):
    log = await ada.open(maker="me", breaker=alias)
    bot = state_of(log).breaker
    assert bot is not None
    assert (bot.name, bot.bot, bot.program) == (alias, name, False)


async def test_the_refusal_of_an_unknown_bot_names_all_bots(ada):
    refusal = await ada.refused(Open, rules="classic", maker="me", breaker="hal")
    assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_BOT, "breaker")
    for name in ("forgetful", "random", "knuth", "optimal", "devious", "easy", "medium", "hard"):
        assert name in refusal.message
