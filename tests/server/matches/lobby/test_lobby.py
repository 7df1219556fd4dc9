from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from kit.client import PeerStub
from kit.matches import SeededRandom, pegs, state_of
from kit.store import WatchedStore
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Player, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Follow, Join, Open, Seek
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import find_request

UNKNOWN = "ZZZZZZ"


@pytest.mark.parametrize("kind", [Join, Follow])
async def test_an_unused_match_code_is_unknown(ada, kind):
    refusal = await ada.refused(kind, match=UNKNOWN)
    assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_MATCH, "match")


async def test_a_connection_follows_at_most_its_number_of_matches(hall, ada, match):
    hall.limit(followed=1)
    for kind, fields in (
        (Open, {"rules": "mini", "maker": "me", "breaker": "open"}),
        (Seek, {"rules": "mini"}),
        (Follow, {"match": UNKNOWN}),
    ):
        refusal = await ada.refused(kind, **fields)
        assert (refusal.code, refusal.limit) == (ErrorCode.TOO_MANY, 1)
    assert state_of(await ada.follow(match)).phase is Phase.SETTING  # it has a place already
    await ada.unfollow(match)
    await ada.open()


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        ({"rules": "chess"}, ErrorCode.INVALID_RULES, "rules"),
        ({"maker": "me", "breaker": "me"}, ErrorCode.INVALID_SEATS, "maker"),
        ({"maker": "open", "breaker": "open"}, ErrorCode.INVALID_SEATS, "maker"),
        ({"maker": "knuth", "breaker": "open"}, ErrorCode.INVALID_SEATS, "maker"),
        ({"breaker": "hal"}, ErrorCode.UNKNOWN_BOT, "breaker"),
        ({"seed": 1}, ErrorCode.INVALID_SEATS, "seed"),
        ({"maker": "open", "breaker": "me", "seed": 1}, ErrorCode.INVALID_SEATS, "seed"),
        ({"breaker": "knuth", "seed": 1}, ErrorCode.INVALID_SEATS, "seed"),
        ({"maker": "knuth", "breaker": "random", "seed": 1}, ErrorCode.INVALID_SEATS, "seed"),
        ({"secret": pegs("1122")}, ErrorCode.INVALID_SEATS, "secret"),
        (
            {"maker": "knuth", "breaker": "me", "secret": pegs("1122")},
            ErrorCode.INVALID_SEATS,
            "secret",
        ),
        (
            {"maker": "knuth", "breaker": "random", "secret": pegs("1122"), "rounds": 2},
            ErrorCode.INVALID_SEATS,
            "secret",
        ),
        (
            {"maker": "knuth", "breaker": "random", "secret": pegs("1177")},
            ErrorCode.INVALID_CODE,
            "secret",
        ),
        (
            {"maker": "knuth", "breaker": "random", "secret": pegs("112")},
            ErrorCode.INVALID_CODE,
            "secret",
        ),
        ({"breaker": "knuth", "rated": True}, ErrorCode.RATED, "rated"),
        ({"maker": "random", "breaker": "knuth", "rated": True}, ErrorCode.RATED, "rated"),
        ({"clock": "5"}, ErrorCode.INVALID_CLOCK, "clock"),
        *[
            ({"rated": True, **fields}, ErrorCode.RATED, field)
            for fields, field in (
                ({"rounds": 2}, "clock"),
                ({"rounds": 2, "clock": "3d/move"}, "clock"),
                ({"rounds": 2, "clock": "5+3", "rules": "knuth"}, "rules"),
                ({"rounds": 1, "clock": "5+3"}, "rounds"),
                ({"rounds": 3, "clock": "60/move"}, "rounds"),
            )
        ],
        ({"breaker": "devious"}, ErrorCode.INVALID_SEATS, "breaker"),
        *[
            ({"maker": "devious", "breaker": "me", **fields}, code, field)
            for fields, code, field in (
                ({"rounds": 2}, ErrorCode.INVALID_SEATS, "maker"),
                ({"seed": 7}, ErrorCode.INVALID_SEATS, "seed"),
                ({"rated": True}, ErrorCode.RATED, "rated"),
                ({"breaker": "knuth", "secret": (0,) * 4}, ErrorCode.INVALID_SEATS, "secret"),
            )
        ],
    ],
)
async def test_a_refused_opening_leaves_no_match(ada, asked, code, field):
    wanted = {"rules": "classic", "maker": "me", "breaker": "open", "public": True, **asked}
    refusal = await ada.refused(Open, **wanted)
    assert (refusal.code, refusal.field) == (code, field)
    assert (await ada.list("waiting")).matches == ()
    assert (await ada.list("running")).matches == ()


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        ({"clock": "5+61"}, ErrorCode.INVALID_CLOCK, "clock"),
        ({"rated": True, "rounds": 2}, ErrorCode.RATED, "clock"),
        ({"rated": True, "rounds": 2, "clock": "1d/move"}, ErrorCode.RATED, "clock"),
        ({"rated": True, "rounds": 4, "clock": "5+3", "rules": "knuth"}, ErrorCode.RATED, "rules"),
        ({"rated": True, "clock": "5+3"}, ErrorCode.RATED, "rounds"),
    ],
)
async def test_a_refused_seek_leaves_no_match(ada, asked, code, field):
    refusal = await ada.refused(Seek, **{"rules": "mini", **asked})
    assert (refusal.code, refusal.field) == (code, field)
    assert (await ada.list("waiting")).matches == ()


async def test_a_refused_rated_match_tells_what_is_allowed(ada):
    rated = {"rules": "mini", "rated": True, "rounds": 3, "clock": "5+3"}
    refusal = await ada.refused(Seek, **rated)
    assert refusal.message == "a rated match has 2 or 4 rounds, not 3"
    assert refusal.details == {"reason": "rated_rounds", "allowed": "2 or 4", "given": 3}


async def test_seekers_of_different_clocks_do_not_meet(ada, bob, eve):
    first, second = (await ada.seek(clock="5+3")).match, (await bob.seek()).match
    third = (await eve.seek(clock="60/move")).match
    assert len({first, second, third}) == 3
    assert (await bob.seek(clock="5+03")).match == first


async def test_the_name_of_a_clock_is_stored_in_its_shortest_form(ada):
    log = await ada.open(clock=" 5+03", public=True)
    assert state_of(log).opened.clock == "5+3"
    (listed,) = (await ada.list("waiting")).matches
    assert listed.clock == "5+3"


async def test_a_bot_may_make_codes_for_rules_that_are_too_large_to_break(ada):
    log = await ada.open(maker="knuth", breaker="me", rules="9x12")
    assert state_of(log).in_seat(Seat.MAKER) is not None


async def test_concurrent_seekers_meet_in_pairs(hall):
    people = [PeerStub(Player(id=f"P{number}", name="P")) for number in range(20)]

    async def seek(peer):
        request = Seek(id=1, rules="mini", rounds=1)
        assert peer.player is not None
        await hall.server.lobby.seek(peer.call(request))
        (code,) = peer.followed
        return code

    found = await asyncio.gather(*map(seek, people))
    assert set(Counter(found).values()) == {2}


class Slow(WatchedStore):
    """A store that holds a Joined row back until a seek."""

    held = asyncio.Event()
    sought = asyncio.Event()

    async def append(self, *rows: LogRow, **more: Any) -> None:
        if rows[0].version == 2:
            self.held.set()
            await self.sought.wait()
        await super().append(*rows, **more)

    async def after(self, statement: Callable[..., object], _: Any) -> None:
        if statement is find_request:
            self.sought.set()


async def test_a_seeker_of_a_seat_that_is_being_taken_gets_another(idle_hall):
    Slow.held, Slow.sought = asyncio.Event(), asyncio.Event()
    await idle_hall.start(store=Slow)
    ada, bob, eve = [await idle_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    waiting = await ada.open(public=True)

    joining = asyncio.create_task(bob.join(waiting.match))
    await Slow.held.wait()
    found = await eve.seek()  # she finds the seat free, but Bob takes it first

    assert found.match != waiting.match
    assert state_of(await joining).seat_of(bob.id) is Seat.BREAKER


async def test_a_match_code_in_use_is_drawn_again(idle_hall):
    await idle_hall.start(random=SeededRandom(1))
    ada = await idle_hall.meet("Ada")
    first = await ada.open(maker="random", breaker="me")
    await ada.resign(first.match)

    await idle_hall.restart(random=SeededRandom(1))  # draws the same codes
    bob = await idle_hall.meet("Bob")
    second = await bob.open()
    assert second.match != first.match

    await idle_hall.restart(random=SeededRandom(1))
    ada = await idle_hall.connect_again(ada)
    rematch = await ada.rematch(first.match)
    assert rematch.match not in (first.match, second.match)
    assert state_of(rematch).opened.previous == first.match
