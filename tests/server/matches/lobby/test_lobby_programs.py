"""Programs as players, and rated matches, which refuse programs."""

from __future__ import annotations

import pytest

from kit.client import RawClient
from kit.matches import events_of, pegs, state_of
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Forfeit, Left, Seat
from mastermind_protocol.messages import Listed
from mastermind_protocol.requests import Guess, Join, Leave, Open, Rematch


@pytest.fixture
async def robot(hall):
    return await hall.meet("Robot", program=True)


async def waiting(wire: RawClient) -> dict[str, Listed]:
    return {listed.match: listed for listed in (await wire.list("waiting")).matches}


async def test_who_was_ever_a_program_is_one_on_every_connection(hall, robot, ada):
    again = await hall.connect(robot.ids)
    assert (await again.hello(token=robot.token)).player == robot.player
    assert robot.player.program

    waiting = (await ada.seek()).match
    assert (await again.seek()).match != waiting
    refusal = await again.refused(Open, rules="mini", maker="me", breaker="open", rated=True)
    assert (refusal.code, refusal.field) == (ErrorCode.RATED, "rated")


async def test_lists_show_in_which_seats_there_are_no_people(robot, ada):
    theirs = (await robot.open(maker="open", breaker="me", public=True)).match
    mine = (await ada.open(maker="me", breaker="open", public=True)).match
    both = (await ada.open(maker="random", breaker="knuth", public=True)).match
    listed = await waiting(ada)
    assert (listed[theirs].bots, listed[theirs].breaker) == ((Seat.BREAKER,), "Robot")
    assert listed[mine].bots == ()
    running = (await ada.list("running")).matches
    assert [row.bots for row in running if row.match == both] in ([], [tuple(Seat)])


async def test_who_becomes_a_program_plays_on_in_no_rated_match_but_may_leave_it(hall, ada, bob):
    match = (await ada.open(maker="me", breaker="open", rated=True)).match
    await bob.join(match)
    await ada.set(match, "1234")
    robot = await hall.connect(bob.ids)
    await robot.hello(token=bob.token, program=True)
    for wire in (robot, bob, await hall.again(bob)):
        refusal = await wire.refused(Guess, match=match, v=3, code=pegs("1234"))
        assert (refusal.code, refusal.field) == (ErrorCode.RATED, "match")
    assert (await bob.leave(match)).v == 4


async def test_who_becomes_a_program_offers_no_rated_rematch(hall, ada, bob):
    match = (await ada.open(maker="me", breaker="open", rated=True)).match
    await bob.join(match)
    await ada.set(match, "1234")
    await bob.resign(match)
    robot = await hall.connect(bob.ids)
    await robot.hello(token=bob.token, program=True)
    refusal = await robot.refused(Rematch, match=match)
    assert (refusal.code, refusal.field) == (ErrorCode.RATED, "match")


async def test_a_person_has_no_reason_to_give_for_leaving(bob, match):
    refusal = await bob.refused(Leave, match=match, why=Forfeit.SLOW)
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_MESSAGE, "why")
    assert (await bob.leave(match)).events[0] == Left(player=bob.id)


async def test_a_program_says_why_it_has_to_leave(robot, ada):
    match = (await robot.open(maker="open", breaker="me")).match
    await ada.join(match)
    await robot.leave(match, why=Forfeit.SLOW)
    assert Left(player=robot.id, why=Forfeit.SLOW) in events_of(await ada.follow(match))


# Rated matches.


async def test_a_program_joins_no_rated_match(robot, ada):
    match = (await ada.open(maker="me", breaker="open", rated=True)).match
    refusal = await robot.refused(Join, match=match)
    assert (refusal.code, refusal.field) == (ErrorCode.RATED, "match")
    assert ada.versions[match] == 1


@pytest.mark.parametrize(
    "seats", [{"maker": "me", "breaker": "knuth"}, {"maker": "random", "breaker": "knuth"}]
)
async def test_a_match_with_a_bot_is_not_rated(ada, seats):
    refusal = await ada.refused(Open, rules="classic", rated=True, **seats)
    assert (refusal.code, refusal.field) == (ErrorCode.RATED, "rated")


# Bots by their other names.


@pytest.mark.parametrize(("alias", "name"), [("easy", "forgetful"), ("hard", "optimal")])
async def test_a_bot_under_an_alias_shows_what_it_is(ada, alias, name):
    log = await ada.open(maker="me", breaker=alias)
    bot = state_of(log).breaker
    assert bot is not None
    assert (bot.name, bot.bot, bot.program) == (alias, name, False)


async def test_a_bot_that_is_not_there_is_refused_and_those_that_are_are_named(ada):
    refusal = await ada.refused(Open, rules="classic", maker="me", breaker="hal")
    assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_BOT, "breaker")
    for name in ("forgetful", "random", "knuth", "optimal", "devious", "easy", "medium", "hard"):
        assert name in refusal.message
