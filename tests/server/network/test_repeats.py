"""A request that is sent again is answered alike, and done once: on any connection, run and node.

Each kind of request has a row; a kind without a row fails.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, get_args

import msgspec
import pytest

from kit.client import RawClient
from kit.matches import pegs
from kit.server import GameServer
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import (
    AnyMessage,
    Error,
    Happened,
    Log,
    Said,
    Transferable,
    Welcome,
)
from mastermind_protocol.requests import (
    Advise,
    AnyRequest,
    Archive,
    Follow,
    Guess,
    Hello,
    Join,
    Leave,
    ListBots,
    ListMatches,
    ListOwn,
    Logout,
    Open,
    Ping,
    Rematch,
    Request,
    Resign,
    Review,
    Say,
    Secret,
    Seek,
    Transfer,
    Unfollow,
)
from mastermind_server.limits import USUAL
from mastermind_server.upkeep.status import read_status

OPEN: dict[str, Any] = {"rules": "mini", "maker": "me", "breaker": "open"}


class Game:
    """Ada, codemaker, and Bob, codebreaker, at a match that waits for the secret, and Eve."""

    def __init__(
        self, hall: GameServer, ada: RawClient, bob: RawClient, eve: RawClient, match: str
    ) -> None:
        self.hall, self.ada, self.bob, self.eve, self.match = hall, ada, bob, eve, match
        self.other = ""  # another match

    @classmethod
    async def begin(cls, hall: GameServer) -> "Game":
        ada, bob, eve = [await hall.meet(name) for name in ("Ada", "Bob", "Eve")]
        match = (await ada.open()).match
        await bob.join(match)
        await ada.turn(match)
        return cls(hall, ada, bob, eve, match)

    async def here(self) -> GameServer:
        return self.hall

    async def set(self) -> None:
        await self.ada.set(self.match, "1234")
        await self.bob.turn(self.match)

    async def end(self) -> None:
        await self.set()
        await self.bob.resign(self.match)

    async def count_kept(self) -> tuple[object, ...]:
        """Return the numbers of matches, players, rows and lines of chat that are kept."""
        found = read_status(self.hall.place).contents
        assert found is not None
        lines = len(await self.hall.store.read_chat(self.match))
        return sum(found.matches.values()), found.players, found.moves_last_hour, lines


class Row(NamedTuple):
    """A kind of request: how to make one, and what to do before it is sent again.

    `changes` is whether its id is its own for ever. `alike` compares two answers.
    """

    make: Callable[[Game], Awaitable[tuple[RawClient, Request]]]
    then: Callable[[Game], Awaitable[object]] | None = None
    changes: bool = False
    alike: Callable[[Any, Any], bool] = lambda first, again: first == again


def have_same_match(first: Log, again: Log) -> bool:
    """Return whether both are the log of a match, as it was and as it is now."""
    return again.match == first.match and again.rows[: len(first.rows)] == first.rows


def have_same_player(first: Welcome, again: Welcome) -> bool:
    return first.player == again.player


def have_codes(first: Transferable, again: Transferable) -> bool:
    return first.seconds == again.seconds and first.code != again.code


async def secret(game: Game) -> tuple[RawClient, Request]:
    return game.ada, game.ada.new(Secret, match=game.match, code=pegs("1234"))


async def guess(game: Game) -> tuple[RawClient, Request]:
    await game.set()
    return game.bob, game.bob.new(Guess, match=game.match, code=pegs("1111"))


async def resign(game: Game) -> tuple[RawClient, Request]:
    await game.set()
    return game.bob, game.bob.new(Resign, match=game.match)


async def leave(game: Game) -> tuple[RawClient, Request]:
    return game.bob, game.bob.new(Leave, match=game.match)


async def advise(game: Game) -> tuple[RawClient, Request]:
    await game.set()
    return game.bob, game.bob.new(Advise, match=game.match)


async def say(game: Game) -> tuple[RawClient, Request]:
    return game.bob, game.bob.new(Say, match=game.match, text="Hello")


async def open_match(game: Game) -> tuple[RawClient, Request]:
    return game.eve, game.eve.new(Open, public=True, **OPEN)


async def seek(game: Game) -> tuple[RawClient, Request]:
    await game.ada.seek("mini")  # which Eve finds
    return game.eve, game.eve.new(Seek, rules="mini")


async def join(game: Game) -> tuple[RawClient, Request]:
    game.other = (await game.ada.open()).match
    return game.eve, game.eve.new(Join, match=game.other)


async def rematch(game: Game) -> tuple[RawClient, Request]:
    await game.end()
    return game.ada, game.ada.new(Rematch, match=game.match)


async def review(game: Game) -> tuple[RawClient, Request]:
    await game.end()
    return game.eve, game.eve.new(Review, match=game.match)


def plain(
    kind: type[Request], **fields: object
) -> Callable[[Game], Awaitable[tuple[RawClient, Request]]]:
    """Return a function that makes a request of Eve, about the match where the kind has one."""

    async def make(game: Game) -> tuple[RawClient, Request]:
        if "match" in kind.__struct_fields__:
            fields["match"] = game.match
        if kind is Hello:
            fields["token"] = game.eve.token
        return game.eve, game.eve.new(kind, **fields)

    return make


ROWS: dict[type[Request], Row] = {
    Secret: Row(secret, lambda game: game.bob.guess(game.match, "1111"), changes=True),
    Guess: Row(guess, lambda game: game.bob.guess(game.match, "2222"), changes=True),
    Resign: Row(resign, lambda game: game.ada.rematch(game.match), changes=True),
    Leave: Row(leave, changes=True),
    Advise: Row(advise, lambda game: game.bob.guess(game.match, "2222"), changes=True),
    Say: Row(say, lambda game: game.ada.say(game.match, "Good day"), changes=True),
    Open: Row(open_match, lambda game: game.bob.open(), True, have_same_match),
    Seek: Row(seek, lambda game: game.bob.seek("mini"), True, have_same_match),
    Join: Row(join, lambda game: game.ada.leave(game.other), True, have_same_match),
    Rematch: Row(rematch, lambda game: game.bob.rematch(game.match), True, have_same_match),
    Follow: Row(plain(Follow), alike=have_same_match),
    Unfollow: Row(plain(Unfollow)),
    Review: Row(review),
    ListMatches: Row(plain(ListMatches, what="waiting")),
    ListBots: Row(plain(ListBots)),
    ListOwn: Row(plain(ListOwn)),
    Archive: Row(plain(Archive)),
    Logout: Row(plain(Logout, others=True)),
    Ping: Row(plain(Ping)),
    Transfer: Row(plain(Transfer), alike=have_codes),
    Hello: Row(plain(Hello), alike=have_same_player),
}


async def send_again(
    game: Game, kind: type[Request], place: Callable[[], Awaitable[GameServer]]
) -> None:
    """Ask once, and again on the same connection, on another one, and on one at a place."""
    row = ROWS[kind]
    wire, request = await row.make(game)
    sender = await game.hall.connect(wire.ids) if kind is Hello else wire
    first = await sender.ask(request)
    assert not isinstance(first, Error), first
    if row.then:
        await row.then(game)
    before = await game.count_kept()
    other = Seek(id=request.id, rules="2x2") if kind is Open else Open(id=request.id, **OPEN)
    if kind is not Hello:
        again = await wire.ask(request)
        assert row.alike(first, again), (first, again)
        assert_reused(await wire.ask(other))
    for find, is_bound in ((game.here, True), (place, row.changes)):
        hall = await find()
        wire = await (hall.connect(wire.ids) if kind is Hello else hall.again(wire))
        again = await wire.ask(request)
        assert row.alike(first, again), (first, again)
        if is_bound and kind is not Hello:
            assert_reused(await wire.ask(other))
        assert await game.count_kept() == before


def assert_reused(answer: AnyMessage) -> None:
    assert isinstance(answer, Error)
    assert (answer.code, answer.field) == (ErrorCode.INVALID_MESSAGE, "id")


@pytest.mark.parametrize("kind", get_args(AnyRequest))
async def test_a_request_sent_again_is_answered_alike_and_done_once(hall, kind):
    assert kind in ROWS, "this kind of request has no row"

    async def after_a_restart():
        await hall.restart()
        return hall

    await send_again(await Game.begin(hall), kind, after_a_restart)


async def test_a_request_sent_again_to_another_node_is_answered_alike_and_done_once(start_node):
    here, there = await start_node(), await start_node()

    async def at_another_node():
        return there

    for kind in get_args(AnyRequest):
        await send_again(await Game.begin(here), kind, at_another_node)


# Ids.


async def test_a_refused_request_stays_refused_though_it_would_be_legal_now(hall, ada, bob, match):
    early = bob.new(Guess, match=match, code=pegs("1234"), v=3)
    first = await bob.ask(early)
    assert isinstance(first, Error)
    assert_reused(await bob.ask(Leave(id=early.id, match=match)))
    await ada.set(match, "1234")
    assert await bob.ask(early) == first
    assert await (await hall.again(bob)).ask(early) == first
    assert len(await hall.store.read_log(match)) == 3


async def test_an_id_is_its_players_own(ada, bob, match):
    await ada.turn(match)
    await ada.ask(ada.new(Secret, id=1000, match=match, code=pegs("1234")))
    await bob.turn(match)
    answer = await bob.ask(bob.new(Guess, id=1000, match=match, code=pegs("1111")))
    assert isinstance(answer, Happened)
    assert answer.v == 4


@pytest.mark.parametrize("restart", [False, True], ids=["same run", "restarted"])
async def test_an_id_is_bound_to_the_request_that_it_was_first(hall, ada, bob, match, restart):
    await ada.set(match, "1234")
    await bob.turn(match)
    guess = bob.new(Guess, match=match, code=pegs("1111"))
    say = bob.new(Say, match=match, text="Hello")
    first, said = await bob.ask(guess), await bob.ask(say)
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
        Seek(id=guess.id, rules="mini"),
        msgspec.structs.replace(say, text="Good-bye"),
        Guess(id=say.id, match=match, v=4, code=pegs("1111")),
    ]
    for other in others:
        assert_reused(await bob.ask(other))
    assert (await bob.ask(guess), await bob.ask(say)) == (first, said)
    assert len(await hall.store.read_log(match)) == 4
    assert len(await hall.store.read_log(theirs)) == 1
    await ada.leave(match)
    await bob.until(Happened, lambda told: told.v == 5)  # he follows the match as before


async def test_an_id_of_another_match_offers_no_rematch(hall, ada, bob, match):
    used = ada.new(Open, **OPEN)
    assert isinstance(await ada.ask(used), Log)
    await ada.set(match, "1234")
    await bob.resign(match)
    await hall.restart()
    assert_reused(await (await hall.again(ada)).ask(Rematch(id=used.id, match=match)))
    assert len(await hall.store.read_log(match)) == 4


async def test_a_request_over_a_rate_is_done_later_under_its_id_and_no_other_request_is(hall, ada):
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
    say = ada.new(Say, match=match, phrase=1)
    opening = ada.new(Open, **OPEN)
    first = [await ada.ask(request) for request in (secret, say, opening)]
    await hall.stop()
    with sqlite3.connect(hall.database) as older:
        older.execute("UPDATE log SET digest = NULL")
        older.execute("UPDATE chat SET digest = NULL")
    older.close()
    await hall.start()

    again = await hall.again(ada)
    assert [await again.ask(request) for request in (secret, say, opening)] == first
    await again.follow(match)
    assert_reused(await again.ask(Say(id=secret.id, match=match, phrase=1)))
    theirs = (await (await hall.again(bob)).open()).match
    assert_reused(await again.ask(Join(id=opening.id, match=theirs)))
