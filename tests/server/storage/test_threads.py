"""The threads of a store: groups, order, cancelled calls, failures, and the end."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kit.client import PATIENCE
from kit.faults import no_descriptors_left
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Player
from mastermind_server.storage import connection_thread, registrations
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.database import Session
from mastermind_server.storage.sqlite import SqliteFile
from mastermind_server.storage.store import RowTaken, Store
from mastermind_server.storage.writer import Writer
from mastermind_server.tuning import (
    LONE_WRITES,
    OTHERS_AT_ONCE,
    OVERLOADED_RETRY_SECONDS,
    READS_AT_ONCE,
    REGISTERED_AT_ONCE,
)
from server.storage.builders import count_commits, read_with, row, write_with

CROWD = 2 * REGISTERED_AT_ONCE + 1


def add_player(store: Store, number: int) -> Awaitable[None]:
    return store.add_player(Player(id=f"P{number}", name="Guest"), number.to_bytes(32), 0)


CALLS: dict[str, Callable[[Store, int], Awaitable[object]]] = {
    "append": lambda store, number: store.append(row(f"M{number:05}")),
    "read": lambda store, number: store.read_log(f"M{number:05}"),
    "add player": add_player,
}


@pytest.fixture(params=CALLS.values(), ids=list(CALLS))
def call(request, store):
    """A function that starts the call with a number."""

    async def begin(number):
        return await request.param(store, number)

    return lambda number: asyncio.create_task(begin(number))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Block all writes to a file in the block."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def path(store, tmp_path):
    """The file of the store."""
    del store
    return tmp_path / "store.sqlite3"


# Groups.


async def test_concurrent_appends_share_commits(store, path, caplog):
    await store.append(row("BEFORE"))
    before = count_commits(path)
    caplog.set_level(logging.INFO)
    rows = [row(f"M{number:05}") for number in range(300)]
    outcomes = await asyncio.gather(
        *[store.append(row) for row in (*rows, *rows)], return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 300 + [RowTaken] * 300
    assert caplog.records == []
    assert 1 <= count_commits(path) - before < len(rows) / 2


async def test_a_move_passes_a_crowd_of_other_writes(store, path):
    with locked(path):
        ada = Player(id="A", name="Ada")
        crowd = [asyncio.create_task(store.change_player(ada)) for _ in range(6 * OTHERS_AT_ONCE)]
        await asyncio.sleep(0)
        move = asyncio.ensure_future(store.append(row()))
        await asyncio.sleep(0)
    await move
    assert sum(write.done() for write in crowd) <= 2 * OTHERS_AT_ONCE
    await asyncio.gather(*crowd)


async def test_a_crowd_of_new_players_is_written_in_large_groups(any_store):
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*[add_player(any_store, number) for number in range(CROWD)])
    assert any_store.measure().writing.within[-1][1] == 3
    tokens = {number.to_bytes(32) for number in range(CROWD)}
    assert await any_store.find_tokens(tokens) == tokens


async def test_concurrent_reads_get_their_own_results(store):
    matches = [f"M{number:05}" for number in range(3 * READS_AT_ONCE)]
    await store.append(*map(row, matches))
    found = await asyncio.gather(*map(store.read_log, matches))
    assert found == [[row(match)] for match in matches]


class Batches:
    """A writer with a batch window in seconds, and the number of its commits."""

    def __init__(self, database: SqliteFile, window: float) -> None:
        self.writer = Writer(database, pace=window)
        self.statements: list[str] = []

    def write(self, number: int) -> asyncio.Future[object]:
        def append(session: Session) -> list[int]:
            session.driver.set_trace_callback(self.statements.append)
            return list(session.append_together([row(f"M{number:05}")]))

        return self.writer.write(append, move=True)

    @property
    def commits(self) -> int:
        return self.statements.count("COMMIT")


async def test_lone_writes_pass_the_batch_window_and_a_crowd_is_collected_in_it(tmp_path):
    database = SqliteFile(tmp_path / "store.sqlite3")
    batches = Batches(database, window=3600)
    async with asyncio.timeout(PATIENCE):
        for number in range(LONE_WRITES):
            await batches.write(number)
    assert batches.commits == LONE_WRITES
    later = []
    for number in range(LONE_WRITES, 50):
        later.append(batches.write(number))
        await asyncio.sleep(0)
    await batches.writer.close()
    assert await asyncio.gather(*later) == [[]] * len(later)
    assert batches.commits == LONE_WRITES + 1
    database.close()


async def test_the_next_crowd_is_written_when_the_batch_window_is_over(tmp_path):
    database = SqliteFile(tmp_path / "store.sqlite3")
    batches = Batches(database, window=0.01)
    async with asyncio.timeout(PATIENCE):
        for number in range(3):
            await asyncio.gather(*[batches.write(9 * number + n) for n in range(LONE_WRITES + 1)])
    assert batches.commits == 3
    await batches.writer.close()
    database.close()


# Calls.


async def test_a_cancelled_call_harms_no_other_in_its_group(call):
    first, cancelled, last = map(call, range(3))
    await asyncio.sleep(0)
    cancelled.cancel()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(first, last)


async def test_a_full_queue_refuses_the_next_call_and_serves_those_in_it(call, monkeypatch):
    for module in (connection_thread, registrations):
        monkeypatch.setattr(module, "STORE_QUEUE", 3)
    outcomes = await asyncio.gather(*map(call, range(4)), return_exceptions=True)
    *_, refused = outcomes
    assert not any(isinstance(outcome, Exception) for outcome in outcomes[:3])
    assert isinstance(refused, StorageFailed)
    assert (refused.code, refused.limit) == (ErrorCode.RATE_LIMITED, 3)
    assert refused.retry_after == OVERLOADED_RETRY_SECONDS
    await call(5)


async def test_a_closed_store_has_done_the_pending_calls_and_refuses_others(call, store, path):
    pending = [call(number) for number in range(CROWD)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*pending)
    with pytest.raises(StorageFailed):
        await asyncio.wait_for(call(CROWD), PATIENCE)
    again = await Store.open(path)
    written = len(await again.read_log("M00000")) + (await again.count_tokens("P0"))
    assert written == (not isinstance(pending[0].result(), list))
    await again.close()


async def test_a_file_that_cannot_be_opened_fails_calls_until_it_can(call):
    with no_descriptors_left(), pytest.raises(StorageFailed):
        await asyncio.wait_for(call(0), PATIENCE)
    await call(1)


async def test_a_failed_query_harms_no_other(store, caplog):
    def fail(session):
        session.driver.execute("SELECT * FROM nowhere")

    def refuse(_):
        raise LookupError

    found = await asyncio.gather(
        store.read_log("AAAAAA"), read_with(store, fail), read_with(store, refuse),
        store.read_log("AAAAAA"), return_exceptions=True,
    )  # fmt: skip
    assert [type(one) for one in found] == [list, StorageFailed, LookupError, list]
    assert isinstance(found[1], StorageFailed)
    assert (found[1].code, found[1].retry_after) == (ErrorCode.STORAGE_FAILED, 1)
    assert caplog.messages == ["the database could not be read: no such table: nowhere"]


async def test_only_stored_rows_of_a_lost_transaction_are_acknowledged(store, path):
    """SQLite rolls the whole transaction back when a statement finds the file full."""
    pages = path.stat().st_size // 4096 + 8
    await write_with(
        store, lambda session: session.driver.execute(f"PRAGMA max_page_count={pages}").close()
    )
    small = [row("FIRSTS"), row("SMALLS"), row("LARGES")._replace(events=bytes(100_000)), row()]
    with locked(path):
        writes = [asyncio.ensure_future(store.append(each)) for each in small]
        await asyncio.sleep(0)
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    for each, outcome in zip(small, outcomes, strict=True):
        assert (await store.read_log(each.match) == []) is isinstance(outcome, StorageFailed)
    assert isinstance(outcomes[2], StorageFailed)


async def test_a_disk_that_does_not_answer_holds_up_no_stop(tmp_path, caplog):
    database = SqliteFile(tmp_path / "store.sqlite3")
    writer = Writer(database)
    with locked(tmp_path / "store.sqlite3"):
        write = writer.write(lambda session: session.append_together([row()]))
        await asyncio.sleep(0)
        await writer.close(patience=0)
        assert "the database is busy" in caplog.text
        assert not write.done()
    assert list(await write) == []
    await writer.close()
    database.close()


async def test_the_wait_is_that_of_the_oldest_pending_call(store):
    assert store.wait == 0
    blocked = threading.Event()
    hanging = asyncio.create_task(read_with(store, lambda _: blocked.wait(PATIENCE)))
    await asyncio.sleep(0)
    before = store.wait
    for _ in range(3):  # they are newer
        await asyncio.sleep(0)
        assert store.wait >= before > 0
    blocked.set()
    await hanging
    assert store.wait == 0


# Reads beside writes.


async def test_a_read_finds_acknowledged_rows_while_others_write(store, path):
    await store.append(row())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM log")
        async with asyncio.timeout(PATIENCE):
            assert len(await store.read_log("AAAAAA")) == 1
        other.execute("COMMIT")
    assert await store.read_log("AAAAAA") == []


async def test_no_transaction_is_open_between_two_reads(store, path):
    """It would keep the write-ahead log from ever starting anew."""
    await store.append(row())
    assert await store.list_archive("A", limit=9) == []
    assert await store.find_player(b"?") is None
    await add_player(store, 1)
    with closing(sqlite3.connect(path)) as other:
        (busy, pages, done) = other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    assert (busy, pages) == (0, done)
