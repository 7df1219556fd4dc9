"""The waiting matches of a player and of an address that count, and those that lists show."""

from __future__ import annotations

from kit.matches import events_of
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Open, Seek
from mastermind_server.matches.lobby import lobby as lobbies
from mastermind_server.matches.lobby.open_lobbies import take_turns
from mastermind_server.tuning import DUE_SECONDS, LOBBY_GRACE_SECONDS

WAITING = {"rules": "mini", "maker": "me", "breaker": "open"}


def test_turns_are_taken_round_robin():
    assert take_turns(["a1", "a2", "a3", "b1", "c1", "b2"], lambda item: item[0]) == [
        "a1", "b1", "c1", "a2", "b2", "a3",
    ]  # fmt: skip


async def test_a_deserted_or_joined_lobby_counts_no_more(hall, ada, bob):
    hall.limit(lobbies=2)
    request = ada.new(Open, **WAITING)
    opened, second = await ada.ask(request), (await ada.seek()).match
    assert isinstance(opened, Log)
    elsewhere = await hall.connect_again(ada)
    again = await elsewhere.ask(request)  # no other match
    assert isinstance(again, Log)
    await elsewhere.unfollow(opened.match)
    assert again.match == opened.match
    assert (await ada.refused(Seek, rules="mini")).code == ErrorCode.TOO_MANY
    await ada.open(maker="random", breaker="me")  # it has both players

    await ada.unfollow(opened.match)
    third = (await ada.open()).match
    await ada.follow(opened.match)  # a player who returns is never refused
    await ada.refused(Open, **WAITING)
    await bob.join(third)
    await ada.leave(second)
    await ada.open()
    await ada.refused(Open, **WAITING)


async def test_a_deserted_lobby_counts_for_its_address_until_it_is_closed(hall, ada, bob, eve):
    hall.limit(lobbies_of_address=2)
    await bob.seek()
    await ada.unfollow((await ada.open()).match)
    assert (await eve.refused(Open, **WAITING)).code == ErrorCode.TOO_MANY
    assert len(events_of(await eve.seek())) == 3  # to join one of them she needs no room
    await ada.open()
    hall.clock.skip(LOBBY_GRACE_SECONDS + DUE_SECONDS)
    await eve.open()


async def test_a_player_with_many_lobbies_hides_no_other_lobby(ada, bob, eve, monkeypatch):
    monkeypatch.setattr(lobbies, "MAX_LISTED", 2)
    hidden = (await bob.open(public=True)).match
    flood = [(await ada.open(public=True)).match for _ in range(3)]
    assert [match.match for match in (await eve.list("waiting")).matches] == [flood[2], hidden]
