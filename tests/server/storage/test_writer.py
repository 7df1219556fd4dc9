from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kit.client import PATIENCE
from kit.faults import full_disk, no_descriptors_left
from mastermind_protocol.errors import ErrorCode
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.database import Session
from mastermind_server.storage.sqlite import SqliteFile, SqliteSession
from mastermind_server.storage.store import LogRow, RowTaken
from mastermind_server.storage.writer import Writer
from mastermind_server.tuning import LONE_WRITES, MOVES_AT_ONCE, OTHERS_AT_ONCE


class CountedSession(SqliteSession):
    """A session that counts its transactions."""

    begun = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        type(self).begun += 1
        with super().transaction():
            yield


class CountedFile(SqliteFile):
    session = CountedSession


class Ledger:
    """A file with its own table and writer, and the count of its transactions."""

    def __init__(self, path: Path, pace: float = 0) -> None:
        self.path = path
        self.database = CountedFile(path)
        session = self.database.connect()
        session.driver.execute("CREATE TABLE entries (text UNIQUE)")
        session.close()
        CountedSession.begun = 0
        self.writer = Writer(self.database, pace=pace)

    @property
    def begun(self) -> int:
        return CountedSession.begun

    async def enter(self, text: str, *, move: bool = False) -> None:
        def insert(session: Session) -> None:
            session.driver.execute("INSERT INTO entries VALUES (?)", (text,))

        await self.writer.write(insert, move=move)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Block all other transactions in the block."""
        pause = sqlite3.connect(self.path, isolation_level=None)
        pause.execute("BEGIN IMMEDIATE")
        yield
        pause.execute("ROLLBACK")
        pause.close()

    def read(self) -> set[str]:
        with sqlite3.connect(self.path) as reader:
            found = {text for (text,) in reader.execute("SELECT text FROM entries")}
        reader.close()
        return found

    async def close(self) -> None:
        await self.writer.close()
        self.database.close()


@pytest.fixture
async def ledger(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite3")
    yield ledger
    await ledger.close()


async def test_a_file_that_cannot_be_opened_fails_the_writes_until_it_can(ledger):
    await ledger.writer.close()
    with no_descriptors_left():
        ledger.writer = Writer(ledger.database)
        with pytest.raises(StorageFailed):
            await asyncio.wait_for(ledger.enter("a"), PATIENCE)
    await ledger.enter("b")
    assert ledger.read() == {"b"}


async def test_a_write_returns_when_it_is_there(ledger):
    await ledger.enter("a")
    assert ledger.read() == {"a"}


async def test_writes_that_wait_share_a_transaction(ledger):
    texts = [str(number) for number in range(3 * MOVES_AT_ONCE)]
    with ledger.held():  # the first write waits for this, the others for the first
        writes = [asyncio.create_task(ledger.enter(text, move=True)) for text in texts]
        await asyncio.sleep(0)
    await asyncio.gather(*writes)
    assert ledger.read() == set(texts)
    assert 3 <= ledger.begun <= 5


async def test_a_move_does_not_wait_for_a_crowd_of_other_writes(ledger):
    with ledger.held():
        crowd = [str(number) for number in range(6 * OTHERS_AT_ONCE)]
        others = [asyncio.create_task(ledger.enter(text)) for text in crowd]
        await asyncio.sleep(0)
        move = asyncio.create_task(ledger.enter("move", move=True))
        await asyncio.sleep(0)
    await move
    assert sum(other.done() for other in others) <= 2 * OTHERS_AT_ONCE
    await asyncio.gather(*others)
    assert ledger.read() == {*crowd, "move"}


@pytest.fixture
async def slow_ledger(tmp_path):
    """A ledger with a writer that collects concurrent writes for an hour."""
    ledger = Ledger(tmp_path / "slow.sqlite3", pace=3600)
    yield ledger
    await ledger.close()


async def test_a_lone_write_waits_for_nobody(slow_ledger):
    async with asyncio.timeout(PATIENCE):
        for number in range(LONE_WRITES):
            await slow_ledger.enter(str(number))
    assert slow_ledger.begun == LONE_WRITES


async def test_the_writes_of_a_crowd_are_collected_for_one_commit(slow_ledger):
    crowd = [str(number) for number in range(LONE_WRITES + OTHERS_AT_ONCE)]
    await asyncio.gather(*[slow_ledger.enter(text, move=True) for text in crowd])
    later = []
    for text in "abc":  # each in a turn of the loop of its own
        later.append(asyncio.create_task(slow_ledger.enter(text, move=True)))
        await asyncio.sleep(0)
    await slow_ledger.close()
    await asyncio.gather(*later)
    assert slow_ledger.read() == {*crowd, "a", "b", "c"}
    assert slow_ledger.begun == 2


async def test_a_crowd_goes_on_when_its_pace_is_over(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite3", pace=0.01)
    async with asyncio.timeout(PATIENCE):
        for _ in range(3):
            texts = [f"{ledger.begun}-{number}" for number in range(LONE_WRITES + 1)]
            await asyncio.gather(*[ledger.enter(text, move=True) for text in texts])
    assert ledger.begun == 3
    await ledger.close()


async def test_one_write_that_fails_does_not_harm_the_others(ledger):
    await ledger.enter("a")
    outcomes = await asyncio.gather(
        *[ledger.enter(text) for text in ("b", "a", "c")], return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [
        type(None),
        StorageFailed,
        type(None),
    ]
    assert ledger.read() == {"a", "b", "c"}


async def test_a_caller_that_has_gone_harms_nobody_in_its_group(ledger):
    pause = sqlite3.connect(ledger.path, isolation_level=None)
    pause.execute("BEGIN IMMEDIATE")
    tasks = [asyncio.create_task(ledger.enter(text)) for text in ("first", "gone", "next")]
    await asyncio.sleep(0)
    tasks[1].cancel()
    pause.execute("ROLLBACK")
    pause.close()
    async with asyncio.timeout(10):
        await tasks[2]
    assert ledger.read() == {"first", "gone", "next"}
    assert tasks[1].cancelled()


async def test_on_a_full_disk_every_write_of_the_group_has_failed(ledger, caplog):
    await ledger.enter("before")
    with full_disk():
        outcomes = await asyncio.gather(
            *[ledger.enter(text) for text in "abc"], return_exceptions=True
        )
    assert [type(outcome) for outcome in outcomes] == [StorageFailed] * 3
    assert ledger.read() == {"before"}
    assert caplog.records
    await ledger.enter("after")
    assert ledger.read() == {"before", "after"}


async def test_what_a_lost_transaction_had_accepted_is_not_acknowledged(ledger):
    """SQLite rolls the whole transaction back when a statement finds the file full."""
    pages = ledger.path.stat().st_size // 4096 + 8
    await ledger.writer.write(
        lambda session: session.driver.execute(f"PRAGMA max_page_count={pages}").close()
    )
    pause = sqlite3.connect(ledger.path, isolation_level=None)
    pause.execute("BEGIN IMMEDIATE")
    first = asyncio.create_task(ledger.enter("first"))  # alone, or together with the others
    await asyncio.sleep(0)
    texts = ["small", "x" * 100_000, "later"]
    rest = [asyncio.create_task(ledger.enter(text)) for text in texts]
    await asyncio.sleep(0)
    pause.execute("ROLLBACK")
    pause.close()

    outcomes = await asyncio.gather(first, *rest, return_exceptions=True)

    told = {
        text for text, outcome in zip(["first", *texts], outcomes, strict=True) if outcome is None
    }
    assert told == ledger.read()
    assert isinstance(outcomes[2], StorageFailed)
    assert (outcomes[2].code, outcomes[2].retry_after) == (ErrorCode.STORAGE_FAILED, 1)


async def test_a_close_writes_what_is_waiting(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite3")
    writes = [asyncio.create_task(ledger.enter(text)) for text in "abc"]
    await asyncio.sleep(0)
    await ledger.close()
    await asyncio.gather(*writes)
    assert ledger.read() == {"a", "b", "c"}


async def test_a_disk_that_does_not_answer_holds_up_no_stop(ledger, caplog):
    pause = sqlite3.connect(ledger.path, isolation_level=None)
    pause.execute("BEGIN IMMEDIATE")
    write = asyncio.create_task(ledger.enter("late"))
    await asyncio.sleep(0)
    await ledger.writer.close(patience=0)
    assert "the database is busy" in caplog.text
    assert not write.done()
    pause.execute("ROLLBACK")
    pause.close()
    await write
    assert ledger.read() == {"late"}


def count_commits(database: Path) -> int:
    """Return the number of transactions in the write-ahead log of a file.

    Only the last frame of each has the size of the database, not 0: see "WAL-mode File
    Format" on SQLite's pages.
    """
    wal = database.with_name(f"{database.name}-wal").read_bytes()
    page = int.from_bytes(wal[8:12], "big")
    return sum(any(wal[at + 4 : at + 8]) for at in range(32, len(wal), 24 + page))


async def test_concurrent_appends_to_a_store_share_commits(store, tmp_path, caplog):
    await store.append(LogRow("BEFORE", 1, 0, b"\x90"))
    before = count_commits(tmp_path / "store.sqlite3")
    caplog.set_level(logging.INFO)
    rows = [LogRow(f"M{number:05}", 1, 0, b"\x90") for number in range(300)]
    outcomes = await asyncio.gather(
        *[store.append(row) for row in (*rows, *rows)], return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 300 + [RowTaken] * 300
    assert caplog.records == []
    assert 1 <= count_commits(tmp_path / "store.sqlite3") - before < len(rows) / 2


async def test_a_closed_writer_takes_no_more(ledger):
    await ledger.writer.close()
    with pytest.raises(StorageFailed):
        await ledger.enter("late")
