"""A repeated request is done once and gets the same answer on any connection, run and node.

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
from mastermind_protocol.days import find_day
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import (
    AnyMessage,
    Day,
    Error,
    Happened,
    Log,
    Said,
    Transferable,
    Welcome,
)
from mastermind_protocol.requests import (
    Advise,
    AllowChallenges,
    Analyse,
    AnyRequest,
    Archive,
    Challenge,
    Decline,
    EnterDay,
    Follow,
    Guess,
    Hello,
    Join,
    Leave,
    ListBots,
    ListDays,
    ListMatches,
    ListOwn,
    ListPeople,
    ListPlaces,
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
    ShowDay,
    ShowLeaderboard,
    ShowProfile,
    ShowPuzzle,
    ShowSnapshot,
    ShowStatistics,
    Transfer,
    Unfollow,
)
from mastermind_server.commands.status import read_status
from mastermind_server.limits import DEFAULT_LIMITS
from mastermind_server.storage.statements.log import read_chat, read_log

Step = Callable[["Game"], Awaitable[object]]
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
        ada, bob, match = await hall.begin_match()
        await ada.wait_for_turn(match)
        return cls(hall, ada, bob, await hall.meet("Eve"), match)

    async def here(self) -> GameServer:
        return self.hall

    async def set(self) -> None:
        await self.ada.set(self.match, "1234")
        await self.bob.wait_for_turn(self.match)

    async def end(self) -> None:
        await self.set()
        await self.bob.resign(self.match)

    async def open_other(self) -> None:
        self.other = (await self.ada.open()).match

    async def challenge(self) -> None:
        opened = await self.ada.ask(self.ada.new(Challenge, player=self.bob.id, rules="mini"))
        assert isinstance(opened, Log)
        self.other = opened.match

    async def count_kept(self) -> tuple[object, ...]:
        """Return the numbers of stored matches, players, rows and lines of chat."""
        found = read_status(self.hall.place).contents
        assert found is not None
        lines = len(await self.hall.store.read(read_chat, self.match))
        return sum(found.matches.values()), found.players, found.moves_last_hour, lines


class Row(NamedTuple):
    """A kind of request: its sender and fields, and steps before it and before it is repeated.

    `changes` is whether its id is its own for ever. `alike` compares two answers.
    """

    by: str = "eve"
    fields: dict[str, Any] = {}  # noqa: RUF012 - unchanged
    before: Step | None = None
    then: Step | None = None
    changes: bool = False
    alike: Callable[[Any, Any], bool] = lambda first, again: first == again

    async def make(self, game: Game, kind: type[Request]) -> tuple[RawClient, Request]:
        """Return the sender and the request, with a match where the kind has one."""
        if self.before:
            await self.before(game)
        wire, fields = getattr(game, self.by), dict(self.fields)
        if "match" in kind.__struct_fields__:
            fields["match"] = game.other or game.match
        if kind is Hello:
            fields["token"] = wire.token
        if kind is Challenge:
            fields["player"] = game.bob.id
        if kind is EnterDay:
            fields["day"] = find_day(game.hall.clock.unix_milliseconds())
        return wire, wire.new(kind, **fields)


def have_same_match(first: Log, again: Log) -> bool:
    """Return whether the second log continues the first."""
    return again.match == first.match and again.rows[: len(first.rows)] == first.rows


def have_same_player(first: Welcome, again: Welcome) -> bool:
    return first.player == again.player


def have_different_codes(first: Transferable, again: Transferable) -> bool:
    return first.seconds == again.seconds and first.code != again.code


def have_same_day(first: Day, again: Day) -> bool:
    """Return whether two answers differ only in the time of the server."""
    return msgspec.structs.replace(again, now=first.now) == first


def guess(typed: str) -> Step:
    return lambda game: game.bob.guess(game.match, typed)


ROWS: dict[type[Request], Row] = {
    Secret: Row("ada", {"code": pegs("1234")}, None, guess("1111"), True),
    Guess: Row("bob", {"code": pegs("1111")}, Game.set, guess("2222"), True),
    Resign: Row("bob", {}, Game.set, lambda game: game.ada.rematch(game.match), True),
    Leave: Row("bob", changes=True),
    Advise: Row("bob", {}, Game.set, guess("2222"), True),
    Say: Row("bob", {"text": "Hi"}, None, lambda game: game.ada.say(game.match, "Hello"), True),
    Open: Row(
        "eve", {**OPEN, "public": True}, None, lambda game: game.bob.open(), True, have_same_match
    ),
    Seek: Row(
        *("eve", {"rules": "mini"}, lambda game: game.ada.seek("mini")),  # which Eve finds
        *(lambda game: game.bob.seek("mini"), True, have_same_match),
    ),
    Challenge: Row("ada", {"rules": "mini"}, None, None, True, have_same_match),
    EnterDay: Row("eve", {"rules": "mini"}, None, None, True, have_same_match),
    Decline: Row("bob", {}, Game.challenge, None, True),
    AllowChallenges: Row(fields={"allowed": False}),
    Join: Row(
        *("eve", {}, Game.open_other),
        *(lambda game: game.ada.set(game.other, "1234"), True, have_same_match),
    ),
    Rematch: Row(
        "ada", {}, Game.end, lambda game: game.bob.rematch(game.match), True, have_same_match
    ),
    Follow: Row(alike=have_same_match),
    ShowSnapshot: Row(),
    Unfollow: Row(),
    Review: Row(before=Game.end),
    Analyse: Row(fields={"rules": "classic", "bot": "random"}),
    ShowPuzzle: Row(fields={"level": 1, "seed": 1}),
    ListMatches: Row(fields={"what": "waiting"}),
    ListBots: Row(),
    ListOwn: Row(),
    ShowLeaderboard: Row(fields={"rules": "classic"}),
    ShowProfile: Row(),
    ShowStatistics: Row(),
    ListPeople: Row(),
    ShowDay: Row(alike=have_same_day),
    ListPlaces: Row(fields={"rules": "classic", "day": 0}),
    ListDays: Row(),
    Archive: Row(),
    Logout: Row(fields={"others": True}),
    Ping: Row(),
    Transfer: Row(alike=have_different_codes),
    Hello: Row(alike=have_same_player),
}


async def send_again(
    game: Game, kind: type[Request], place: Callable[[], Awaitable[GameServer]]
) -> None:
    """Ask once, and repeat it on the same connection, another one, and one to another server."""
    row = ROWS[kind]
    wire, request = await row.make(game, kind)
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
        wire = await (hall.connect(wire.ids) if kind is Hello else hall.connect_again(wire))
        again = await wire.ask(request)
        assert row.alike(first, again), (first, again)
        if is_bound and kind is not Hello:
            assert_reused(await wire.ask(other))
        assert await game.count_kept() == before


def assert_reused(answer: AnyMessage) -> None:
    assert isinstance(answer, Error)
    assert (answer.code, answer.field) == (ErrorCode.INVALID_MESSAGE, "id")


@pytest.mark.promise("repeated-request")
@pytest.mark.parametrize("kind", get_args(AnyRequest))
async def test_a_repeated_request_is_done_once_and_gets_the_same_answer(hall, kind):
    assert kind in ROWS, "this kind of request has no row"

    async def after_a_restart():
        await hall.restart()
        return hall

    await send_again(await Game.begin(hall), kind, after_a_restart)


async def test_a_change_repeated_at_another_node_is_made_once_and_gets_the_same_answer(start_node):
    here, there = await start_node(), await start_node()

    async def at_another_node():
        return there

    for kind in [kind for kind, row in ROWS.items() if row.changes]:
        await send_again(await Game.begin(here), kind, at_another_node)


# Ids.


async def test_a_refused_request_stays_refused_when_it_becomes_legal(hall, ada, bob, match):
    early = bob.new(Guess, match=match, code=pegs("1234"), v=3)
    first = await bob.ask(early)
    assert isinstance(first, Error)
    assert_reused(await bob.ask(Leave(id=early.id, match=match)))
    await ada.set(match, "1234")
    assert await bob.ask(early) == first
    assert await (await hall.connect_again(bob)).ask(early) == first
    assert len(await hall.store.read(read_log, match)) == 3


async def test_two_players_may_use_the_same_id(ada, bob, match):
    await ada.wait_for_turn(match)
    await ada.ask(ada.new(Secret, id=1000, match=match, code=pegs("1234")))
    await bob.wait_for_turn(match)
    answer = await bob.ask(bob.new(Guess, id=1000, match=match, code=pegs("1111")))
    assert isinstance(answer, Happened)
    assert answer.v == 4


@pytest.mark.parametrize("restart", [False, True], ids=["same run", "restarted"])
async def test_an_id_is_bound_to_its_first_request(hall, ada, bob, match, restart):
    await ada.set(match, "1234")
    await bob.wait_for_turn(match)
    guess = bob.new(Guess, match=match, code=pegs("1111"))
    say = bob.new(Say, match=match, text="Hello")
    first, said = await bob.ask(guess), await bob.ask(say)
    if restart:
        await hall.restart()
        ada, bob = await hall.connect_again(ada), await hall.connect_again(bob)
        await ada.follow(match)
        await bob.follow(match)

    others: list[Request] = [
        msgspec.structs.replace(guess, code=pegs("2222")),
        msgspec.structs.replace(guess, v=4),
        Leave(id=guess.id, match=match),
        Say(id=guess.id, match=match, phrase=1),
        msgspec.structs.replace(say, text="Good-bye"),
        Guess(id=say.id, match=match, v=4, code=pegs("1111")),
    ]
    for other in others:
        assert_reused(await bob.ask(other))
    assert (await bob.ask(guess), await bob.ask(say)) == (first, said)
    assert len(await hall.store.read(read_log, match)) == 4
    await ada.leave(match)
    await bob.until(Happened, lambda told: told.v == 5)  # he follows the match as before


async def test_the_id_of_an_opening_cannot_be_used_for_a_rematch(hall, ada, bob, match):
    used = ada.new(Open, **OPEN)
    assert isinstance(await ada.ask(used), Log)
    await ada.set(match, "1234")
    await bob.resign(match)
    await hall.restart()
    assert_reused(await (await hall.connect_again(ada)).ask(Rematch(id=used.id, match=match)))
    assert len(await hall.store.read(read_log, match)) == 4


async def test_only_the_same_request_may_reuse_an_id_that_was_rate_limited(hall, ada):
    match = (await ada.open()).match
    for _ in range(DEFAULT_LIMITS.chat.burst):
        await ada.say(match, "Hello")
    soon = ada.new(Say, match=match, text="Good-bye")
    refusal = await ada.ask(soon)
    assert isinstance(refusal, Error)
    assert refusal.code == ErrorCode.RATE_LIMITED
    assert_reused(await ada.ask(Leave(id=soon.id, match=match)))
    hall.clock.seconds += 1 / DEFAULT_LIMITS.chat.per_second
    assert isinstance(await ada.ask(soon), Said)


async def test_a_request_stored_without_a_digest_is_recognised(hall, ada, bob, match):
    await ada.wait_for_turn(match)
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

    again = await hall.connect_again(ada)
    assert [await again.ask(request) for request in (secret, say, opening)] == first
    await again.follow(match)
    assert_reused(await again.ask(Say(id=secret.id, match=match, phrase=1)))
    theirs = (await (await hall.connect_again(bob)).open()).match
    assert_reused(await again.ask(Join(id=opening.id, match=theirs)))
