from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress

import pytest

from kit.client import PATIENCE
from kit.faults import full_disk
from kit.matches import pegs, state_of
from kit.server import make_database
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Player
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Follow, Open, Secret
from mastermind_server.monitoring.overload import Queue
from mastermind_server.storage.engines.database import DatabaseLocked, DatabaseUnusable, Session
from mastermind_server.storage.engines.postgresql import migrate_database
from mastermind_server.storage.engines.sqlite import CHECKPOINT_PAGES, SqliteFile
from mastermind_server.storage.epochs import make_epoch
from mastermind_server.storage.revisions import find_revision
from mastermind_server.storage.rows import RowTaken
from mastermind_server.storage.schema import players
from mastermind_server.storage.statements.accounts import (
    NewPlayer,
    add_transfer,
    count_tokens,
    find_player,
    revoke_tokens,
    take_transfer,
)
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.matches import list_archive
from mastermind_server.storage.store import SessionMode, Store, open_session, query_seconds
from mastermind_server.storage.threads import StorageFailed
from server.storage.builders import count_commits, listed, row

ADA = Player(id="A", name="Ada")


async def test_a_transfer_code_used_twice_at_once_gives_one_token(any_store):
    await any_store.add_player(NewPlayer(ADA, b"a" * 32, 0))
    await any_store.write(add_transfer, "A", b"a" * 32, b"code", until=300, now=0, max_tokens=2)
    both = [any_store.write(take_transfer, b"code", digit * 32, now=0) for digit in (b"2", b"3")]
    assert sorted(map(bool, await asyncio.gather(*both))) == [False, True]
    assert await any_store.read(count_tokens, "A") == 2


async def test_one_of_two_computers_that_log_each_other_out_stays(any_store):
    await any_store.add_player(NewPlayer(ADA, b"a" * 32, 0))
    await any_store.write(add_transfer, "A", b"a" * 32, b"code", until=300, now=0, max_tokens=2)
    await any_store.write(take_transfer, b"code", b"2" * 32, now=0)
    both = [any_store.write(revoke_tokens, "A", digit * 32, others=True) for digit in (b"a", b"2")]
    assert sorted(await asyncio.gather(*both)) == [False, True]
    assert await any_store.read(count_tokens, "A") == 1


JOBS: dict[Queue, Callable[[Store, Callable[[], object]], Awaitable[object]]] = {
    Queue.READS: lambda store, block: store.read(lambda _: block()),
    Queue.LOOKUPS: lambda store, block: store.look_up(lambda _: block()),
    Queue.WRITES: lambda store, block: store.write(lambda _: block()),
    Queue.LOCKING_WRITES: lambda store, block: store.write_locking(lambda _: block()),
    Queue.MOVES: lambda store, _: store.append(row("ABCDEF", 1)),
    Queue.NEW_PLAYERS: lambda store, _: store.add_player(NewPlayer(ADA, b"a" * 32, 0)),
}


@pytest.mark.parametrize("queue", JOBS)
async def test_a_job_waits_in_its_own_queue(any_store, queue):
    may_end = threading.Event()
    # Moves and new players have no function that could wait: a write blocks their thread.
    blocker = Queue.WRITES if queue in (Queue.MOVES, Queue.NEW_PLAYERS) else queue
    jobs = [asyncio.ensure_future(JOBS[blocker](any_store, lambda: may_end.wait(PATIENCE)))]
    await asyncio.sleep(0)
    if blocker is not queue:
        jobs.append(asyncio.ensure_future(JOBS[queue](any_store, may_end.wait)))
        await asyncio.sleep(0)
    waiting = {queue for queue, seconds in any_store.measure_waits().items() if seconds > 0}
    same = {Queue.WRITES, Queue.LOCKING_WRITES}  # one lane in a SQLite file
    shares = not any_store.shared and not same.isdisjoint({blocker, queue})
    assert waiting == {blocker, queue} | (same if shares else set())
    may_end.set()
    await asyncio.gather(*jobs)


class QueryClock:
    """The time of queries, in seconds, which only the queries of a test advance."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def advance(self, _: Session, seconds: float) -> None:
        self.seconds += seconds

    def fail_after(self, _: Session, seconds: float) -> None:
        self.seconds += seconds
        raise RowTaken("ABCDEF", 1)


async def test_a_query_counts_its_own_running_time(store):
    clock = QueryClock()
    store.timer = clock.now

    async def measure(*seconds: float, query: Callable[[Session, float], None]) -> float:
        for each in seconds:
            with suppress(RowTaken):
                await store.read(query, each)
        return query_seconds.get()

    together = [
        asyncio.create_task(measure(3.0, 4.0, query=clock.advance)),
        asyncio.create_task(measure(0.0, query=clock.advance)),
        asyncio.create_task(measure(0.5, query=clock.fail_after)),
    ]
    assert await asyncio.gather(*together) == [7.0, 0.0, 0.5]


async def test_an_abandoned_query_counts_the_time_until_then(store):
    clock, started, may_end = QueryClock(), asyncio.Event(), threading.Event()
    store.timer = clock.now
    loop = asyncio.get_running_loop()

    def wait(_: Session) -> None:
        loop.call_soon_threadsafe(started.set)
        may_end.wait(PATIENCE)

    async def measure() -> float:
        with suppress(asyncio.CancelledError):
            await store.read(wait)
        return query_seconds.get()

    reading = asyncio.create_task(measure())
    await started.wait()
    clock.seconds = 2.0
    reading.cancel()
    assert await reading == 2.0
    may_end.set()


async def test_an_epoch_is_that_of_one_database(place, tmp_path, request):
    async def read_epoch(where):
        store = await Store.open(where)
        await store.close()
        return store.epoch

    if isinstance(place, str):
        other = request.getfixturevalue("postgres_databases").make()
        migrate_database(other)
    else:
        other = tmp_path / "other.sqlite3"
    epochs = [await read_epoch(where) for where in (place, place, other)]
    assert epochs[0] == epochs[1] != epochs[2]
    assert all(1 <= len(epoch) <= 40 for epoch in epochs)


async def test_a_file_of_an_earlier_version_gets_an_epoch(tmp_path):
    make_database(tmp_path / "store.sqlite3")  # with 0, as before epochs
    epochs = set()
    for _ in range(2):
        store = await Store.open(tmp_path / "store.sqlite3")
        epochs.add(store.epoch)
        await store.close()
    assert len(epochs) == 1
    assert epochs != {make_epoch(0)}


@pytest.mark.promise("full-disk")
async def test_commits_are_synced_to_disk(store):
    """The pragmas are the durability: WAL with synchronous=FULL syncs every commit."""
    answers: list[object] = []

    def ask(session):
        names = ("journal_mode", "synchronous", "wal_autocheckpoint")
        answers.extend(session.driver.execute(f"PRAGMA {name}").fetchone()[0] for name in names)

    await store.write(ask)
    assert answers == ["wal", 2, CHECKPOINT_PAGES]


@pytest.mark.promise("full-disk")
async def test_a_full_disk_fails_writes_until_there_is_room(store, caplog):
    await store.append(row("ABCDEF", 1))
    with full_disk():
        outcomes = await asyncio.gather(
            store.append(row("ABCDEF", 2)),
            store.append(row("OTHERS", 1), row("ABCDEF", 3), projections=[listed("OTHERS")]),
            store.add_player(NewPlayer(Player(id="A", name="Ada"), b"digest of a token", 0)),
            return_exceptions=True,
        )
        assert await store.read(read_log, "ABCDEF") == [row("ABCDEF", 1)]  # reads still work
    assert [type(outcome) for outcome in outcomes] == [StorageFailed] * 3
    assert "store-writer: a group of" in caplog.text
    await store.append(row("ABCDEF", 2))
    await store.add_player(NewPlayer(Player(id="A", name="Ada"), b"a" * 32, 0))
    assert await store.read(read_log, "ABCDEF") == [row("ABCDEF", 1), row("ABCDEF", 2)]
    assert await store.read(read_log, "OTHERS") == []


async def test_a_logged_failure_contains_no_saved_values(store, caplog):
    await store.write(lambda session: session.driver.execute("PRAGMA max_page_count=1").close())
    with pytest.raises(StorageFailed):
        await store.add_player(
            NewPlayer(Player(id="A", name="x" * 100_000), b"digest of a token", 0)
        )
    assert "database or disk is full" in caplog.text
    assert "digest of a token" not in caplog.text
    assert "xxx" not in caplog.text


async def test_a_move_that_cannot_be_saved_is_refused_and_can_be_repeated(
    ada, bob, eve, match, caplog
):
    await eve.follow(match)
    await ada.wait_for_turn(match)
    secret = ada.new(Secret, match=match, code=pegs("1562"))
    with full_disk():
        refusal = await ada.refused(Secret, match=match, code=pegs("1562"))
        assert (refusal.code, refusal.retry_after) == (ErrorCode.STORAGE_FAILED, 1)
        refusal = await bob.refused(Open, rules="mini", maker="me", breaker="open")
        assert refusal.code == ErrorCode.STORAGE_FAILED
    log = await eve.follow(match)
    assert state_of(log).phase is Phase.SETTING
    assert "0, 4, 5, 1" not in caplog.text
    assert "\\x00\\x04\\x05\\x01" not in caplog.text

    assert await ada.ask(secret)
    assert (await bob.guess(match, "1562")).v == 4
    assert [row.v for row in (await eve.follow(match)).rows] == [1, 2, 3, 4]


async def test_a_damaged_page_is_storage_failed_and_one_line_in_the_log(idle_hall, caplog):
    await idle_hall.start()
    await idle_hall.stop()
    with closing(sqlite3.connect(idle_hall.database)) as kept:
        pages = list(kept.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'log'"))
        ((size,),) = kept.execute("PRAGMA page_size")
    with idle_hall.database.open("r+b") as file:
        for (page,) in pages:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)
    await idle_hall.start()
    ada = await idle_hall.meet("Ada")
    caplog.clear()
    refusal = await ada.refused(Follow, match="ABCDEF")
    assert (refusal.code, refusal.retry_after) == (ErrorCode.STORAGE_FAILED, 1)
    assert "could not read" in refusal.message
    (line,) = [record for record in caplog.records if record.name.startswith("mastermind")]
    assert (
        line.getMessage() == "store-lookups: a group of 1 failed: database disk image is malformed"
    )
    assert line.exc_info is None


async def test_rows_failures_writes_and_reads_are_counted(store):
    await store.check_health()
    await store.read(read_log, "ABCDEF")
    await asyncio.gather(*(store.append(row("ABCDEF", version)) for version in (1, 2, 3)))
    await store.append(row("ABCDEF", 4), row("OTHERS", 1), projections=[listed("OTHERS")])
    with full_disk(), pytest.raises(StorageFailed):
        await store.append(row("ABCDEF", 5))
    found = store.measure()
    times = (found.write, found.read, found.lookup)
    counts = [dict(each.cumulative_buckets)[math.inf] for each in times]
    assert (found.rows, found.failures, counts) == (5, 1, [5, 1, 1])


async def test_no_query_of_a_client_delays_or_interrupts_a_lookup(any_store):
    await any_store.append(row("ABCDEF"))
    released = threading.Event()
    queries = [asyncio.create_task(any_store.read(lambda _: released.wait())) for _ in range(2)]
    try:
        async with asyncio.timeout(PATIENCE):
            assert await any_store.look_up(read_log, "ABCDEF") == [row("ABCDEF")]
            await any_store.check_health()
    finally:
        released.set()
    assert await asyncio.gather(*queries) == [True, True]


async def test_concurrent_appends_share_commits(store, tmp_path, caplog):
    await store.append(row("BEFORE"))
    before = count_commits(tmp_path / "store.sqlite3")
    caplog.set_level(logging.INFO)
    rows = [row(f"M{number:05}") for number in range(300)]
    outcomes = await asyncio.gather(
        *[store.append(row) for row in (*rows, *rows)], return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 300 + [RowTaken] * 300
    assert caplog.records == []
    assert 1 <= count_commits(tmp_path / "store.sqlite3") - before < len(rows) / 2


async def test_a_read_finds_acknowledged_rows_while_others_write(store, tmp_path):
    await store.append(row())
    with closing(sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM log")
        async with asyncio.timeout(PATIENCE):
            assert len(await store.read(read_log, "AAAAAA")) == 1
        other.execute("COMMIT")
    assert await store.read(read_log, "AAAAAA") == []


async def test_no_transaction_is_open_between_two_reads(store, tmp_path):
    """It would keep the write-ahead log from ever starting anew."""
    await store.append(row())
    assert await store.read(list_archive, "A", limit=9) == []
    assert await store.read(find_player, b"?") is None
    await store.add_player(NewPlayer(Player(id="A", name="Ada"), b"?", 0))
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as other:
        (busy, pages, done) = other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    assert (busy, pages) == (0, done)


@pytest.mark.parametrize("mode", SessionMode)
def test_only_an_exclusive_session_needs_a_file_without_a_server(tmp_path, mode):
    path = tmp_path / "game.sqlite3"
    server = SqliteFile(path)
    try:
        if mode is SessionMode.EXCLUSIVE:
            with pytest.raises(DatabaseLocked), open_session(path, mode):
                pass
        else:
            with open_session(path, mode) as session:
                assert find_revision(session.connection) is not None
    finally:
        server.close()


def test_a_read_session_cannot_write(tmp_path):
    path = tmp_path / "game.sqlite3"
    make_database(path)
    with (
        pytest.raises(DatabaseUnusable, match="cannot be used: attempt to write a readonly"),
        open_session(path, SessionMode.READ) as session,
    ):
        session.connection.execute(players.delete())


@pytest.mark.parametrize("mode", SessionMode)
def test_no_session_creates_a_file(tmp_path, mode):
    with pytest.raises(DatabaseUnusable), open_session(tmp_path / "game.sqlite3", mode):
        pass
    assert list(tmp_path.iterdir()) == []


async def test_the_last_rows_of_an_earlier_epoch_are_those_of_commits(any_store):
    await any_store.append(row())
    with pytest.raises(RowTaken):
        await any_store.append(row(version=2), row())
    assert any_store.take_earlier_rows() == []
    any_store.epochs.adopt("another")
    assert any_store.take_earlier_rows() == [row()]
    assert any_store.take_earlier_rows() == []
