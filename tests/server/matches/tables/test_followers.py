"""Followers receive the presence of players and the number of spectators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from kit.client import PATIENCE, PeerStub
from kit.clock import ManualClock
from mastermind_protocol.events import Joined, Left, Opened, Player, Seat
from mastermind_protocol.messages import Absent, AnyMessage, Presence, Spectators
from mastermind_protocol.transitions import evolve, fold
from mastermind_server.matches.tables.followed import FollowedMatches
from mastermind_server.matches.tables.followers import SPECTATOR_COUNT_SECONDS, Followers
from mastermind_server.matches.tables.match_log import MatchLog

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


class SignallingPeer(PeerStub):
    """A peer that sets an event for each message."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self.pushed = asyncio.Event()

    def push(self, *frames: bytes) -> None:
        super().push(*frames)
        self.pushed.set()

    def take_messages(self) -> list[AnyMessage]:
        self.pushed.clear()
        return super().take_messages()


@pytest.fixture
def clock():
    return Moment()


@pytest.fixture
def new(hall, clock):
    """Make followers of the clock's match."""
    services = replace(hall.services, clock=clock)
    return lambda: Followers(clock.log, services, FollowedMatches())


@pytest.fixture
def followers(new):
    return new()


def add_peers(followers: Followers, *players: Player) -> list[SignallingPeer]:
    peers = [SignallingPeer(player) for player in players]
    for peer in peers:
        followers.add(peer)
    return peers


def count(number: int) -> Spectators:
    return Spectators(match=MATCH, count=number)


async def wait_for_delayed_count(peer: SignallingPeer, clock: Moment) -> None:
    clock.skip(SPECTATOR_COUNT_SECONDS)
    async with asyncio.timeout(PATIENCE):
        await peer.pushed.wait()


async def wait_for_the_pause(new: Callable[[], Followers], clock: Moment) -> None:
    """Wait until the pending count of another match is sent."""
    ada, *_ = add_peers(new(), ADA, EVE, ZOE)
    ada.take_messages()
    await wait_for_delayed_count(ada, clock)


async def test_the_first_of_a_crowd_is_counted_at_once_and_the_others_after_a_pause(
    followers, clock
):
    ada, eve, _, zoe = add_peers(followers, ADA, EVE, BOB, ZOE)
    add_peers(followers, *(Player(id=f"{number}", name="Guest") for number in range(10)))
    told = [message for message in ada.take_messages() if isinstance(message, Spectators)]
    assert told == [count(1)]  # the first, and of the others nothing yet
    await wait_for_delayed_count(ada, clock)
    assert ada.take_messages() == [count(12)]
    assert eve.take_messages()[-1] == count(12)
    assert zoe.take_messages() == [count(12)]  # its log had a count of two

    clock.skip(SPECTATOR_COUNT_SECONDS)
    followers.remove(zoe)
    assert ada.take_messages() == [count(11)]


async def test_an_unchanged_count_is_not_sent_again(new, clock):
    followers = new()
    ada, eve = add_peers(followers, ADA, EVE)
    assert ada.take_messages() == [count(1)]
    (zoe,) = add_peers(followers, ZOE)
    followers.remove(zoe)
    await wait_for_the_pause(new, clock)
    assert ada.take_messages() == eve.take_messages() == []


async def test_a_follower_gets_no_count_that_its_log_had(followers):
    (eve,) = add_peers(followers, EVE)
    add_peers(followers, ADA)
    assert eve.take_messages() == [Presence(match=MATCH, player="ADA", here=True)]


async def test_a_spectator_who_joins_is_not_counted(followers, clock):
    clock.log.state = GATHERING
    ada, bob = add_peers(followers, ADA, BOB)
    assert ada.take_messages() == [count(1)]
    clock.skip(1)
    clock.log.state = RUNNING
    followers.add(bob)  # as a join does
    assert ada.take_messages() == [Presence(match=MATCH, player="BOB", here=True), count(0)]
    assert bob.take_messages() == []  # his log has the presence


async def test_nothing_is_sent_after_the_stop(new, clock):
    followers = new()
    ada, *_ = add_peers(followers, ADA, EVE, ZOE)
    ada.take_messages()
    followers.cancel_timer()
    await wait_for_the_pause(new, clock)
    assert ada.take_messages() == []


async def test_no_count_is_sent_without_followers(new, clock):
    followers = new()
    peers = add_peers(followers, ADA, EVE, ZOE)
    for peer in peers:
        followers.remove(peer)
        peer.take_messages()
    await wait_for_the_pause(new, clock)
    assert [peer.take_messages() for peer in peers] == [[], [], []]
    assert (len(followers), followers.spectators) == (0, 0)


async def test_a_player_is_absent_since_leaving_or_since_the_start(new, clock):
    followers = new()

    def absences():
        return {absent.player: absent.seconds for absent in followers.absent}

    clock.skip(30.9)
    assert absences() == {"ADA": 30, "BOB": 30}
    first, second = add_peers(followers, ADA, ADA)
    assert followers.present == ("ADA",)
    assert absences() == {"BOB": 30}
    followers.remove(first)
    assert absences() == {"BOB": 30}
    followers.remove(second)
    clock.skip(5)
    assert absences() == {"ADA": 5, "BOB": 35}
    add_peers(followers, ADA, BOB)
    assert absences() == {}


async def test_bots_and_players_who_left_are_not_absent_and_programs_are(followers, clock):
    bot = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
    clock.log.state = evolve(GATHERING, Joined(player=bot, seat=Seat.BREAKER))
    assert followers.absent == (Absent("ADA", 0),)
    clock.log.state = evolve(RUNNING, Left(player="ADA"))
    assert followers.absent == (Absent("BOB", 0),)
    program = Player(id="PROGRAM", name="Mine", program=True)
    clock.log.state = evolve(GATHERING, Joined(player=program, seat=Seat.BREAKER))
    assert Absent("PROGRAM", 0) in followers.absent


@pytest.mark.promise("watchers")
async def test_players_follow_a_match_that_has_no_room_for_watchers(hall, ada, bob, eve, match):
    hall.limit(spectators=1)
    await eve.follow(match)
    await eve.follow(match)  # she has her place
    await (await hall.connect_again(ada)).follow(match)
    await (await hall.connect_again(bob)).join(match)
