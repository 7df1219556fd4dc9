import asyncio
import sqlite3
import threading
from contextlib import contextmanager
from functools import partial

import pytest

from kit.client import PATIENCE
from kit.faults import full_disk, little_memory, no_descriptors_left
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.monitoring.overload import OVERLOADED_RETRY_SECONDS
from mastermind_server.storage import threads
from mastermind_server.storage.engines.sqlite import SqliteFile, SqliteSession
from mastermind_server.storage.epochs import Epochs
from mastermind_server.storage.lanes import Lane
from mastermind_server.storage.notices import RowWritten
from mastermind_server.storage.threads import DatabaseThread, StorageFailed

FOREVER = 3600.0  # seconds: an interval that does not end during a test


class CountedSession(SqliteSession):
    """A session that counts its transactions."""

    begun = 0

    def begin(self):
        type(self).begun += 1
        return super().begin()


class CountedFile(SqliteFile):
    session = CountedSession


class Thread:
    """A database thread with a table of entries, and a lane that tests add them to."""

    def __init__(self, path, *lanes):
        self.path, self.database = path, CountedFile(path)
        self.epochs = Epochs(self.database.epoch)
        session = self.database.connect()
        session.driver.execute("CREATE TABLE entries (text UNIQUE)")
        session.close()
        CountedSession.begun = 0
        self.lanes = lanes or (Lane(4),)
        self.thread = DatabaseThread(
            "test", self.database, self.epochs, Reason.NOT_SAVED, self.lanes
        )

    def enter(self, text, lane=0, row=None):
        return self.thread.submit(self.lanes[lane], partial(enter, text), row)

    def read(self):
        with sqlite3.connect(self.path) as reader:
            found = {text for (text,) in reader.execute("SELECT text FROM entries")}
        reader.close()
        return found

    @contextmanager
    def locked(self):
        """Block the thread's transactions, once it has begun a first one, in the block."""
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
        other.close()

    async def close(self):
        await self.thread.close()
        self.database.close()


def enter(text, session):
    session.driver.execute("INSERT INTO entries VALUES (?)", (text,))
    session.notices.append(RowWritten(text, 1))
    return text


def enter_all(session, texts):
    with session.transaction():
        for text in texts:
            enter(text, session)
    return ()


@pytest.fixture
async def start(tmp_path):
    started: list[Thread] = []

    def start(*lanes):
        started.append(Thread(tmp_path / f"{len(started)}.sqlite3", *lanes))
        return started[-1]

    async with asyncio.timeout(PATIENCE):
        yield start
        for each in started:
            await each.close()


async def settle(*futures):
    return await asyncio.gather(*futures, return_exceptions=True)


async def test_a_write_is_on_disk_when_its_future_is_done(start):
    one = start()
    assert await one.enter("a") == "a"
    assert one.read() == {"a"}
    assert one.thread.rows == 1


async def test_the_wait_counts_from_the_oldest_pending_job(start):
    loop = asyncio.get_running_loop()
    one = start(Lane(1), Lane(1))
    assert one.thread.measure_wait(one.lanes[0]) == 0
    gates, submitted, pending = [], [], []

    def submit():
        gate = threading.Event()
        gates.append(gate)
        submitted.append(loop.time())
        pending.append(one.thread.submit(one.lanes[0], lambda _: gate.wait(PATIENCE)))

    submit()
    for done in range(20):  # another job is pending all the time
        submit()
        await asyncio.sleep(0)
        wait = one.thread.measure_wait(one.lanes[0])
        assert 0 < wait <= loop.time() - submitted[done]
        assert one.thread.measure_wait(one.lanes[1]) == 0
        gates[done].set()
        await pending[done]
    gates[-1].set()
    await pending[-1]
    assert one.thread.measure_wait(one.lanes[0]) == 0


async def test_a_lanes_own_interval_is_not_a_wait(start):
    one = start(Lane(2, FOREVER))
    await settle(*[one.enter(text) for text in "ab"])
    later = [one.enter(text) for text in "cdefg"]
    await asyncio.sleep(0)
    assert one.thread.measure_wait(one.lanes[0]) == 0
    await one.close()
    await settle(*later)


async def test_jobs_share_transactions_up_to_the_limit_of_their_lane(start):
    one = start(Lane(4))
    texts = [str(n) for n in range(10)]
    with one.locked():  # the first group waits for this, the others for the first
        pending = [one.enter(text) for text in texts]
        await asyncio.sleep(0)
    assert await settle(*pending) == texts
    assert one.read() == set(texts)
    assert CountedSession.begun == 3


async def test_a_lone_job_starts_at_once_and_the_job_after_it_too(start):
    one, began = start(Lane(4, FOREVER)), asyncio.get_running_loop().time()
    for text in "abc":
        await one.enter(text)
    assert one.read() == set("abc")
    assert 0 < one.thread.delays.total <= asyncio.get_running_loop().time() - began


@pytest.mark.promise("new-player-writes")
async def test_a_crowd_is_collected_until_the_interval_of_its_lane_is_over(start):
    one = start(Lane(9, FOREVER))
    await settle(*map(one.enter, "ab"))
    later = []
    for text in "cde":  # each in an iteration of its own
        later.append(one.enter(text))
        await asyncio.sleep(0)
    assert not any(future.done() for future in later)
    assert one.thread.measure_wait(one.lanes[0]) == 0
    await one.close()
    await settle(*later)
    assert one.read() == set("abcde")
    assert CountedSession.begun == 2


async def test_enough_jobs_for_a_group_do_not_wait_for_the_interval(start):
    one = start(Lane(9, FOREVER, enough_jobs=3))
    await settle(*map(one.enter, "ab"))
    waiting = [one.enter(text) for text in "cd"]
    await asyncio.sleep(0)
    assert one.thread.measure_wait(one.lanes[0]) == 0
    delays = one.thread.delays.total
    assert await settle(*waiting, one.enter("e")) == [*"cde"]
    assert CountedSession.begun == 2
    assert one.thread.delays.total > delays


async def test_a_crowd_continues_after_the_interval(start):
    one = start(Lane(2, 0.01))
    await settle(*[one.enter(text) for text in "abcdef"])
    assert one.read() == set("abcdef")


@pytest.mark.promise("write-crowd")
@pytest.mark.parametrize("interval", [0.0, FOREVER])
async def test_a_job_passes_the_crowd_of_another_lane(start, interval):
    one = start(Lane(9), Lane(2, interval))
    with one.locked():
        crowd = [one.enter(str(n), 1) for n in range(12)]
        await asyncio.sleep(0)  # the thread has the first two
        move = one.enter("move")
        await asyncio.sleep(0)
    await move
    assert sum(future.done() for future in crowd) <= 4
    await one.close()
    await settle(*crowd)
    assert len(one.read()) == 13


async def test_pending_lanes_take_turns(start):
    one = start(Lane(1), Lane(1))
    order = []
    with one.locked():
        await asyncio.sleep(0)
        pending = [one.enter(f"{lane}{n}", lane) for lane in (0, 1) for n in range(3)]
        for future in pending:
            future.add_done_callback(lambda done: order.append(done.result()))
        await asyncio.sleep(0)
    await settle(*pending)
    assert order == ["00", "10", "01", "11", "02", "12"]


@pytest.mark.parametrize("row", [False, True])
async def test_a_write_that_fails_does_not_fail_its_group(start, row):
    one = start(Lane(9, insert_rows=enter_all) if row else Lane(9))
    await one.enter("a")
    outcomes = await settle(*[one.enter(text, row=text if row else None) for text in "bac"])
    assert [type(outcome) for outcome in outcomes[1:2]] == [StorageFailed]
    assert one.read() == set("abc")
    assert (one.thread.rows, one.thread.failures) == (3, 1)
    assert one.thread.last_cause is None


async def test_the_error_of_a_job_is_its_callers_alone(start):
    one = start(Lane(9), Lane(9, atomic=False))

    def fail(_):
        raise LookupError("none")

    for lane in one.lanes:
        good, bad = await settle(one.thread.submit(lane, id), one.thread.submit(lane, fail))
        assert isinstance(good, int)
        assert isinstance(bad, LookupError)
        assert bad.__notes__[0].startswith("In the thread:\n")
    assert one.thread.failures == 0


async def test_a_failed_read_fails_no_other(start, caplog):
    one = start(Lane(9, atomic=False))

    def fail(session):
        session.driver.execute("SELECT * FROM nowhere")

    good, bad = await settle(one.enter("a"), one.thread.submit(one.lanes[0], fail))
    assert (good, type(bad)) == ("a", StorageFailed)
    assert (bad.code, bad.retry_after) == (ErrorCode.STORAGE_FAILED, RETRY_SECONDS)
    assert caplog.messages == ["test: a group of 1 failed: no such table: nowhere"]


async def test_a_lack_of_memory_for_sqlite_is_logged_in_one_line(start, caplog):
    one = start(Lane(9, atomic=False))

    def fail(session):
        with little_memory(1 << 28):
            session.driver.execute("SELECT zeroblob(900000000)")

    with pytest.raises(StorageFailed):
        await one.thread.submit(one.lanes[0], fail)
    (record,) = caplog.records
    assert record.getMessage().endswith("MemoryError(); there is too little memory (ulimit -v)")
    assert record.exc_info is None


async def test_a_cancelled_job_harms_no_other_in_its_group(start):
    one = start()
    with one.locked():
        first, gone, last = (one.enter(text) for text in ("first", "gone", "last"))
        await asyncio.sleep(0)
        gone.cancel()
    assert await settle(first, last) == ["first", "last"]


async def test_on_a_full_disk_a_group_fails_and_later_ones_work(start, caplog):
    one = start()
    await one.enter("before")
    with full_disk():
        outcomes = await settle(*[one.enter(text) for text in "abc"])
    assert [type(outcome) for outcome in outcomes] == [StorageFailed] * 3
    assert one.thread.last_cause == outcomes[0].cause != ""
    assert one.read() == {"before"}
    assert (one.thread.rows, one.thread.failures) == (1, 3)
    assert caplog.records
    await one.enter("after")
    assert one.read() == {"before", "after"}


async def test_a_write_of_a_lost_transaction_is_not_acknowledged(start):
    """SQLite rolls the whole transaction back when a statement finds the file full."""
    one = start(Lane(9))
    pages = one.path.stat().st_size // 4096 + 8
    lane = one.lanes[0]
    await one.thread.submit(
        lane, lambda session: session.driver.execute(f"PRAGMA max_page_count={pages}").close()
    )
    texts = ["first", "small", "x" * 100_000, "later"]
    outcomes = await settle(*[one.enter(text) for text in texts])
    done = {text for text, outcome in zip(texts, outcomes, strict=True) if outcome == text}
    assert done == one.read()
    assert isinstance(outcomes[2], StorageFailed)


async def test_a_file_that_cannot_be_opened_fails_jobs_until_it_can(start):
    one = start()
    with no_descriptors_left():
        failed, waiting = one.enter("a"), None
        await asyncio.sleep(0)
        waiting = one.enter("b")
        assert [type(e) for e in await settle(failed, waiting)] == [StorageFailed] * 2
    await one.enter("c")
    assert one.read() == {"c"}


async def test_jobs_of_an_earlier_epoch_fail_and_the_present_one_is_adopted(start):
    one, adopted = start(), []
    await one.enter("a")
    present = one.epochs.current
    one.epochs.watchers.append(lambda: adopted.append(one.epochs.current))
    one.epochs.current = "earlier"
    outcomes = await settle(one.enter("b"), one.enter("c"))
    assert [type(outcome) for outcome in outcomes] == [StorageFailed] * 2
    assert adopted == [present]
    one.epochs.current = "earlier"
    early = one.enter("d")
    one.epochs.current = present
    early, late = await settle(early, one.enter("e"))  # in one group
    assert (type(early), late) == (StorageFailed, "e")
    assert one.read() == {"a", "e"}


async def test_a_full_lane_rejects_jobs_and_the_others_are_answered(start, monkeypatch):
    monkeypatch.setattr(threads, "MAX_JOBS_IN_LANE", 3)
    one = start(Lane(2), Lane(2))
    pending = [one.enter(text) for text in "abc"]
    with pytest.raises(StorageFailed) as rejected:
        one.enter("d")
    failure = rejected.value
    assert (failure.code, failure.limit) == (ErrorCode.RATE_LIMITED, 3)
    assert failure.retry_after == OVERLOADED_RETRY_SECONDS
    assert await settle(*pending, one.enter("e", 1)) == ["a", "b", "c", "e"]


async def test_a_close_runs_the_pending_jobs_and_takes_no_more(start):
    one = start(Lane(2, FOREVER), Lane(1))
    pending = [one.enter(text) for text in "abcde"] + [one.enter(text, 1) for text in "fg"]
    assert await one.thread.close()
    assert await settle(*pending) == list("abcdefg")
    with pytest.raises(StorageFailed):
        one.enter("late")


async def test_a_close_does_not_wait_for_a_disk_that_does_not_answer(start, caplog):
    one = start()
    with one.locked():
        late = one.enter("late")
        await asyncio.sleep(0)
        assert not await one.thread.close(seconds=0)
        assert "the database is busy" in caplog.text
        assert not late.done()
    await late
