import time

import pytest

from kit.matches import ADA, BOB
from kit.people import sit_down
from kit.players import identities
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.running import WhoseTurn, find_unfinished, to_unfinished_match
from mastermind_protocol.events import Joined, Left, Opened, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import OwnMatch, Row


async def test_a_match_is_remembered_from_the_seat_to_the_end(server, people, bob):
    with identities().claim(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        mirror = await ada.session.open("mini", maker="me", breaker="open")
        (waiting,) = identity.stored.matches
        assert (waiting.code, waiting.opponent, waiting.turn) == (mirror.code, "", WhoseTurn.NOBODY)

        his = await bob.session.join(mirror.code)
        await ada.wait_for_turn(mirror)
        (mine,) = identity.stored.matches
        assert (mine.opponent, mine.turn, mine.guess) == ("Bob", WhoseTurn.MINE, 0)
        await ada.set(mirror, "1234")
        (theirs,) = identity.stored.matches
        assert (theirs.turn, theirs.guess) == (WhoseTurn.THEIRS, 1)

        await bob.session.leave(his)
        await ada.wait_for_event(Left)

        assert identity.stored.matches == ()


async def test_only_people_with_a_seat_remember_a_match(ada, bob, people):
    mirror, _his = await sit_down(ada, bob)
    eve, robot = await people.meet("Eve"), await people.connect_program("Robot")
    await eve.session.follow(mirror.code)
    await robot.session.join((await eve.session.open("mini", maker="me", breaker="open")).code)
    assert ada.identity.has_seat(mirror.code)
    assert not eve.identity.has_seat(mirror.code)
    assert robot.identity.stored.matches == ()

    await ada.set(mirror, "1234")
    await ada.session.leave(mirror)

    assert not ada.identity.has_seat(mirror.code)


def begin(clock: str | None) -> Mirror:
    """Return Ada's copy of a match in which she is to set a secret."""
    mirror = Mirror("ABC234", now=lambda: 0.0)
    seats = (Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER))
    mirror.apply(Row(1, (Opened(rules="mini", rounds=1, clock=clock), *seats)))
    return mirror


def test_a_clock_of_days_says_until_when_the_player_must_move():
    found = find_unfinished(begin("2d/move"), ADA.id)
    assert found is not None
    assert found.clock == "2d/move"
    assert found.until is not None
    assert abs(found.until - time.time() - 2 * 86_400) < 60


@pytest.mark.parametrize("clock", ["5+3", None])
def test_other_matches_have_no_such_time(clock):
    found = find_unfinished(begin(clock), ADA.id)
    assert found is not None
    assert (found.clock, found.until) == (clock, None)


def test_the_servers_list_has_the_clock_and_the_time():
    own = OwnMatch(
        match="ABC234", rules="mini", rounds=1, round=1, phase=Phase.BREAKING, seat=Seat.MAKER,
        since=0, clock="2d/move", until=5_000,
    )  # fmt: skip
    read = to_unfinished_match(own)
    assert (read.clock, read.until, read.live) == ("2d/move", 5.0, False)


def test_the_servers_list_has_the_time_left_of_a_live_clock(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    own = OwnMatch(
        match="ABC234", rules="mini", rounds=1, round=1, phase=Phase.BREAKING, seat=Seat.MAKER,
        since=0, clock="5+3", left=5_000,
    )  # fmt: skip
    read = to_unfinished_match(own)
    assert (read.clock, read.until, read.live) == ("5+3", 1005.0, True)
