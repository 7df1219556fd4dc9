"""Clocks run down once, at their deadline, and never against a guess that came in time."""

from __future__ import annotations

import pytest

from kit.clock import ManualClock, near
from kit.clocked import BASE, MATCH, begin, pass_time, poll, wait_for
from kit.matches import pegs
from kit.server import GameServer
from mastermind_protocol.clock import SECOND
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import (
    SERVER,
    Finished,
    Guessed,
    Left,
    MatchEnd,
    Resumed,
    RoundEnd,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.match import current_round
from mastermind_protocol.messages import OLD_SUBPROTOCOLS, Error, Happened
from mastermind_protocol.requests import Follow, Guess, Join, Resign
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.flags import NODE_RETRY_MS
from mastermind_server.timekeeping.pauses import INTERVAL_SECONDS
from mastermind_server.timekeeping.statements import list_outages


def stand_still(hall: GameServer, loop_clock: ManualClock, seconds: float) -> None:
    """Let the event loop do nothing for a time, and then find that out."""
    for clock in (loop_clock, hall.clock):
        clock.seconds += INTERVAL_SECONDS + seconds
    hall.services.pauses.record_pause_if_late()


def fail(*_: object, **__: object) -> None:
    raise StorageFailed(Reason.NOT_SAVED, retry_after=1.0)


async def test_a_code_that_is_not_set_closes_the_match(hall, ada, bob):
    await begin(hall, ada, bob)
    await pass_time(hall, 61)
    for wire in (ada, bob):
        assert await wait_for(wire, Finished) == (Finished(how=MatchEnd.CLOSED),)
    assert (await bob.list_own()).matches == ()


async def test_the_flag_falls_once_at_the_deadline_and_the_match_goes_on(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    await pass_time(hall, BASE - 1)
    assert hall.server.flags.delays.total == 0
    await pass_time(hall, 1.002)
    (ended,) = await wait_for(ada, RoundEnded)
    assert isinstance(ended, RoundEnded)
    assert (ended.how, ended.points) == (RoundEnd.TIME, 13)
    assert await wait_for(bob, RoundEnded) == (ended,)
    assert hall.server.flags.delays.cumulative_buckets[-1][1]
    await pass_time(hall, 61)  # for the second code, which the server draws
    (drawn,) = await wait_for(ada, SecretSet)
    assert isinstance(drawn, SecretSet)
    assert (drawn.by, drawn.code) == (SERVER, None)


async def test_the_server_draws_a_late_code_without_repeats_if_the_rules_have_none(hall, ada, bob):
    await begin(hall, ada, bob, rules="9x9u")  # one of 1,068 rows of colours is a code
    await ada.set(MATCH, "123456789")
    await pass_time(hall, BASE + 1)
    await wait_for(ada, RoundEnded)
    await pass_time(hall, 61)
    await wait_for(ada, SecretSet)
    async with hall.server.tables.use(MATCH) as table:
        secret = current_round(table.log.state).secret
    assert secret is not None
    assert sorted(secret) == list(range(9))


async def test_a_guess_takes_the_time_since_the_turn_began_and_gets_the_increment(hall, ada, bob):
    await begin(hall, ada, bob, "1+5")
    await ada.set(MATCH, "2345")
    hall.clock.skip(20)
    told = await bob.guess(MATCH, "2222")
    timer = bob.matches[MATCH].timer
    assert timer is not None
    assert timer.since == told.at
    assert timer.remaining == near(45 * SECOND)


async def test_a_late_guess_is_the_flag(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    hall.clock.seconds += BASE + 1  # the timer has not run yet
    await poll(hall)
    answer = await bob.ask(bob.new(Guess, match=MATCH, code=(1, 1, 1, 1)))
    assert isinstance(answer, Error)
    assert answer.code == ErrorCode.WRONG_PHASE
    assert await wait_for(ada, RoundEnded)


async def test_a_codebreaker_who_is_away_at_the_flag_has_left(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    await bob.guess(MATCH, "2222")
    await bob.close()
    await hall.until_connections(1)
    await pass_time(hall, BASE + 0.1)
    events = await wait_for(ada, Left)
    assert events[0] == Left(player=bob.id, absent=True)
    assert events[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_with_days_the_player_to_move_loses_however_often_it_guessed(hall, ada, bob):
    await begin(hall, ada, bob, "3d/move")
    await ada.set(MATCH, "2345")
    hall.clock.skip(2 * 86_400)
    await bob.guess(MATCH, "2222")
    await pass_time(hall, 2 * 86_400)
    await bob.guess(MATCH, "2223")
    await pass_time(hall, 3 * 86_400 + 1)
    events = await wait_for(ada, Left)
    assert events[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_pause_is_given_back_although_the_server_is_killed_after_it(idle_hall):
    hall, loop_clock = idle_hall, ManualClock()
    await hall.start(lag_clock=loop_clock)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    for clock in (loop_clock, hall.clock):
        clock.seconds += 20
    await hall.server.lease.write_alive_if_due()
    found = await hall.store.read(list_outages, MATCH, 0)
    assert [outage.ended - outage.began for outage in found] == [near(20 * SECOND)]


async def test_a_guess_that_the_server_could_not_read_until_the_deadline_is_in_time(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    hall.clock.seconds += BASE + 0.7  # in this time the loop reads nothing
    told = await bob.guess(MATCH, "2222")
    timer = bob.matches[MATCH].timer
    assert isinstance(told.events[0], Guessed)
    assert timer is not None
    assert timer.remaining == 0


async def test_a_short_pause_is_given_back_only_before_time_ends(idle_hall):
    hall, loop_clock = idle_hall, ManualClock()
    await hall.start(lag_clock=loop_clock)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, "30/move")
    await ada.set(MATCH, "2345")
    for _ in range(2):
        stand_still(hall, loop_clock, 0.4)
        told = await bob.guess(MATCH, "2222")
        assert isinstance(told.events[0], Guessed)
    stand_still(hall, loop_clock, 0.4)
    await pass_time(hall, 29.7)  # 0.1 s after the deadline
    (resumed,) = await wait_for(ada, Resumed)
    assert isinstance(resumed, Resumed)
    assert resumed.lost == 1000 * (INTERVAL_SECONDS + 0.4)
    told = await bob.guess(MATCH, "2222")
    assert isinstance(told.events[0], Guessed)


async def test_a_guess_that_the_store_failed_to_write_counts_when_it_is_repeated(
    hall, ada, bob, monkeypatch
):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    await bob.wait_for_turn(MATCH)
    hall.clock.skip(BASE - 1.5)
    with monkeypatch.context() as broken:
        broken.setattr(hall.store, "append", fail)
        guess = bob.new(Guess, match=MATCH, v=bob.versions[MATCH], code=pegs("2222"))
        answer = await bob.ask(guess)
        assert isinstance(answer, Error)
        assert answer.code == ErrorCode.STORAGE_FAILED
    await pass_time(hall, 2)
    await ada.settle()
    told = await bob.ask(guess)
    assert isinstance(told, Happened)
    assert isinstance(told.events[0], Guessed)


async def test_a_failing_store_does_not_make_the_flag_late(hall, ada, bob, monkeypatch):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    with monkeypatch.context() as broken:
        broken.setattr(hall.store, "append", fail)
        await pass_time(hall, BASE + 0.1)
        await bob.settle()
        for _ in range(3):
            hall.clock.skip(NODE_RETRY_MS / SECOND)
            await bob.settle()
    while not hall.server.flags.delays.total:
        hall.clock.skip(NODE_RETRY_MS / SECOND)
        await bob.settle()
    (resumed,) = await wait_for(ada, Resumed)
    assert isinstance(resumed, Resumed)
    assert resumed.lost >= 3 * NODE_RETRY_MS


@pytest.mark.parametrize(("request_type", "fields"), [(Follow, {}), (Join, {}), (Resign, {"v": 1})])
async def test_a_client_of_the_old_protocol_is_told_why_it_cannot_follow_or_move(
    hall, ada, bob, request_type, fields
):
    await begin(hall, ada, bob)
    old = await hall.connect(subprotocols=OLD_SUBPROTOCOLS[-1:])
    await old.hello("Old")
    answer = await old.ask(old.new(request_type, match=MATCH, **fields))
    assert isinstance(answer, Error)
    assert answer.code == ErrorCode.NEEDS_V2
    assert "1+0" in answer.message
    assert Reason.NEEDS_V2.key in str(answer.details)
