"""The same request again: the same answer, and nothing is done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import (
    Error,
    Guess,
    Happened,
    Join,
    Leave,
    Log,
    Open,
    Rematch,
    Resign,
    Secret,
    Seek,
)
from wire import pegs

if TYPE_CHECKING:
    from mastermind_protocol.messages import AnyMessage, Request
    from wire import Hall, Wire


async def repeat(hall: Hall, wire: Wire, request: Request, *, restart: bool) -> AnyMessage:
    """Send the request again by another connection, or to the next run of the server."""
    if restart:
        await hall.restart()
    return await (await hall.again(wire)).ask(request)


async def log_of(hall: Hall, match: str) -> int:
    return len(await hall.store.read_log(match))


restarts = pytest.mark.parametrize("restart", [False, True], ids=["same run", "restarted"])


@restarts
async def test_a_move_is_done_once(
    hall: Hall, ada: Wire, bob: Wire, match: str, restart: bool
) -> None:
    await ada.turn(match)
    secret = ada.new(Secret, match=match, code=pegs("0123"))
    assert isinstance(first := await ada.ask(secret), Happened)
    assert await repeat(hall, ada, secret, restart=restart) == first

    bob = await hall.again(bob)
    await bob.join(match)
    guess = bob.new(Guess, match=match, code=pegs("0000"))
    assert isinstance(first := await bob.ask(guess), Happened)
    await bob.guess(match, "1111")
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
async def test_a_match_is_opened_once(
    hall: Hall, ada: Wire, kind: type[Request], asked: dict[str, Any], restart: bool
) -> None:
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
async def test_a_seat_is_taken_once(hall: Hall, ada: Wire, bob: Wire, restart: bool) -> None:
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
    hall: Hall, ada: Wire, bob: Wire, eve: Wire, restart: bool
) -> None:
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


async def test_who_found_a_match_finds_the_same_again_though_a_lobby_was_opened_since(
    ada: Wire, bob: Wire
) -> None:
    await ada.seek()
    seek = bob.new(Seek, rules="classic")
    first = await bob.ask(seek)
    await bob.open(public=True)
    assert await bob.ask(seek) == first


@restarts
async def test_a_rematch_is_offered_once(
    hall: Hall, ada: Wire, bob: Wire, match: str, restart: bool
) -> None:
    await ada.set(match, "0123")
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


async def test_a_refused_request_stays_refused_though_it_would_be_legal_now(
    hall: Hall, ada: Wire, bob: Wire, match: str
) -> None:
    early = bob.new(Guess, match=match, code=pegs("0123"), v=3)
    first = await bob.ask(early)
    assert isinstance(first, Error)
    await ada.set(match, "0123")
    assert await bob.ask(early) == first
    assert await repeat(hall, bob, early, restart=False) == first
    assert await log_of(hall, match) == 3


async def test_an_id_is_its_players_own(ada: Wire, bob: Wire, match: str) -> None:
    await ada.turn(match)
    await ada.ask(ada.new(Secret, id=1000, match=match, code=pegs("0123")))
    await bob.turn(match)
    answer = await bob.ask(bob.new(Guess, id=1000, match=match, code=pegs("0000")))
    assert isinstance(answer, Happened)
    assert answer.v == 4


@pytest.mark.parametrize("kind", [Secret, Leave, Join])
async def test_an_id_that_was_another_matchs_request_is_refused(
    hall: Hall, ada: Wire, bob: Wire, kind: type[Request]
) -> None:
    theirs = (await bob.open()).match
    used = ada.new(Open, rules="mini", maker="me", breaker="open")
    assert isinstance(await ada.ask(used), Log)
    fields: dict[str, Any] = {"match": theirs, "id": used.id}
    if kind is not Join:
        await ada.join(theirs)
    if kind is Secret:
        theirs = (await ada.open(maker="me", breaker="knuth")).match
        fields = {"match": theirs, "id": used.id, "v": 1, "code": pegs("0123")}
    before = await log_of(hall, theirs)
    refusal = await ada.refused(kind, **fields)
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_MESSAGE, "id")
    assert await log_of(hall, theirs) == before


async def test_an_id_that_was_another_matchs_request_offers_no_rematch(
    hall: Hall, ada: Wire, bob: Wire, match: str
) -> None:
    used = ada.new(Open, rules="mini", maker="me", breaker="open")
    assert isinstance(await ada.ask(used), Log)
    await ada.set(match, "0123")
    await bob.resign(match)
    refusal = await ada.refused(Rematch, match=match, id=used.id)
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_MESSAGE, "id")
    assert await log_of(hall, match) == 4
