from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing

import pytest

from kit.client import PATIENCE
from kit.faults import no_descriptors_left
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Player
from mastermind_server.storage import connection_thread
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.database import Session
from mastermind_server.storage.reader import Reader
from mastermind_server.storage.sqlite import SqliteFile
from mastermind_server.storage.store import LogRow
from mastermind_server.tuning import OVERLOADED_RETRY_SECONDS, READS_AT_ONCE


@pytest.fixture
async def reader(tmp_path):
    database = SqliteFile(tmp_path / "read.sqlite3")
    reader = Reader(database)
    yield reader
    await reader.close()
    database.close()


def count(session: Session) -> int:
    (number,) = session.driver.execute("SELECT count(*) FROM log").fetchone()
    return int(number)


async def test_those_who_ask_at_once_are_answered_each_by_the_own(reader):
    def tell(number):
        return lambda _: number

    numbers = range(3 * READS_AT_ONCE)
    assert await asyncio.gather(*[reader.read(tell(n)) for n in numbers]) == list(numbers)


async def test_a_query_that_fails_harms_no_other(reader, caplog):
    def fail(session):
        session.driver.execute("SELECT * FROM nowhere")

    def refuse(_):
        raise LookupError

    found = await asyncio.gather(
        reader.read(count), reader.read(fail), reader.read(refuse), reader.read(count),
        return_exceptions=True,
    )  # fmt: skip
    assert [type(one) for one in found] == [int, StorageFailed, LookupError, int]
    assert isinstance(found[1], StorageFailed)
    assert (found[1].code, found[1].retry_after) == (ErrorCode.STORAGE_FAILED, 1)
    (line,) = caplog.records
    assert line.getMessage() == "the database could not be read: no such table: nowhere"


async def test_a_file_that_cannot_be_opened_fails_what_is_asked_until_it_can(reader):
    with no_descriptors_left(), pytest.raises(StorageFailed):
        await asyncio.wait_for(reader.read(count), PATIENCE)
    assert await reader.read(count) == 0


async def test_whoever_is_gone_harms_nobody_who_asked_with_it(reader):
    gone, here = (asyncio.create_task(reader.read(count)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await asyncio.wait_for(here, PATIENCE) == 0


async def test_no_more_can_wait_than_there_is_room_for_and_those_who_do_are_answered(
    reader, monkeypatch
):
    monkeypatch.setattr(connection_thread, "STORE_QUEUE", 3)
    waiting = [asyncio.create_task(reader.read(count)) for _ in range(4)]
    await asyncio.gather(*waiting, return_exceptions=True)
    *found, refused = waiting
    assert [task.result() for task in found] == [0, 0, 0]
    failure = refused.exception()
    assert isinstance(failure, StorageFailed)
    assert (failure.code, failure.limit) == (ErrorCode.RATE_LIMITED, 3)
    assert failure.retry_after == OVERLOADED_RETRY_SECONDS
    assert await reader.read(count) == 0


async def test_it_tells_how_long_whoever_waits_longest_has_waited(reader):
    assert reader.wait == 0
    blocked = threading.Event()

    def hang(_):
        blocked.wait(PATIENCE)

    hanging = asyncio.create_task(reader.read(hang))
    await asyncio.sleep(0)
    before = reader.wait
    for _ in range(3):  # they are newer
        await asyncio.sleep(0)
        assert reader.wait >= before
    blocked.set()
    await hanging
    assert reader.wait == 0


async def test_a_closed_reader_answers_those_who_wait_and_nobody_else(reader):
    waiting = asyncio.create_task(reader.read(count))
    await asyncio.sleep(0)
    await reader.close()
    assert await waiting == 0
    with pytest.raises(StorageFailed):
        await reader.read(count)


async def test_what_is_read_is_what_was_acknowledged_even_while_others_write(store, tmp_path):
    await store.append(LogRow("AAAAAA", 1, 0, b"\x90"))
    with closing(sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM log")
        async with asyncio.timeout(PATIENCE):
            assert len(await store.read_log("AAAAAA")) == 1
        other.execute("COMMIT")
    assert await store.read_log("AAAAAA") == []


async def test_nothing_is_kept_open_between_two_reads(store, tmp_path):
    """A read left open would keep the write-ahead log from ever starting anew."""
    await store.append(LogRow("AAAAAA", 1, 0, b"\x90"))
    assert await store.list_archive("A", limit=9) == []
    assert await store.find_player(b"?") is None
    await store.add_player(Player(id="A", name="Ada"), b"?", 0)
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as other:
        (busy, pages, done) = other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    assert (busy, pages) == (0, done)
