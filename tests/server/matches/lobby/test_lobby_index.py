"""Open lobbies: those that count for a player or an address, and those that seekers find."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest

from kit.matches import events_of
from kit.server import GameServer
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Open, Seek
from mastermind_protocol.transitions import fold
from mastermind_server.matches.lobby.lobby_index import LobbyIndex
from mastermind_server.matches.nodes.deadlines import DUE_POLL_SECONDS
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.storage.statements.lobby import MatchSearch, SeekTerms, WaitingMatch

WAITING = {"rules": "mini", "maker": "me", "breaker": "open"}
HOME = "127.0.0.1"
ADA, BOB, EVE = "Ada", "Bob", "Eve"
ROBOT = "Robot"
ANY = MatchSearch(SeekTerms("mini", 1, rated=False, program=False))


def lobby(player: str = ADA, seat: Seat = Seat.MAKER, **opened: Any) -> Match:
    """Return a match with one waiting player; Robot is a program."""
    sitting = Player(player, player, program=player == ROBOT)
    terms: dict[str, Any] = {"rules": "mini", "rounds": 1, "public": True} | opened
    return fold([Opened(**terms), Joined(player=sitting, seat=seat)])


@pytest.fixture
def index(hall: GameServer) -> LobbyIndex:
    """Another index of the tables of a server."""
    return LobbyIndex(hall.server.tables, hall.services)


async def test_an_abandoned_or_joined_lobby_no_longer_counts(hall, ada, bob):
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


async def test_an_abandoned_lobby_counts_for_its_address_until_it_is_closed(hall, ada, bob, eve):
    hall.limit(lobbies_of_address=2)
    await bob.seek()
    await ada.unfollow((await ada.open()).match)
    assert (await eve.refused(Open, **WAITING)).code == ErrorCode.TOO_MANY
    assert len(events_of(await eve.seek())) == 3  # to join one of them she needs no room
    await ada.open()
    hall.clock.skip(LOBBY_GRACE_SECONDS + DUE_POLL_SECONDS)
    await eve.open()


async def test_a_lobby_of_which_the_player_returns_is_found_again(ada, bob, eve):
    match = (await ada.open(public=True)).match
    await ada.unfollow(match)
    other = (await bob.seek()).match
    assert other != match
    await ada.follow(match)
    await bob.leave(other)
    assert (await eve.seek()).match == match


def test_the_oldest_lobby_on_the_same_terms_is_found(index):
    with ExitStack() as stack:
        for code, since, match in (
            ("SECOND", 2, lobby()),
            ("ROUNDS", 0, lobby(rounds=2)),
            ("OTHERS", 0, lobby(rules="classic")),
            ("RATEDS", 0, lobby(rated=True)),
            ("CLOCKS", 0, lobby(clock="5+3")),
            ("SECRET", 0, lobby(public=False)),
            ("REMTCH", 0, lobby(reserved=EVE)),
            ("ROBOTS", 0, lobby(ROBOT)),
        ):
            stack.enter_context(index.add_while_opening(code, HOME, since, match))
        with index.add_while_opening("FIRSTS", HOME, 1, lobby()):
            assert index.find_oldest(ANY, BOB, None) == "FIRSTS"
            assert index.find_oldest(ANY._replace(excluded=["FIRSTS"]), BOB, None) == "SECOND"
        assert index.find_oldest(ANY, BOB, None) == "SECOND"
        assert index.find_oldest(ANY, BOB, WaitingMatch("AWAY", 3)) == "SECOND"
        assert index.find_oldest(ANY, BOB, WaitingMatch("AWAY", 1)) == "AWAY"
        assert (
            index.find_oldest(MatchSearch(ANY.terms._replace(program=True)), BOB, None) == "ROBOTS"
        )
    assert index.find_oldest(ANY, BOB, None) is None


@pytest.mark.parametrize(
    ("player", "seat", "found"),
    [
        (BOB, Seat.BREAKER, True),
        (BOB, Seat.MAKER, False),
        (ADA, Seat.MAKER, True),  # her own
        (ADA, Seat.BREAKER, False),
    ],
)
def test_a_seeker_finds_a_lobby_whose_wanted_seat_is_free(index, player, seat, *, found):
    with index.add_while_opening("ADASAA", HOME, 0, lobby()):
        assert (index.find_oldest(ANY._replace(seat=seat), player, None) == "ADASAA") is found


def test_two_seekers_do_not_try_one_lobby(index):
    with index.add_while_opening("ADASAA", HOME, 0, lobby()):
        with index.claim_lobby("ADASAA"), index.claim_lobby("AWAYAA"):
            assert index.find_oldest(ANY, BOB, WaitingMatch("AWAYAA", 0)) is None
        assert index.find_oldest(ANY, BOB, None) == "ADASAA"


@pytest.mark.parametrize("followed", [True, False])
async def test_a_lobby_that_is_being_opened_is_found_and_awaited(hall, ada, eve, *, followed):
    match = (await ada.open(public=True)).match
    index = LobbyIndex(hall.server.tables, hall.services)
    with index.add_while_opening(match, HOME, 0, lobby(ada.id)):
        assert index.find_oldest(ANY, BOB, None) == match
        ready = asyncio.create_task(index.wait_until_opened(match))
        await eve.settle()
        assert not ready.done()
        if followed:
            await eve.follow(match)  # its player follows it already
    assert await ready is followed
    assert index.find_oldest(ANY, BOB, None) == (match if followed else None)


async def test_a_spectator_of_a_lobby_that_is_being_opened_does_not_hide_the_lobby(hall, ada, eve):
    match = (await ada.open(public=True)).match
    await ada.unfollow(match)
    index = LobbyIndex(hall.server.tables, hall.services)
    with index.add_while_opening(match, HOME, 0, lobby(ada.id)):
        await eve.follow(match)
        assert index.find_oldest(ANY, BOB, None) == match


async def test_a_lobby_that_is_opened_with_the_code_of_another_leaves_that_in_the_index(index, ada):
    match = (await ada.open(public=True)).match
    with index.add_while_opening(match, HOME, 0, lobby(BOB)):
        pass
    assert index.find_address(match) == HOME
