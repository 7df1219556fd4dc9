"""The time of one match: lost time, and the moments of requests that waited."""

from __future__ import annotations

import asyncio

from kit.matches import pegs
from mastermind_protocol.codec import decode_events
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.events import Guessed, Resumed, RoundEnd, RoundEnded
from mastermind_server.pauses import Outage
from mastermind_server.storage.statements.log import read_log
from server.matches.nodes.clocked import MATCH, begin, pass_time, wait_for


async def test_time_lost_after_a_request_was_read_is_given_back_once_and_after_it(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    read_at = hall.clock.now()
    async with hall.server.tables.use(MATCH) as table:
        now = hall.clock.unix_milliseconds()
        table.time.set_outages([Outage(now + 1000, now + 9000)])
        hall.clock.skip(10)
        async with asyncio.timeout(5):
            await table.perform(GuessCode(pegs("2222")), bob.id, at=read_at)
            await table.perform(GuessCode(pegs("2223")), bob.id)
    rows = await hall.store.read(read_log, MATCH)
    events = [event for row in rows for event in decode_events(row.events)]
    assert [type(event) for event in events[-3:]] == [Guessed, Resumed, Guessed]
    (resumed,) = (event for event in events if isinstance(event, Resumed))
    assert resumed.lost == 8000


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
