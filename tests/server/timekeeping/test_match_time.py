"""The time of one match: lost time, and the moments of requests that waited."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from kit.client import PATIENCE, PeerStub
from kit.clock import near
from kit.clocked import BASE, MATCH, begin, pass_time, poll, wait_for
from kit.matches import pegs
from mastermind_protocol.clock import DAY, SECOND
from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.commands import GuessCode, LeaveMatch, SetSecret
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Guessed, Resumed, RoundEnd, RoundEnded
from mastermind_protocol.messages import Advice
from mastermind_protocol.requests import Advise, Guess
from mastermind_protocol.transitions import Moment, expire
from mastermind_server.matches.analysis import Analysis
from mastermind_server.matches.contests.days import Days
from mastermind_server.matches.contests.entries import Entries
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.presence import PresenceRow
from mastermind_server.timekeeping.match_time import GRACE_MS
from mastermind_server.timekeeping.outages import Outage


async def test_time_lost_after_a_request_was_read_is_given_back_once_and_after_it(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    await bob.unfollow(MATCH)  # so that the outage of another node takes time
    read_at = hall.clock.now()
    async with hall.server.tables.use(MATCH) as table:
        now = hall.clock.unix_milliseconds()
        table.time.lost.outages = [Outage(now + 1000, now + 9000)]
        hall.clock.skip(10)
        async with asyncio.timeout(PATIENCE):
            await table.perform(GuessCode(pegs("2222")), bob.id, at=read_at)
            await table.perform(GuessCode(pegs("2223")), bob.id)
    rows = await hall.store.read(read_log, MATCH)
    events = [event for row in rows for event in decode_events(row.events)]
    assert [type(event) for event in events[-3:]] == [Guessed, Resumed, Guessed]
    (resumed,) = (event for event in events if isinstance(event, Resumed))
    assert resumed.lost == 8000


@pytest.mark.parametrize(
    ("began", "ended", "arrivals", "late", "lost"),
    [
        (-5, 20, [], 1, 20),  # the player is not back
        (-5, 40, [20], 1, 20),  # the end of time did not wait for the end of this outage
        (10, 40, [25], 1, 15),
        (10, 40, [25, 35], 1, 15),  # the player lost the connection to this node, and returned
        (30, 50, [15, 40], 1, 10),  # the player had gone back to that node before
        (10, 75, [25], 20, 30),  # it waited from 60 s to 75 s
        (30, 75, [15], 20, 0),  # the player had left that node before
        (-15, 75, [0], 20, 0),  # the turn began after the player had come
    ],
)
async def test_an_outage_of_another_node_takes_time_until_the_player_comes_to_this_one(
    hall, ada, bob, began, ended, arrivals, late, lost
):
    await begin(hall, ada, bob)
    if arrivals != [0]:
        await bob.unfollow(MATCH)
    hall.clock.seconds += 9
    await ada.set(MATCH, "2345")
    async with hall.server.tables.use(MATCH) as table:
        start = table.time.lost.find_turn_start()
        for passed, arrival in pairwise([0, *arrivals]):
            if passed:
                await bob.unfollow(MATCH)
            hall.clock.seconds += arrival - passed
            if arrival:
                await bob.follow(MATCH)
        table.time.lost.outages = [Outage(start + began * SECOND, start + ended * SECOND)]
        hall.clock.seconds += BASE + late - max(arrivals, default=0)
        decision = table.time.decide(table.time.find_moment())
        assert decision is not None
        first = decision.events[0]
        found = first.lost if isinstance(first, Resumed) else 0
        assert found == near(lost * SECOND)


async def test_a_codebreaker_who_has_just_guessed_was_not_away(hall, ada, bob):
    await begin(hall, ada, bob, "20/move")
    await ada.set(MATCH, "2345")
    await bob.unfollow(MATCH)
    await pass_time(hall, 15)
    await bob.guess(MATCH, "2222")  # no request needs the subscription
    await pass_time(hall, 20.1)
    (ended,) = await wait_for(ada, RoundEnded)
    assert isinstance(ended, RoundEnded)
    assert ended.how is RoundEnd.TIME


async def test_advice_leaves_the_listed_end_of_a_move_by_days(hall, ada, bob):
    await begin(hall, ada, bob, "3d/move")
    await ada.set(MATCH, "2345")
    hall.clock.skip(3600)
    await bob.ask(bob.new(Advise, match=MATCH, v=2))
    advised = (await bob.list_own()).matches[0].until
    await bob.guess(MATCH, "2222")
    guessed = (await bob.list_own()).matches[0].until
    rows = await hall.store.read(read_log, MATCH)
    assert advised == near(rows[1].at + 3 * DAY)  # the latency of a busy machine is credited
    assert guessed == near(rows[3].at + 3 * DAY)


async def test_no_request_ends_the_time_of_a_player_whose_request_in_time_waits(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    waiting = PeerStub(bob)
    async with hall.server.tables.use(MATCH) as table:
        table.follow(waiting, 1, 0)
        hall.clock.seconds += BASE + 1  # no timer runs
        await poll(hall)
        waiting.unhandled = [(encode(Guess(id=9, match=MATCH, v=2, code=pegs("2222"))), 5.0)]
        for command in (GuessCode(pegs("1111")), LeaveMatch()):
            with pytest.raises(Refused) as refused:
                await table.perform(command, ada.id, at=hall.clock.now())
            assert refused.value.reason is Reason.CLOCK_ELSEWHERE
        row = await table.perform(GuessCode(pegs("2222")), bob.id, at=hall.clock.now() - 5)
    assert isinstance(decode_events(row.events)[0], Guessed)


@pytest.mark.promise("own-flag")
@pytest.mark.parametrize(
    ("unhandled", "waits"),
    [
        ((None, 2.0), True),
        ((encode(Guess(id=9, match=MATCH, v=2, code=pegs("2222"))), 2.0), True),
        ((encode(Guess(id=9, match=MATCH, v=2, code=pegs("2222"))), 0.5), False),
        ((encode(Guess(id=9, match=MATCH, v=1, code=pegs("2222"))), 2.0), False),
        ((encode(Guess(id=9, match="CKCKEE", v=2, code=pegs("2222"))), 2.0), False),
        ((encode(Advise(id=9, match=MATCH, v=2)), 2.0), False),
        ((b"nonsense", 2.0), False),
    ],
)
async def test_only_a_move_that_was_read_in_time_puts_off_the_end_of_time(
    hall, ada, bob, unhandled, waits
):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    peer = PeerStub(bob)
    async with hall.server.tables.use(MATCH) as table:
        table.follow(peer, 1, 0)
        hall.clock.seconds += BASE
        await poll(hall)
        hall.clock.seconds += 1
        peer.unhandled = [unhandled]
        assert table.time.has_unhandled_move() is waits


@pytest.mark.parametrize("elsewhere", [True, False])
async def test_the_flag_waits_for_a_guess_that_this_node_cannot_see(hall, ada, bob, elsewhere):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    async with hall.server.tables.use(MATCH) as table:
        deadline = table.time.find_deadline()
        assert table.time.find_flag_time() == deadline
        if elsewhere:
            table.followers.set_elsewhere(PresenceRow((bob.id,), 0))
        else:
            await bob.unfollow(MATCH)
        deadline = table.time.find_deadline()
        assert table.time.find_flag_time() == deadline + GRACE_MS
        decision = expire(table.log.state, Moment(10**9), lambda _: SetSecret(pegs("1111"), None))
        for late, waits in ((GRACE_MS, True), (GRACE_MS + 1, False)):
            moment = Moment(deadline + late - table.log.rows[0].at)
            assert table.time.must_wait(decision, moment, for_request=False) is waits


async def test_advice_that_was_asked_in_time_ends_no_time(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    peer = PeerStub(bob)
    call = peer.call(Advise(id=91, match=MATCH, v=2))._replace(at=hall.clock.now())
    hall.clock.seconds += BASE + 1
    entries = Entries(Days(hall.services), hall.services)
    await Analysis(hall.server.tables, hall.services, entries).advise(call)
    assert [type(told) for told in peer.take_messages()] == [Advice]
