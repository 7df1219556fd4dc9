"""How many matches of a player, and of an address, may wait, and whose are shown and found."""

from __future__ import annotations

from kit.matches import events_of
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Open, Request, Seek
from mastermind_server.matches.lobby import lobby as lobbies
from mastermind_server.matches.lobby.open_lobbies import take_turns
from mastermind_server.tuning import DUE_SECONDS, LOBBY_GRACE_SECONDS

WAITING = {"rules": "mini", "maker": "me", "breaker": "open"}


def test_everybodys_first_comes_before_anybodys_second():
    assert take_turns(["a1", "a2", "a3", "b1", "c1", "b2"], lambda item: item[0]) == [
        "a1", "b1", "c1", "a2", "b2", "a3",
    ]  # fmt: skip


async def test_so_many_of_a_players_matches_wait_and_one_that_is_deserted_makes_room(
    hall, ada, bob
):
    hall.limit(lobbies=2)
    first, second = (await ada.open()).match, (await ada.seek()).match
    elsewhere = await hall.again(ada)
    asked: list[tuple[type[Request], dict[str, str]]] = [(Open, WAITING), (Seek, {"rules": "mini"})]
    for kind, fields in asked:
        refusal = await elsewhere.refused(kind, **fields)
        assert (refusal.code, refusal.limit) == (ErrorCode.TOO_MANY, 2)
    assert hall.services.limiter.met["lobbies"] == 2
    await bob.open()
    await ada.open(maker="random", breaker="me")  # which waits for nobody

    await ada.unfollow(first)
    third = (await ada.open()).match
    await ada.follow(first)  # who comes back is never refused
    await ada.refused(Open, **WAITING)
    for match in (first, second, third):
        await ada.leave(match)
    await ada.open()


async def test_a_match_that_has_begun_waits_no_more(hall, ada, bob):
    hall.limit(lobbies=1)
    await bob.join((await ada.open()).match)
    await ada.open()
    await ada.refused(Open, **WAITING)


async def test_so_many_wait_of_those_from_one_address_and_the_deserted_until_they_are_closed(
    hall, ada, bob, eve
):
    hall.limit(lobbies_of_address=2)
    await bob.seek()
    await ada.unfollow((await ada.open()).match)
    refusal = await eve.refused(Open, **WAITING)
    assert (refusal.code, refusal.limit) == (ErrorCode.TOO_MANY, 2)
    assert refusal.details is not None
    assert refusal.details["reason"] == Reason.ADDRESS_HAS_LOBBIES.key
    assert hall.services.limiter.met["lobbies_of_address"] == 1
    assert len(events_of(await eve.seek())) == 3  # to join one of them she needs no room

    await ada.open()
    hall.clock.skip(LOBBY_GRACE_SECONDS + DUE_SECONDS)
    await eve.open()


async def test_the_same_request_again_is_no_other_match(hall, ada):
    hall.limit(lobbies=1)
    request = ada.new(Open, **WAITING)
    opened, again = await ada.ask(request), await (await hall.again(ada)).ask(request)
    assert isinstance(opened, Log)
    assert isinstance(again, Log)
    assert again.match == opened.match


async def test_whoever_opens_many_hides_nobody_elses(ada, bob, eve, monkeypatch):
    monkeypatch.setattr(lobbies, "MAX_LISTED", 2)
    hidden = (await bob.open(public=True)).match
    flood = [(await ada.open(public=True)).match for _ in range(3)]
    assert [match.match for match in (await eve.list("waiting")).matches] == [flood[2], hidden]
