from __future__ import annotations

import asyncio

from kit.client import PeerStub
from kit.matches import pegs
from mastermind_protocol.commands import GuessCode, LeaveMatch
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import MAX_ROWS, Happened
from mastermind_server.matches.tables.tables import Tables
from mastermind_server.storage.idempotency import RequestKey
from mastermind_server.storage.statements.log import read_log
from server.matches.tables.logs import long_log

LONG = "AEGEAN"  # the code of a match with a long log


async def test_a_long_log_is_sent_in_pages(hall, ada, bob):
    await hall.store.append(*long_log(LONG, MAX_ROWS + 8, ada.player, bob.player))
    first = await bob.follow(LONG)
    assert (len(first.rows), first.more, first.present) == (MAX_ROWS, True, ())
    assert max(map(len, bob.frames)) < 16 * 1024
    second = await bob.follow(LONG, first.rows[-1].v)
    assert (len(second.rows), second.more, second.present) == (8, False, (bob.id,))
    versions = [row.v for log in (first, second) for row in log.rows]
    assert versions == list(range(1, MAX_ROWS + 9))
    whole = await bob.follow(LONG, 8)
    assert (len(whole.rows), whole.more) == (MAX_ROWS, False)
    assert (await bob.guess(LONG, "1234")).v == MAX_ROWS + 9


async def test_events_are_sent_only_after_the_last_page_of_a_log(hall, ada, bob):
    await hall.store.append(*long_log(LONG, MAX_ROWS + 2, ada.player, bob.player))
    assert (await ada.follow(LONG)).more
    await bob.follow(LONG)
    await bob.follow(LONG, MAX_ROWS)
    await bob.guess(LONG, "1111")
    rest = await ada.follow(LONG, MAX_ROWS)
    assert [row.v for row in rest.rows] == [MAX_ROWS + 1, MAX_ROWS + 2, MAX_ROWS + 3]
    assert not [told for told in ada.unread() if isinstance(told, Happened)]


async def test_a_client_that_falls_behind_while_it_pages_misses_no_row(hall, ada, bob):
    await hall.store.append(*long_log(LONG, MAX_ROWS + 2, ada.player, bob.player))
    pages = [await ada.follow(LONG)]
    async with hall.server.tables.use(LONG) as table:
        for _ in range(MAX_ROWS + 1):  # more than the next page
            await table.perform(GuessCode(pegs("1111")), bob.id)
        while pages[-1].more:
            pages.append(await ada.follow(LONG, pages[-1].rows[-1].v))
        await table.perform(GuessCode(pegs("1111")), bob.id)
    assert [len(page.rows) for page in pages] == [MAX_ROWS, MAX_ROWS, 3]
    last = 2 * MAX_ROWS + 3
    assert [row.v for page in pages for row in page.rows] == [*range(1, last + 1)]
    assert (await ada.until(Happened)).v == last + 1  # no event came before


async def test_one_of_two_concurrent_tables_writes_a_version(hall, ada, bob, match):
    await ada.set(match, "1234")
    here, there = Tables(hall.services), Tables(hall.services)  # two nodes, as it were
    watcher = PeerStub(bob)
    async with here.use(match) as first, there.use(match) as second:
        second.follow(watcher, 1, 0)
        watcher.take_messages()
        outcomes = await asyncio.gather(
            first.perform(GuessCode(pegs("1111")), bob.id, key=RequestKey(71, b"71"), version=3),
            second.perform(GuessCode(pegs("2222")), bob.id, key=RequestKey(72, b"72"), version=3),
            return_exceptions=True,
        )
    won = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    lost = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert [entry.version for entry in won] == [4]
    assert [refusal.code for refusal in lost] == [ErrorCode.STALE_VERSION]
    assert [row.version for row in await hall.store.read(read_log, match)] == [1, 2, 3, 4]
    there.cancel_timers()


async def test_a_table_adds_a_stored_row_only_if_it_is_the_next_of_the_same_history(
    hall, ada, bob, match
):
    await ada.set(match, "1234")
    here, there = Tables(hall.services), Tables(hall.services)
    watcher, epoch = PeerStub(ada), hall.store.epoch
    async with here.use(match) as first, there.use(match) as second:
        second.follow(watcher, 1, 0)
        second.drives_bots = True
        rows = [await first.perform(GuessCode(pegs(code)), bob.id) for code in ("1111", "2222")]
        second.add_row(rows[1], epoch)  # a row is missing before it
        second.add_row(rows[0], "another")
        second.add_row(rows[0]._replace(events=b"\xc1"), epoch)
        second.stale = True
        second.add_row(rows[0], epoch)
        second.stale = False
        second.log.epoch = "another"
        second.add_row(rows[0], epoch)
        second.add_row(rows[0], "another")
        second.log.epoch = epoch
        async with second._lock:  # while a command is carried out
            second.add_row(rows[0], epoch)
        assert second.log.version == 3
        for row in (*rows, *rows):
            second.add_row(row, epoch)
        assert not second.drives_bots
    assert [told.v for told in watcher.take_messages() if isinstance(told, Happened)] == [4, 5]
    assert second.log.state == first.log.state
    there.cancel_timers()


async def test_a_table_that_lost_a_race_reads_the_row_and_decides_again(hall, ada, bob, match):
    await ada.set(match, "1234")
    here, there = Tables(hall.services), Tables(hall.services)
    watcher = PeerStub(ada)
    async with here.use(match) as first, there.use(match) as second:
        second.follow(watcher, 1, 0)
        watcher.take_messages()
        guessed = await first.perform(GuessCode(pegs("1111")), bob.id, version=3)
        left = await second.perform(LeaveMatch(), bob.id)  # legal at any version
    assert (guessed.version, left.version) == (4, 5)
    assert [told.v for told in watcher.take_messages() if isinstance(told, Happened)] == [4, 5]
    (played,) = second.log.state.played
    assert played.turns == (Turn(pegs("1111"), Feedback(1, 0)),)
    there.cancel_timers()
