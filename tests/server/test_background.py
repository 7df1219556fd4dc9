"""Background tasks repeat, survive failures, and are cancelled together."""

import asyncio

import pytest

from kit.clock import ManualClock
from mastermind_protocol.errors import Reason
from mastermind_server.background import BackgroundTasks
from mastermind_server.storage.threads import StorageFailed

FULL = StorageFailed(Reason.NOT_READ, retry_after=1.0)


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
async def background(clock):
    background = BackgroundTasks(clock)
    yield background
    await background.stop()


async def run_each(clock: ManualClock, runs: int) -> None:
    """Let the only periodic task run some times."""
    for _ in range(runs):
        await clock.until(lambda timer: timer.seconds == 5)
        clock.skip(5)
    await clock.until(lambda timer: timer.seconds == 5)


async def test_a_periodic_task_runs_once_per_interval(clock, background):
    times = []

    async def work():
        times.append(clock.now())

    background.run_every(5, work, "work")
    await run_each(clock, 3)
    assert times == [1005, 1010, 1015]


async def test_a_periodic_task_can_use_another_clock(clock, background):
    other, ran = ManualClock(), asyncio.Event()

    async def work():
        ran.set()

    background.run_every(5, work, "work", other)
    await other.until(lambda timer: timer.seconds == 5)
    other.skip(5)
    await asyncio.wait_for(ran.wait(), 10)
    assert clock.pending == []


async def test_equal_failures_in_a_row_are_logged_once(clock, background, caplog):
    outcomes = [FULL, FULL, None, FULL, ValueError("a bug"), ValueError("a bug"), FULL]
    waiting = iter(outcomes)

    async def work():
        if outcome := next(waiting, None):
            raise outcome

    background.run_every(5, work, "end due matches")
    await run_each(clock, len(outcomes) + 1)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", f"cannot end due matches: {FULL}"),
        ("WARNING", f"cannot end due matches: {FULL}"),
        ("ERROR", "cannot end due matches: a bug"),
        ("WARNING", f"cannot end due matches: {FULL}"),
    ]
    assert [bool(record.exc_info) for record in caplog.records] == [False, False, True, False]


async def test_all_tasks_are_cancelled_at_a_stop(background):
    started, cancelled = asyncio.Event(), []

    async def work():
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append("work")
            raise

    background.run_every(5, work, "never begins")
    task = background.run(work, "work")
    await started.wait()
    await background.stop()
    assert cancelled == ["work"]
    assert task.cancelled()
