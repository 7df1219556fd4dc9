from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kit import jobs
from kit.faults import no_descriptors_left
from mastermind_server.bots.worker_pool import (
    JOB_ATTEMPTS,
    WORKER_NICENESS,
    WORKER_THREADS,
    NoWorker,
    WorkerDied,
    WorkerPool,
)

BOUND = 2
PATIENCE = 10.0  # seconds for a process to end


@pytest.fixture
async def pool():
    pool = WorkerPool(BOUND)
    yield pool
    await pool.stop()


async def test_a_light_job_runs_in_a_thread_and_starts_no_process(pool):
    assert await pool.run(False, jobs.name_process) == os.getpid()
    assert await pool.run(False, threading.get_ident) != threading.get_ident()
    assert not pool.has_started_processes


async def test_a_job_is_refused_when_the_queue_is_full(pool, monkeypatch):
    monkeypatch.setattr("mastermind_server.bots.worker_pool.MAX_QUEUED_JOBS", 1)
    working, over = threading.Semaphore(0), threading.Event()

    def work():
        working.release()
        over.wait(PATIENCE)

    jobs_done = []
    for _ in range(WORKER_THREADS):
        jobs_done.append(asyncio.create_task(pool.run(False, work)))
        assert await asyncio.to_thread(working.acquire, timeout=PATIENCE)
    jobs_done.append(asyncio.create_task(pool.run(False, work)))
    await asyncio.sleep(0)
    with pytest.raises(NoWorker, match="too many jobs"):
        await pool.run(False, work)
    over.set()
    await asyncio.gather(*jobs_done)


async def test_a_heavy_job_runs_in_a_process_with_a_lower_priority(pool):
    process = await pool.run(True, jobs.name_process)
    assert process != os.getpid()
    assert pool.has_started_processes
    before = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, process) == min(before + WORKER_NICENESS, 19)


async def test_light_jobs_run_in_all_threads_at_the_same_time(pool):
    together = threading.Barrier(WORKER_THREADS)
    for _ in range(2):  # with new threads, and with the same again
        await asyncio.gather(
            *(pool.run(False, together.wait, PATIENCE) for _ in range(WORKER_THREADS))
        )


async def test_the_number_of_processes_is_bounded(pool):
    asked = (pool.run(True, jobs.name_process) for _ in range(40))
    assert 1 <= len(set(await asyncio.gather(*asked))) <= BOUND


@pytest.mark.parametrize("heavy", [False, True], ids=["light", "heavy"])
async def test_the_error_of_a_job_is_raised(pool, heavy):
    with pytest.raises(LookupError, match="nowhere"):
        await pool.run(heavy, jobs.fail, "nowhere")
    assert await pool.run(heavy, jobs.name_process)


async def test_a_killed_process_is_replaced_and_its_job_repeated(pool, tmp_path):
    first = await pool.run(True, jobs.name_process)
    dying = pool.run(True, jobs.die_until, tmp_path / "deaths", 1)
    others = [pool.run(True, jobs.name_process) for _ in range(6)]
    survivor, *rest = await asyncio.gather(dying, *others)
    assert survivor != first
    assert os.getpid() not in {survivor, *rest}


async def test_a_stop_ends_all_jobs_and_processes(pool):
    process = await pool.run(True, jobs.name_process)
    asked, may = threading.Event(), threading.Event()

    def think():
        asked.set()
        may.wait(PATIENCE)

    callers = [asyncio.ensure_future(pool.run(False, think)) for _ in range(9)]
    heavy = [asyncio.ensure_future(pool.run(True, jobs.wait_for_ever)) for _ in range(9)]
    await asyncio.to_thread(asked.wait, PATIENCE)
    await pool.stop()
    async with asyncio.timeout(PATIENCE):
        outcomes = await asyncio.gather(*callers, *heavy, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {NoWorker}
    may.set()
    with pytest.raises(NoWorker, match="being stopped"):
        await pool.run(False, jobs.name_process)
    await asyncio.to_thread(wait_for_the_end, process)


async def test_a_caller_that_is_cancelled_is_cancelled(pool):
    caller = asyncio.ensure_future(pool.run(True, jobs.wait_for_ever))
    await asyncio.sleep(0)  # it waits
    caller.cancel()
    await pool.stop()
    await asyncio.wait([caller])
    assert caller.cancelled()


async def test_a_job_may_be_tried_again_when_no_process_can_be_started(pool):
    with no_descriptors_left(), pytest.raises(NoWorker) as failed:
        await pool.run(True, jobs.name_process)
    assert (failed.value.code, failed.value.retry_after) == ("rate_limited", 1.0)
    assert await pool.run(True, jobs.name_process) != os.getpid()


async def test_a_job_that_kills_every_process_fails(pool, tmp_path, caplog):
    marker = tmp_path / "deaths"
    with pytest.raises(WorkerDied, match=f"died {JOB_ATTEMPTS} times"):
        await pool.run(True, jobs.die_until, marker, 99)
    assert len(marker.read_text()) == JOB_ATTEMPTS
    assert f"attempt {JOB_ATTEMPTS} of {JOB_ATTEMPTS}" in caplog.text
    assert await pool.run(True, jobs.name_process) != os.getpid()


async def test_a_process_multiplies_matrices_in_one_thread(pool):
    alone = await pool.run(True, jobs.count_threads)
    assert alone <= 3  # the main thread, the watcher of the parent, the queue


KEEPER = """
import asyncio, sys
sys.path[:0] = {path!r}
from kit import jobs
from mastermind_server.bots.worker_pool import WorkerPool

async def main():
    pool = WorkerPool(1)
    print(await pool.run(True, jobs.name_process), flush=True)
    await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_a_process_ends_with_its_server(tmp_path):
    script = tmp_path / "keeper.py"
    script.write_text(KEEPER.format(path=[str(Path(jobs.__file__).parents[1])]))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        thinker = int(keeper.stdout.readline())
        assert is_running(thinker)
        keeper.kill()
    wait_for_the_end(thinker)


UNSTOPPED = """
import asyncio, os, signal, sys
sys.path[:0] = {path!r}
from kit import jobs
from mastermind_server.bots.worker_pool import WorkerPool

async def main():
    pool = WorkerPool(1)
    await pool.run(True, jobs.name_process)
    {ending}

if __name__ == "__main__":
    asyncio.run(main())
"""

ENDINGS = {
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "hung-up": (
        (
            "signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a run under nohup ignores it\n"
            "    os.kill(os.getpid(), signal.SIGHUP)"
        ),
        -signal.SIGHUP,
    ),
    "busy": (
        (
            "job = asyncio.ensure_future(pool.run(True, jobs.wait_for_ever))\n"
            "    await asyncio.sleep(0)\n"
            "    sys.exit(3)"
        ),
        3,
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_server_that_does_not_stop_its_pool_ends_at_once_and_prints_nothing(tmp_path, ending):
    """Standard error also closes only when every process has ended."""
    script = tmp_path / "ending.py"
    code, status = ENDINGS[ending]
    script.write_text(UNSTOPPED.format(path=[str(Path(jobs.__file__).parents[1])], ending=code))
    done = subprocess.run(
        [sys.executable, script], stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (status, "")


def wait_for_the_end(process: int) -> None:
    """Wait until a process has ended."""
    deadline = time.monotonic() + PATIENCE
    while is_running(process):
        assert time.monotonic() < deadline, f"process {process} does not end"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


async def test_light_jobs_do_not_wait_for_heavy_jobs():
    pool = WorkerPool(1)
    thinker = await pool.run(True, jobs.name_process)
    os.kill(thinker, signal.SIGSTOP)
    try:
        heavy = [asyncio.create_task(pool.run(True, jobs.name_process)) for _ in range(10)]
        assert await pool.run(False, jobs.name_process) == os.getpid()
        assert not any(job.done() for job in heavy)
    finally:
        os.kill(thinker, signal.SIGCONT)
    assert await asyncio.gather(*heavy) == [thinker] * 10
    await pool.stop()
