import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import pytest

from kit.client import PATIENCE
from kit.matches import pegs, state_of
from kit.store import WatchedStore
from mastermind_protocol import requests
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Done, Error, Listing, Welcome
from mastermind_protocol.requests import (
    AnyRequest,
    Follow,
    Hello,
    Join,
    ListMatches,
    Logout,
    Request,
    Unfollow,
)
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate, make_terms
from mastermind_server.monitoring.overload import Level
from mastermind_server.network.handlers import PEER_LIMITS
from mastermind_server.network.routes import ROUTES
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import Store

FIELDS: dict[str, object] = {
    "day": 0,
    "rules": "mini", "maker": "me", "breaker": "open", "what": "waiting", "match": "ABCDEF",
    "v": 1, "code": pegs("1234"), "player": "NOBODY", "allowed": True, "level": 1, "seed": 1,
}  # fmt: skip
"""For each field that a request must have, a value."""


def sample(kind: type[Request], request: int) -> Request:
    return kind(
        id=request, **{name: FIELDS[name] for name in FIELDS if name in kind.__struct_fields__}
    )


async def test_a_hello_makes_a_player_whom_the_token_brings_back(hall, ada):
    again = await (await hall.connect()).hello(token=ada.token)
    assert again == Welcome(
        id=1, player=ada.player, terms=make_terms(DEFAULT_LIMITS), epoch=hall.store.epoch
    )
    assert again.terms.can == tuple(
        str(kind.__struct_config__.tag) for kind in get_args(AnyRequest)
    )
    renamed = await (await hall.connect()).hello("Countess", token=ada.token)
    assert (renamed.player.id, renamed.player.name) == (ada.id, "Countess")


async def test_a_hello_comes_before_any_other_request(hall):
    others = [kind for kind in get_args(AnyRequest) if kind not in (Hello, Logout)] + [Logout]
    wire = await hall.connect()
    for kind in others:
        refusal = await wire.ask(sample(kind, 5))
        assert isinstance(refusal, Error)
        assert (refusal.id, refusal.code, refusal.field) == (5, ErrorCode.HELLO_FIRST, "op"), kind
    await wire.hello("Ada")
    for number, kind in enumerate(others, start=5):
        answer = await wire.ask(sample(kind, number))
        assert getattr(answer, "code", None) != ErrorCode.HELLO_FIRST, kind


async def test_a_second_hello_is_refused_and_its_id_stays_free(ada):
    refusal = await ada.ask(Hello(id=777_777, name="Bob"))
    assert isinstance(refusal, Error)
    assert (refusal.code, refusal.field) == (ErrorCode.HELLO_TWICE, "op")
    assert isinstance(await ada.ask(ListMatches(id=777_777, what="waiting")), Listing)
    assert state_of(await ada.open()).players == (ada.player,)


@pytest.mark.promise("tokens")
async def test_a_forged_token_is_refused_and_the_player_plays_on(hall, ada, bob, match):
    assert ada.token is not None
    forged = ada.token[:-1] + ("A" if ada.token[-1] != "A" else "B")
    stranger = await hall.connect()
    refusal = await stranger.refused(Hello, token=forged, name="Ada")
    assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_TOKEN, "token")
    assert ada.token not in repr(refusal)
    assert (await stranger.refused(Join, match=match)).code == ErrorCode.HELLO_FIRST
    await stranger.hello("Mallory")  # the connection is kept
    assert (await stranger.refused(Join, match=match)).code == ErrorCode.SEAT_TAKEN

    await ada.set(match, "1234")
    assert (await bob.guess(match, "1234")).v == 4
    assert (await (await hall.connect_again(ada)).join(match)).present == (ada.id, bob.id)


WRONG = [f"{number:06}".translate(str.maketrans("01", "XY")) for number in range(22, 80)]


class WaitingStore(WatchedStore):
    """A store that reads logs when the test allows it."""

    may_read = asyncio.Event()

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if statement is read_log:
            await self.may_read.wait()


@pytest.mark.promise("match-codes-at-once")
async def test_wrong_match_codes_at_the_same_time_are_limited(idle_hall, monkeypatch):
    monkeypatch.setattr(WaitingStore, "may_read", may_read := asyncio.Event())
    may_read.set()
    await idle_hall.start(
        limits=Limits(wrong_codes=Rate(burst=3, per_second=0.5)), store=WaitingStore
    )
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await bob.open()).match
    for _ in range(4):
        await ada.follow(match)  # right codes cost nothing
        await ada.unfollow(match)
    guessers = [ada, *[await idle_hall.connect_again(ada) for _ in range(4)]]
    may_read.clear()
    guesses = [
        asyncio.create_task(each.refused(Follow, match=code))
        for each, code in zip(guessers, WRONG, strict=False)
    ]
    async with asyncio.timeout(PATIENCE):
        met = idle_hall.services.limiter.exceeded
        while met["wrong_codes"] < 2:  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(0)
    may_read.set()
    told = Counter(refusal.code for refusal in await asyncio.gather(*guesses))
    assert told == {ErrorCode.UNKNOWN_MATCH: 3, ErrorCode.RATE_LIMITED: 2}


async def test_wrong_match_codes_of_an_address_lock_out_only_new_players(idle_hall):
    assert DEFAULT_LIMITS.wrong_codes_of_address.burst > DEFAULT_LIMITS.wrong_codes.burst
    await idle_hall.start(limits=Limits(wrong_codes_of_address=Rate(burst=3, per_second=0.01)))
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match, other = (await ada.open()).match, (await bob.open()).match
    await bob.join(match)
    for code in WRONG[:3]:
        mallory = await idle_hall.meet("Mallory")
        assert (await mallory.refused(Follow, match=code)).code == ErrorCode.UNKNOWN_MATCH
    eve = await idle_hall.meet("Eve")
    for code in (WRONG[3], match):
        assert (await eve.refused(Follow, match=code)).code == ErrorCode.RATE_LIMITED

    assert (await (await idle_hall.connect_again(ada)).follow(match)).match == match
    assert (await (await idle_hall.connect_again(bob)).join(match)).match == match
    assert (await ada.follow(other)).match == other  # she has played, and may try
    assert (await ada.refused(Follow, match=WRONG[4])).code == ErrorCode.UNKNOWN_MATCH
    await ada.set(match, "1234")
    assert (await bob.guess(match, "1234")).v == 4


async def test_an_unknown_match_can_be_unfollowed(ada):
    assert await ada.ask(ada.new(Unfollow, id=9, match="ZZZZZZ")) == Done(id=9)


async def test_an_internal_error_is_answered_and_logged_and_the_connection_stays_open(
    ada, monkeypatch, caplog
):
    with monkeypatch.context() as mislaid:
        mislaid.delattr(Store, "read")
        refusal = await ada.refused(ListMatches, what="waiting")
    assert (refusal.code, refusal.message) == (
        ErrorCode.INTERNAL,
        "the server failed; it has been logged",
    )
    (line,) = [
        record for record in caplog.records if record.name == "mastermind_server.network.dispatcher"
    ]
    number = vars(line)["connection"]
    assert (line.levelno, line.getMessage()) == (
        logging.ERROR,
        f"connection {number}: a request of type ListMatches failed",
    )
    again = await ada.ask(ada.new(ListMatches, what="waiting"))
    assert isinstance(again, Listing)


def test_each_request_has_a_route():
    assert set(ROUTES) == set(get_args(requests.AnyRequest))
    limits = {
        name for route in ROUTES.values() for name in route.checked_limits + route.charged_limits
    }
    assert limits <= set(PEER_LIMITS)


def test_moves_and_what_ends_a_session_are_never_shed():
    shed = {
        level: {kind for kind, row in ROUTES.items() if row.shed_level is level} for level in Level
    }
    assert shed[Level.OVERLOADED] == {
        requests.Hello, requests.Join, requests.Follow, requests.Say, requests.Decline,
        requests.AllowChallenges,
    }  # fmt: skip
    assert shed[Level.BUSY] == {
        requests.Open, requests.Seek, requests.Rematch, requests.ListMatches, requests.ListOwn,
        requests.Archive, requests.Advise, requests.Review, requests.Transfer,
        requests.ShowLeaderboard, requests.ShowProfile, requests.ShowStatistics,
        requests.Challenge, requests.ShowSnapshot, requests.ListPeople, requests.EnterDay,
        requests.ShowDay, requests.ListPlaces, requests.ListDays, requests.Analyse,
        requests.ShowPuzzle,
    }  # fmt: skip
