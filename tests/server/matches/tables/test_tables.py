"""Tables in memory are loaded once, in pieces, and cached after use."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from kit.clock import ManualClock
from kit.matches import state_of
from kit.store import WatchedStore
from mastermind_protocol.chat import MAX_CHAT_LINES_SHOWN
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Opened, Player
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Follow
from mastermind_server.matches.tables import match_log as match_log_module
from mastermind_server.matches.tables import tables as tables_module
from mastermind_server.matches.tables.match_log import PAUSE_SECONDS, ROWS_PER_QUERY
from mastermind_server.matches.tables.table import Table
from mastermind_server.matches.tables.tables import TABLES_LOADED_AT_ONCE, Tables
from mastermind_server.storage.rows import ChatRow, LogRow
from mastermind_server.storage.statements.log import append_chat, read_log
from server.matches.nodes.stores import Deaf
from server.matches.tables.logs import long_log

MAKER, BREAKER = Player("ANN", "Ann"), Player("BEN", "Ben")


class Counting(WatchedStore):
    """A store that records the number of rows of each read."""

    given: list[int]

    async def after(self, statement: Callable[..., object], result: Any) -> None:
        if statement is read_log:
            self.given.append(len(result))


@pytest.fixture
async def counting(idle_hall):
    """A server with a counting store and three matches, the second a long one."""
    Counting.given = []
    await idle_hall.start(store=Counting)
    for match, length in (("AAAAAA", 9), ("LNGEST", 3 * ROWS_PER_QUERY), ("CCCCCC", 9)):
        await idle_hall.store.append(*long_log(match, length, MAKER, BREAKER))
    return idle_hall


async def use(tables: Tables, match: str) -> Table:
    """Use and release a table."""
    async with tables.use(match) as table:
        return table


async def test_a_table_is_kept_after_use(counting):
    first = await use(counting.server.tables, "AAAAAA")
    assert await use(counting.server.tables, "AAAAAA") is first
    assert Counting.given == [9]


async def test_watchers_are_called_for_changes_of_phase_and_followers_only(
    hall, ada, bob, eve, match
):
    calls: list[Phase] = []
    hall.server.tables.watchers.append(lambda table: calls.append(table.log.state.phase))
    await ada.set(match, "1234")
    assert calls == [Phase.BREAKING]
    await bob.guess(match, "5566")
    await bob.say(match, "Hm.")
    assert calls == [Phase.BREAKING]
    await eve.follow(match)
    await eve.unfollow(match)
    await ada.leave(match)
    assert calls == [Phase.BREAKING] * 3 + [Phase.FINISHED] * 2  # the last one unfollows


async def test_concurrent_uses_load_a_match_once(counting):
    tables = await asyncio.gather(*(use(counting.server.tables, "AAAAAA") for _ in range(20)))
    assert len(set(map(id, tables))) == 1
    assert Counting.given == [9]


async def test_a_long_log_is_read_in_pieces(counting):
    table = await use(counting.server.tables, "LNGEST")
    assert table.log.version == 3 * ROWS_PER_QUERY
    first, more = ROWS_PER_QUERY, 0  # which there would be in a very long one
    assert Counting.given == [first, more, ROWS_PER_QUERY, ROWS_PER_QUERY, 0]
    seen = await table.log.view_of(BREAKER.id)
    assert seen.current is not None
    assert (seen.current.secret, len(seen.current.turns)) == (None, table.log.version - 2)


@pytest.mark.promise("claimed-version")
async def test_a_private_store_is_not_read_for_a_claimed_later_version(counting):
    tables, later = counting.server.tables, 2**31 - 1
    table = await use(tables, "AAAAAA")
    async with tables.use("AAAAAA", later) as used:
        assert used is table
    assert Counting.given == [9]  # a file has one writer


def count_pauses(clock: ManualClock) -> int:
    """Return the number of logs that are read slowly."""
    return sum(timer.seconds == PAUSE_SECONDS for timer in clock.pending)


@pytest.mark.promise("long-matches")
async def test_a_short_match_is_loaded_before_long_ones(counting, monkeypatch):
    monkeypatch.setattr(tables_module, "ROWS_BEFORE_PAUSES", ROWS_PER_QUERY)
    monkeypatch.setattr(match_log_module, "ROWS_BEFORE_PAUSES", ROWS_PER_QUERY)
    longest = [f"LNG{number:03}" for number in range(TABLES_LOADED_AT_ONCE + 1)]
    for match in longest:  # one more than may be loaded at once
        await counting.store.append(*long_log(match, 3 * ROWS_PER_QUERY, MAKER, BREAKER))
    tables = counting.server.tables
    loads = [asyncio.create_task(use(tables, match)) for match in longest]
    clock = counting.clock  # slow reads pause while it stops
    await clock.until(lambda _: count_pauses(clock) == TABLES_LOADED_AT_ONCE)
    async with asyncio.timeout(10):
        assert (await use(tables, "AAAAAA")).log.version == 9
    assert not any(load.done() for load in loads)
    while not all(load.done() for load in loads):
        clock.skip(PAUSE_SECONDS)
        await asyncio.sleep(0)
    assert [load.result().log.version for load in loads] == [3 * ROWS_PER_QUERY] * len(longest)


@pytest.mark.parametrize(
    "bound",
    [
        pytest.param(("TABLES_KEPT", 1), id="their number"),
        pytest.param(("ROWS_KEPT", 3 * ROWS_PER_QUERY), id="their rows"),
    ],
)
async def test_the_longest_unused_tables_are_dropped(counting, bound, monkeypatch):
    monkeypatch.setattr(tables_module, *bound)
    tables = counting.server.tables
    first = await use(tables, "AAAAAA")
    async with tables.use("CCCCCC") as used:
        await use(tables, "LNGEST")
        assert await use(tables, "CCCCCC") is used
    assert await use(tables, "AAAAAA") is not first


async def test_chat_lines_count_as_rows_in_memory(counting, monkeypatch):
    line = ChatRow("AAAAAA", "players", 1, 1, 0, MAKER.id, MAKER.name, "Hm.", None, 1)
    for n in range(1, MAX_CHAT_LINES_SHOWN + 2):  # the first is never shown again
        await counting.store.write(append_chat, replace(line, n=n, request=n))
    tables = counting.server.tables
    monkeypatch.setattr(
        "mastermind_server.matches.tables.tables.ROWS_KEPT", 9 + MAX_CHAT_LINES_SHOWN
    )
    first = await use(tables, "AAAAAA")
    assert tables.get("AAAAAA") is first
    await use(tables, "CCCCCC")
    assert tables.get("AAAAAA") is None


async def test_a_finished_match_is_dropped_before_running_ones(counting, monkeypatch):
    monkeypatch.setattr("mastermind_server.matches.tables.tables.TABLES_KEPT", 1)
    tables = counting.server.tables
    running = await use(tables, "AAAAAA")
    async with tables.use("CCCCCC") as ended:
        await ended.perform(LeaveMatch(), BREAKER.id)
    assert tables.get("AAAAAA") is running
    assert tables.get("CCCCCC") is None


async def test_a_table_whose_write_was_cancelled_is_not_kept(counting):
    async with counting.server.tables.use("AAAAAA") as table:
        leaving = asyncio.create_task(table.perform(LeaveMatch(), BREAKER.id))
        await asyncio.sleep(0)  # it is being written
        leaving.cancel()  # as when the connection ends just then
        await asyncio.wait([leaving])
        await counting.store.append(LogRow("OTHERS", 1, 0, b"\x90"))  # is written after it
    assert table.log.version == 9
    assert (await use(counting.server.tables, "AAAAAA")).log.version == 10


async def test_a_table_is_not_kept_if_its_log_is_rewritten_while_it_is_loaded(counting):
    tables = counting.server.tables
    loading = asyncio.create_task(use(tables, "AAAAAA"))
    await asyncio.sleep(0)  # the read may have the rows before the rewrite
    tables.evict_rewritten("AAAAAA")
    first = await loading
    second = await use(tables, "AAAAAA")
    assert second is not first
    assert await use(tables, "AAAAAA") is second


NO_RULES = encode_events((Opened(rules="0x0", rounds=1),))


@pytest.mark.parametrize(("row", "damaged"), [(4, b"\xc1"), (1, NO_RULES)])
async def test_a_damaged_row_is_storage_failed_and_one_line_in_the_log(
    hall, ada, caplog, row, damaged
):
    before = long_log("AAAAAA", 3, MAKER, BREAKER)[: row - 1]
    await hall.store.append(*before, LogRow("AAAAAA", row, 0, damaged))
    refusal = await ada.refused(Follow, match="AAAAAA")
    assert (refusal.code, refusal.retry_after) == (ErrorCode.STORAGE_FAILED, 1.0)
    assert "the log of match AAAAAA is damaged" in refusal.message
    (line,) = [record for record in caplog.records if record.name.startswith("mastermind")]
    assert f"row {row} of its log is damaged" in line.getMessage()
    assert line.exc_info is None


async def test_a_log_with_a_gap_is_damaged(hall, ada, caplog):
    await hall.store.append(*long_log("AAAAAA", 5, MAKER, BREAKER))
    with closing(sqlite3.connect(hall.database, isolation_level=None)) as driver:
        driver.execute("DELETE FROM log WHERE version = 4")
    assert (await ada.refused(Follow, match="AAAAAA")).code == ErrorCode.STORAGE_FAILED
    assert caplog.messages == ["match AAAAAA: row 5 of its log is damaged: row 4 is missing"]


async def test_a_follower_of_a_cached_finished_match_gets_the_rematch_of_another_node(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada, bob, match = await here.begin_match()
    await ada.set(match, "2345")
    await bob.resign(match)
    eve = await there.meet("Eve")
    assert state_of(await eve.follow(match)).phase is Phase.FINISHED
    await eve.unfollow(match)
    rematch = (await ada.rematch(match)).match
    assert state_of(await eve.follow(match)).rematch == rematch
