"""Followers receive the presence of players and the number of spectators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from kit.client import PATIENCE, PeerStub
from kit.clock import ManualClock
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Joined, Left, Opened, Player, Seat
from mastermind_protocol.messages import Absent, AnyMessage, Presence, Spectators
from mastermind_protocol.requests import Follow
from mastermind_protocol.transitions import evolve, fold
from mastermind_server.matches.tables.followers import Followers
from mastermind_server.matches.tables.match_log import MatchLog
from mastermind_server.tuning import SPECTATORS_SECONDS

MATCH = "ABCDEF"
ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
EVE, ZOE = Player(id="EVE", name="Eve"), Player(id="ZOE", name="Zoe")
GATHERING = fold((Opened(rules="mini", rounds=1), Joined(player=ADA, seat=Seat.MAKER)))
RUNNING = evolve(GATHERING, Joined(player=BOB, seat=Seat.BREAKER))


class Moment(ManualClock):
    """A time and a match that are set by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.log = MatchLog(MATCH, [], RUNNING)


class Listener(PeerStub):
    """A peer that sets an event for each message."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self.told_again = asyncio.Event()

    def push(self, *frames: bytes) -> None:
        super().push(*frames)
        self.told_again.set()

    def told(self) -> list[AnyMessage]:
        self.told_again.clear()
        return super().told()


@pytest.fixture
def clock():
    return Moment()


@pytest.fixture
def new(hall, clock):
    """Make followers of the clock's match."""
    services = replace(hall.services, clock=clock)
    return lambda: Followers(clock.log, services)


@pytest.fixture
def followers(new):
    return new()


def come(followers: Followers, *players: Player) -> list[Listener]:
    peers = [Listener(player) for player in players]
    for peer in peers:
        followers.add(peer)
    return peers


def count(number: int) -> Spectators:
    return Spectators(match=MATCH, count=number)


async def until_told_after_a_pause(peer: Listener, clock: Moment) -> None:
    clock.skip(SPECTATORS_SECONDS)
    async with asyncio.timeout(PATIENCE):
        await peer.told_again.wait()


async def until_a_pause_is_over(new: Callable[[], Followers], clock: Moment) -> None:
    """Wait until the pending count of another match is sent."""
    ada, *_ = come(new(), ADA, EVE, ZOE)
    ada.told()
    await until_told_after_a_pause(ada, clock)


async def test_a_crowd_that_comes_at_once_is_told_of_at_once_and_then_as_one_number(
    followers, clock
):
    ada, eve, _, zoe = come(followers, ADA, EVE, BOB, ZOE)
    come(followers, *(Player(id=f"{number}", name="Guest") for number in range(10)))
    told = [message for message in ada.told() if isinstance(message, Spectators)]
    assert told == [count(1)]  # the first, and of the others nothing yet
    await until_told_after_a_pause(ada, clock)
    assert ada.told() == [count(12)]
    assert eve.told()[-1] == count(12)
    assert zoe.told() == [count(12)]  # its log had a count of two

    clock.skip(SPECTATORS_SECONDS)
    followers.remove(zoe)
    assert ada.told() == [count(11)]


async def test_a_number_that_is_what_it_was_is_not_told_again(new, clock):
    followers = new()
    ada, eve = come(followers, ADA, EVE)
    assert ada.told() == [count(1)]
    (zoe,) = come(followers, ZOE)
    followers.remove(zoe)
    await until_a_pause_is_over(new, clock)
    assert ada.told() == eve.told() == []


async def test_who_comes_first_is_not_told_again_what_its_log_has_told(followers):
    (eve,) = come(followers, EVE)
    come(followers, ADA)
    assert eve.told() == [Presence(match=MATCH, player="ADA", here=True)]


async def test_two_connections_of_one_spectator_count_once(followers, clock):
    ada, eve = come(followers, ADA, EVE)
    ada.told()
    clock.skip(1)
    (second,) = come(followers, EVE)
    assert followers.spectators == 1
    followers.remove(eve)
    assert followers.spectators == 1
    assert ada.told() == []
    followers.remove(second)
    assert ada.told() == [count(0)]


async def test_a_spectator_who_sits_down_is_one_no_more(followers, clock):
    clock.log.state = GATHERING
    ada, bob = come(followers, ADA, BOB)
    assert ada.told() == [count(1)]
    clock.skip(1)
    clock.log.state = RUNNING
    followers.add(bob)  # as a join does
    assert ada.told() == [Presence(match=MATCH, player="BOB", here=True), count(0)]
    assert bob.told() == []  # his log has the presence


async def test_nobody_is_told_anything_after_the_stop(new, clock):
    followers = new()
    ada, *_ = come(followers, ADA, EVE, ZOE)
    ada.told()
    followers.stop()
    await until_a_pause_is_over(new, clock)
    assert ada.told() == []


async def test_nothing_is_told_when_nobody_is_left_to_be_told(new, clock):
    followers = new()
    peers = come(followers, ADA, EVE, ZOE)
    for peer in peers:
        followers.remove(peer)
        peer.told()
    await until_a_pause_is_over(new, clock)
    assert [peer.told() for peer in peers] == [[], [], []]
    assert (len(followers), followers.spectators) == (0, 0)


async def test_the_absent_are_gone_since_they_went_or_since_nobody_knows(new, clock):
    followers = new()

    def absences():
        return {absent.player: absent.seconds for absent in followers.absent}

    clock.skip(30.9)
    assert absences() == {"ADA": 30, "BOB": 30}
    first, second = come(followers, ADA, ADA)
    assert followers.present == ("ADA",)
    assert absences() == {"BOB": 30}
    followers.remove(first)
    assert absences() == {"BOB": 30}
    followers.remove(second)
    clock.skip(5)
    assert absences() == {"ADA": 5, "BOB": 35}
    come(followers, ADA, BOB)
    assert absences() == {}


async def test_neither_bots_nor_who_has_left_are_absent(followers, clock):
    bot = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
    clock.log.state = evolve(GATHERING, Joined(player=bot, seat=Seat.BREAKER))
    assert followers.absent == (Absent("ADA", 0),)
    clock.log.state = evolve(RUNNING, Left(player="ADA"))
    assert followers.absent == (Absent("BOB", 0),)


async def test_a_program_is_absent_as_a_person_is(followers, clock):
    program = Player(id="PROGRAM", name="Mine", program=True)
    clock.log.state = evolve(GATHERING, Joined(player=program, seat=Seat.BREAKER))
    assert Absent("PROGRAM", 0) in followers.absent


async def test_a_stopped_server_leaves_no_timer_behind(hall, ada, match):
    peers = [PeerStub(ada), PeerStub(EVE), PeerStub(ZOE)]
    for number, peer in enumerate(peers, start=1):
        await hall.server.lobby.follow(peer, number, match, 0)
    for peer in peers:
        peer.told()
    hall.server.tables.stop()
    async with hall.server.tables.at(match) as table:
        assert table.followers._timer is None


async def test_so_many_look_on_at_most_and_players_always_have_room(hall, ada, bob, eve, match):
    hall.limit(watchers=1)
    await eve.follow(match)
    zoe = await hall.meet("Zoe")
    refusal = await zoe.refused(Follow, match=match)
    assert (refusal.code, refusal.limit) == (ErrorCode.TOO_MANY, 1)
    assert hall.services.limiter.met["watchers"] == 1
    await eve.follow(match)  # she has her place
    await (await hall.again(ada)).follow(match)
    await (await hall.again(bob)).join(match)

    await eve.unfollow(match)
    assert (await zoe.follow(match)).match == match
