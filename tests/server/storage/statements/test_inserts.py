from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kit.matches import pegs
from mastermind_protocol.codec import encode_events
from mastermind_protocol.events import Guessed
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.idempotency import ReusedId
from mastermind_server.storage.notices import Notice, RowCopied, RowWritten
from mastermind_server.storage.rating_rows import RatingRow, Standing
from mastermind_server.storage.records import ArchiveRow, MatchRecord, RunningRow
from mastermind_server.storage.rows import ChatRow, LogRow, PredecessorMissing, RowTaken
from mastermind_server.storage.schema import archive, log, matches, ratings, running, standings
from mastermind_server.storage.statements.log import append_chat, append_many, read_log
from mastermind_server.storage.store import MOVES_PER_COMMIT, Store
from mastermind_server.storage.threads import StorageFailed
from server.storage.builders import listed, row


@asynccontextmanager
async def statements_of(store: Store) -> AsyncIterator[list[str]]:
    """Collect the first word of each SQL statement in the block."""
    found: list[str] = []

    def watch(session: Session) -> None:
        session.driver.set_trace_callback(lambda sql: found.append(sql.split()[0]))

    def leave(session: Session) -> None:
        session.driver.set_trace_callback(None)

    await store.write(watch)
    found.clear()
    collected: list[str] = []
    yield collected
    collected += found
    await store.write(leave)


async def test_an_old_sqlite_gets_the_rows_of_a_group_one_by_one(store):
    def grow_old(session):
        session.driver.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)

    await store.write(grow_old)
    rows = [row(f"M{number:05}", request=number + 1) for number in range(MOVES_PER_COMMIT)]
    await asyncio.gather(*map(store.append, rows))
    assert [(await store.read(read_log, row.match))[0] for row in rows[-3:]] == rows[-3:]


@pytest.mark.parametrize("others", [0, 2])
async def test_a_row_is_written_only_after_its_predecessor(any_store, others):
    """Alone, and in a group of rows of other matches."""
    await any_store.append(row("AAAAAA", 1))
    rows = [row("AAAAAA", 3), *[row(f"M{number:05}") for number in range(others)]]
    missing, *written = await asyncio.gather(*map(any_store.append, rows), return_exceptions=True)
    assert isinstance(missing, PredecessorMissing)
    assert written == [None] * others
    with pytest.raises(RowTaken):
        await any_store.append(row("AAAAAA", 1))
    await any_store.append(row("AAAAAA", 2), row("AAAAAA", 3))  # both in one commit
    with pytest.raises(RowTaken):
        await any_store.append(row("AAAAAA", 2))
    assert [each.version for each in await any_store.read(read_log, "AAAAAA")] == [1, 2, 3]


@pytest.mark.parametrize("size", [1, 2, 3, 8, 50, MOVES_PER_COMMIT])
async def test_a_group_of_moves_is_one_statement(store, size):
    rows = [row(f"M{number:05}", request=number + 1) for number in range(size)]
    async with statements_of(store) as statements:
        await asyncio.gather(*map(store.append, rows))
    assert statements == ["INSERT"]
    assert [(await store.read(read_log, row.match))[0] for row in rows[-3:]] == rows[-3:]


async def test_moves_beside_other_writes_are_one_statement_of_one_transaction(store):
    async with statements_of(store) as statements:
        await asyncio.gather(
            store.append(row("AAAAAA")),
            store.append(row("BBBBBB"), projections=[listed("BBBBBB")]),
            *[store.append(row(f"M{number:05}")) for number in range(20)],
        )
    assert statements == ["BEGIN", "INSERT", "INSERT", "INSERT", "DELETE", "COMMIT"]


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        (LogRow, log),
        (MatchRecord, matches),
        (RunningRow, running),
        (ArchiveRow, archive),
        (RatingRow, ratings),
        (Standing, standings),
    ],
)
def test_a_row_is_a_tuple_of_its_tables_columns(kind, table):
    assert kind._fields == tuple(table.columns.keys())


@pytest.mark.parametrize("spoiler", ["version", "request", "chat", "twin", "number", "name"])
async def test_a_refused_move_spoils_no_other_of_its_group(any_store, spoiler):
    await any_store.append(row("AAAAAA", request=1))
    await any_store.write(
        append_chat, ChatRow("AAAAAA", "players", 1, 1, 0, "A", "Ada", "Hi", None, 2)
    )
    spoilers = {
        "version": row("AAAAAA", 1, 9),
        "request": row("AAAAAA", 2, 1),
        "chat": row("AAAAAA", 2, 2),
        "twin": row("M00003", request=103),
        "number": row("AAAAAA", 2, 2**63),  # which no column takes
        "name": row("\ud800", 1, 9),
    }
    rows = [row(f"M{number:05}", request=100 + number) for number in range(6)]
    rows.insert(5, spoilers[spoiler])

    outcomes = await asyncio.gather(*map(any_store.append, rows), return_exceptions=True)

    unwritable: dict[str, Any] = {
        "number": (OverflowError, StorageFailed),
        "name": UnicodeEncodeError,
    }
    refused = ReusedId if spoiler == "chat" else unwritable.get(spoiler, RowTaken)
    assert isinstance(outcomes.pop(5), refused)
    assert outcomes == [None] * 6
    for number in range(6):
        assert len(await any_store.read(read_log, f"M{number:05}")) == 1


async def test_of_a_group_the_stored_guesses_are_copied_for_other_nodes(postgres_url):
    store = await Store.open(postgres_url)
    await store.append(row("AAAAAA"))
    events = encode_events((Guessed(code=pegs("1234"), black=1, white=0),))
    refused, stored = (row("AAAAAA", version)._replace(events=events) for version in (1, 2))

    def write(session: Session) -> list[Notice]:
        append_many(session, [refused, stored, row("BBBBBB")])
        return list(session.notices)

    copy = RowCopied(stored, store.epoch)
    assert await store.write(write) == [copy, RowWritten("AAAAAA", 2), RowWritten("BBBBBB", 1)]
    await store.close()


async def test_rows_of_one_append_are_written_all_or_none(store):
    left = []

    def write(session):
        left.append(list(session.insert_log([row("AAAAAA"), row("BBBBBB")])))
        left.append(list(session.insert_log([row("CCCCCC"), row("AAAAAA")])))

    await store.write(write)
    assert left == [[], [0, 1]]
    assert (
        len(await store.read(read_log, "AAAAAA")) == len(await store.read(read_log, "BBBBBB")) == 1
    )
    assert await store.read(read_log, "CCCCCC") == []
