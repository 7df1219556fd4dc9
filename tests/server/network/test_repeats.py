"""The same request again: the same answer, and nothing is done twice."""

from __future__ import annotations

import sqlite3

import msgspec
import pytest

from kit.client import Wire
from kit.matches import pegs
from kit.server import Hall
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import AnyMessage, Error, Happened, Log, Said
from mastermind_protocol.requests import (
    Advise,
    Follow,
    Guess,
    Join,
    Leave,
    Open,
    Rematch,
    Request,
    Resign,
    Say,
    Secret,
    Seek,
)
from mastermind_server.limits import USUAL


async def repeat(hall: Hall, wire: Wire, request: Request, *, restart: bool) -> AnyMessage:
    """Send the request again by another connection, or to the next run of the server."""
    if restart:
        await hall.restart()
    return await (await hall.again(wire)).ask(request)


async def log_of(hall: Hall, match: str) -> int:
    return len(await hall.store.read_log(match))


restarts = pytest.mark.parametrize("restart", [False, True], ids=["same run", "restarted"])


@restarts
async def test_a_move_is_done_once(hall, ada, bob, match, restart):
    await ada.turn(match)
    secret = ada.new(Secret, match=match, code=pegs("1234"))
    assert isinstance(first := await ada.ask(secret), Happened)
    assert await repeat(hall, ada, secret, restart=restart) == first

    bob = await hall.again(bob)
    await bob.join(match)
    guess = bob.new(Guess, match=match, code=pegs("1111"))
    assert isinstance(first := await bob.ask(guess), Happened)
    await bob.guess(match, "2222")
    assert await repeat(hall, bob, guess, restart=restart) == first

    bob = await hall.again(bob)
    await bob.join(match)
    resign = bob.new(Resign, match=match)
    assert isinstance(first := await bob.ask(resign), Happened)
    assert await repeat(hall, bob, resign, restart=restart) == first

    leave = bob.new(Leave, match=match)
    bob = await hall.again(bob)
    assert isinstance(first := await bob.ask(leave), Happened)
    assert await repeat(hall, bob, leave, restart=restart) == first
    assert await log_of(hall, match) == 7


@restarts
@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (Open, {"maker": "me", "breaker": "open"}),
        (Open, {"maker": "knuth", "breaker": "me", "seed": 5}),
        (Open, {"maker": "me", "breaker": "open", "public": True, "rounds": 2}),
        (Seek, {}),
        (Seek, {"seat": "maker"}),
    ],
)
async def test_a_match_is_opened_once(hall, ada, kind, asked, restart):
    request = ada.new(kind, rules="mini", **asked)
    first = await ada.ask(request)
    assert isinstance(first, Log)
    again = await repeat(hall, ada, request, restart=restart)
    assert isinstance(again, Log)
    assert (again.match, again.rows[0]) == (first.match, first.rows[0])
    if asked.get("public") or kind is Seek:
        listing = await (await hall.again(ada)).list("waiting")
        assert [listed.match for listed in listing.matches] == [first.match]


@restarts
async def test_a_seat_is_taken_once(hall, ada, bob, restart):
    match = (await ada.open()).match
    join = bob.new(Join, match=match)
    first = await bob.ask(join)
    assert isinstance(first, Log)
    again = await repeat(hall, bob, join, restart=restart)
    assert isinstance(again, Log)
    assert again.rows == first.rows
    assert await log_of(hall, match) == 2


@restarts
async def test_who_found_a_match_finds_the_same_again_though_others_wait(
    hall, ada, bob, eve, restart
):
    await ada.seek()
    seek = bob.new(Seek, rules="classic")
    first = await bob.ask(seek)
    waiting = await eve.seek()
    assert isinstance(first, Log)
    if restart:
        await hall.restart()
        eve = await hall.again(eve)
        await eve.follow(waiting.match)
    again = await (await hall.again(bob)).ask(seek)
    assert isinstance(again, Log)
    assert again.match == first.match != waiting.match
    assert await log_of(hall, waiting.match) == 1


async def test_who_found_a_match_finds_the_same_again_though_a_lobby_was_opened_since(ada, bob):
    await ada.seek()
    seek = bob.new(Seek, rules="classic")
    first = await bob.ask(seek)
    await bob.open(public=True)
    assert await bob.ask(seek) == first


@restarts
async def test_a_rematch_is_offered_once(hall, ada, bob, match, restart):
    await ada.set(match, "1234")
    await bob.resign(match)
    offer = ada.new(Rematch, match=match)
    first = await ada.ask(offer)
    assert isinstance(first, Log)
    again = await repeat(hall, ada, offer, restart=restart)
    assert isinstance(again, Log)
    assert again.match == first.match
    bob = await hall.again(bob)
    take = bob.new(Rematch, match=match)
    taken = await bob.ask(take)
    assert isinstance(taken, Log)
    again = await repeat(hall, bob, take, restart=restart)
    assert isinstance(again, Log)
    assert again.rows == taken.rows
    assert (await log_of(hall, match), await log_of(hall, first.match)) == (5, 2)


async def test_a_refused_request_stays_refused_though_it_would_be_legal_now(hall, ada, bob, match):
    early = bob.new(Guess, match=match, code=pegs("1234"), v=3)
    first = await bob.ask(early)
    assert isinstance(first, Error)
    await ada.set(match, "1234")
    assert await bob.ask(early) == first
    assert await repeat(hall, bob, early, restart=False) == first
    assert await log_of(hall, match) == 3


async def test_an_id_is_its_players_own(ada, bob, match):
    await ada.turn(match)
    await ada.ask(ada.new(Secret, id=1000, match=match, code=pegs("1234")))
    await bob.turn(match)
    answer = await bob.ask(bob.new(Guess, id=1000, match=match, code=pegs("1111")))
    assert isinstance(answer, Happened)
    assert answer.v == 4


def assert_reused(answer: AnyMessage) -> None:
    assert isinstance(answer, Error)
    assert (answer.code, answer.field) == (ErrorCode.INVALID_MESSAGE, "id")


@restarts
async def test_an_id_is_bound_to_the_request_that_it_was_first(hall, ada, bob, match, restart):
    await ada.set(match, "1234")
    await bob.turn(match)
    guess = bob.new(Guess, match=match, code=pegs("1111"))
    first = await bob.ask(guess)
    if restart:
        await hall.restart()
        ada, bob = await hall.again(ada), await hall.again(bob)
        await ada.follow(match)
        await bob.follow(match)

    theirs = (await ada.open()).match
    others: list[Request] = [
        msgspec.structs.replace(guess, code=pegs("2222")),
        msgspec.structs.replace(guess, v=4),
        Resign(id=guess.id, match=match, v=4),
        Leave(id=guess.id, match=match),
        Advise(id=guess.id, match=match, v=4),
        Say(id=guess.id, match=match, phrase=1),
        Join(id=guess.id, match=theirs),
        Open(id=guess.id, rules="mini", maker="me", breaker="open"),
        Seek(id=guess.id, rules="mini"),
    ]
    for other in others:
        assert_reused(await bob.ask(other))
    assert await bob.ask(guess) == first
    assert await log_of(hall, match) == 4
    assert await log_of(hall, theirs) == 1
    await ada.leave(match)
    await bob.until(Happened, lambda told: told.v == 5)  # he follows the match as before


async def test_an_id_that_was_another_matchs_request_offers_no_rematch(hall, ada, bob, match):
    used = ada.new(Open, rules="mini", maker="me", breaker="open")
    assert isinstance(await ada.ask(used), Log)
    await ada.set(match, "1234")
    await bob.resign(match)
    await hall.restart()
    assert_reused(await (await hall.again(ada)).ask(Rematch(id=used.id, match=match)))
    assert await log_of(hall, match) == 4


@restarts
async def test_the_id_of_what_was_said_is_bound_to_it(hall, ada, bob, match, restart):
    await ada.set(match, "1234")
    say = bob.new(Say, match=match, text="Hello")
    first = await bob.ask(say)
    assert isinstance(first, Said)
    if restart:
        await hall.restart()
        bob = await hall.again(bob)
        await bob.follow(match)
    assert_reused(await bob.ask(Guess(id=say.id, match=match, v=3, code=pegs("1111"))))
    assert_reused(await bob.ask(Open(id=say.id, rules="mini", maker="me", breaker="open")))
    assert_reused(await bob.ask(msgspec.structs.replace(say, text="Good-bye")))
    assert await bob.ask(say) == first
    assert await log_of(hall, match) == 3


async def test_the_id_of_what_changes_nothing_is_bound_while_the_server_remembers_it(
    hall, bob, match
):
    follow = bob.new(Follow, match=match)
    first = await bob.ask(follow)
    assert_reused(await bob.ask(msgspec.structs.replace(follow, v=1)))
    assert_reused(await bob.ask(Leave(id=follow.id, match=match)))
    assert await (await hall.again(bob)).ask(follow) == first
    assert await log_of(hall, match) == 2


async def test_a_refusal_is_not_forgotten_for_another_request_under_its_id(ada, bob, match):
    early = bob.new(Guess, match=match, code=pegs("1234"), v=3)
    first = await bob.ask(early)
    assert isinstance(first, Error)
    assert_reused(await bob.ask(Leave(id=early.id, match=match)))
    await ada.set(match, "1234")
    assert await bob.ask(early) == first


async def test_what_came_too_soon_is_done_under_its_id_later_and_nothing_else_is(hall, ada):
    match = (await ada.open()).match
    for _ in range(USUAL.chat.burst):
        await ada.say(match, "Hello")
    soon = ada.new(Say, match=match, text="Good-bye")
    refusal = await ada.ask(soon)
    assert isinstance(refusal, Error)
    assert refusal.code == ErrorCode.RATE_LIMITED
    assert_reused(await ada.ask(Leave(id=soon.id, match=match)))
    hall.clock.seconds += 1 / USUAL.chat.per_second
    assert isinstance(await ada.ask(soon), Said)


async def test_a_request_that_an_older_version_has_kept_is_taken_for_the_same(
    hall, ada, bob, match
):
    await ada.turn(match)
    secret = ada.new(Secret, match=match, code=pegs("1234"))
    first = await ada.ask(secret)
    say = ada.new(Say, match=match, phrase=1)
    said = await ada.ask(say)
    opening = ada.new(Open, rules="mini", maker="me", breaker="open")
    opened = await ada.ask(opening)
    await hall.stop()
    with sqlite3.connect(hall.database) as older:
        older.execute("UPDATE log SET digest = NULL")
        older.execute("UPDATE chat SET digest = NULL")
    older.close()
    await hall.start()

    assert await repeat(hall, ada, secret, restart=False) == first
    assert await repeat(hall, ada, say, restart=False) == said
    assert await repeat(hall, ada, opening, restart=False) == opened
    ada = await hall.again(ada)
    await ada.follow(match)
    assert_reused(await ada.ask(Say(id=secret.id, match=match, phrase=1)))
    theirs = (await (await hall.again(bob)).open()).match
    assert_reused(await ada.ask(Join(id=opening.id, match=theirs)))
