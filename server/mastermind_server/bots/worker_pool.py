"""Runs bot jobs off the event loop: short jobs in threads, long jobs in processes.

NumPy holds the interpreter lock for much of its work, so a long job in a thread would block the
event loop. Workers start when a job needs them. They never delay the end of the server: the threads
are daemons, and each process belongs to one thread and is killed.

The processes do not come from `ProcessPoolExecutor`: a server that ends without `stop` would wait
for its jobs, and a killed server would print warnings about its semaphores.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import traceback
from concurrent.futures import Future
from functools import partial
from multiprocessing.connection import wait
from operator import call
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server.clock import RETRY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    Job: TypeAlias = Callable[[], Any]

_LOG = logging.getLogger(__name__)
STOP_SECONDS = 0.5  # for the threads of bots; a job in a thread takes milliseconds
WORKER_THREADS = 2  # the number of short jobs that run at the same time
WORKER_PROCESSES = max(1, min(4, (os.cpu_count() or 2) - 1))  # one core is left for games
WORKER_NICENESS = 5  # of the processes: on a busy machine, a third of the event loop's CPU share
JOB_ATTEMPTS = 3  # a process that dies twice may be chance; after three, the job is at fault
MAX_QUEUED_JOBS = 1024  # for threads, and for processes: minutes of work; later jobs are retried
_P = ParamSpec("_P")
_T = TypeVar("_T")
_STOPPED = "the workers are being stopped"
_QUEUE_FULL = "too many jobs wait for a worker"


class NoWorker(MastermindError):
    """No thread or process can be started, the queue is full, or the server stops. Retry later."""

    def __init__(self, problem: object) -> None:
        super().__init__(Reason.NO_WORKER, retry_after=RETRY_SECONDS, problem=str(problem))


class WorkerDied(Exception):
    """Each process that tried to run the job died, or the server was stopped."""


class WorkerPool:
    """Runs functions in threads, or in up to `processes` processes."""

    def __init__(self, processes: int = WORKER_PROCESSES) -> None:
        self._processes: list[_Process] = []
        self._light = _Threads("bot", WORKER_THREADS, lambda: call)
        self._heavy = _Threads("bot-process", processes, self._add_process)
        self._pending: set[asyncio.Future[Any]] = set()
        self._stopped = False

    @property
    def has_started_processes(self) -> bool:
        """Whether a worker process has been started."""
        return bool(self._processes)

    @property
    def pending(self) -> int:
        """The number of queued and running jobs."""
        return len(self._pending)

    async def run(
        self, heavy: bool, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run `work` in a process if `heavy`, otherwise in a thread. Return its result.

        Raises the exceptions of `work`. A process imports `work` by name; arguments and result are
        pickled. If the process dies, a new one repeats the job, up to `JOB_ATTEMPTS` attempts.
        Raises WorkerDied after the last attempt. Raises NoWorker if no worker can be started, or
        after `stop`.
        """
        if self._stopped:
            raise NoWorker(_STOPPED)
        threads = self._heavy if heavy else self._light
        pending = asyncio.wrap_future(threads.submit(partial(work, *args, **kwargs)))
        self._pending.add(pending)
        pending.add_done_callback(self._pending.discard)
        try:
            result: _T = await pending
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise NoWorker(_STOPPED) from None  # `stop` cancelled the job, not its caller
        finally:
            del pending  # its exception refers to this frame: a reference cycle
        return result

    async def stop(self) -> None:
        """Drop queued jobs, kill the processes, and raise NoWorker in all pending calls of `run`.

        Waits up to `STOP_SECONDS` for the threads.
        """
        self._stopped = True
        for threads in (self._light, self._heavy):
            threads.close()
        for process in self._processes:
            process.stop()
        for pending in list(self._pending):
            pending.cancel()
        deadline = time.monotonic() + STOP_SECONDS
        for threads in (self._light, self._heavy):
            await asyncio.to_thread(threads.join, deadline)

    def _add_process(self) -> Callable[[Job], Any]:
        process = _Process()
        self._processes.append(process)
        return process.run


class _Threads:
    """Up to `limit` daemon threads that share one job queue. `submit` starts them as needed.

    `make_runner` is called once for each thread. It returns the function that runs this thread's
    jobs.
    """

    def __init__(
        self, name: str, limit: int, make_runner: Callable[[], Callable[[Job], Any]]
    ) -> None:
        self._name, self._limit, self._make_runner = name, limit, make_runner
        self._queue: queue.SimpleQueue[tuple[Future[Any], Job] | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []

    def submit(self, job: Job) -> Future[Any]:
        """Queue `job` and return the future of its result.

        Raises NoWorker if the queue is full, or if the first thread cannot be started.
        """
        if self._queue.qsize() >= MAX_QUEUED_JOBS:
            raise NoWorker(_QUEUE_FULL)
        future: Future[Any] = Future()
        self._queue.put((future, job))  # before a thread starts: one without a job counts as idle
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._limit:
            try:
                self._start_thread()
            except NoWorker:
                future.cancel()
                raise
        return future

    def close(self) -> None:
        """Cancel queued jobs, and end each thread after its running job."""
        while not self._queue.empty():
            if (item := self._queue.get()) is not None:
                item[0].cancel()
        for _ in self._threads:
            self._queue.put(None)

    def join(self, deadline: float) -> None:
        """Wait for the threads to end, until `time.monotonic()` reaches `deadline`."""
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _start_thread(self) -> None:
        thread = threading.Thread(
            target=self._run_jobs, args=(self._make_runner(),), name=self._name, daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:  # the system starts no more threads
            if not self._threads:
                raise NoWorker(error) from error
        else:
            self._threads.append(thread)

    def _run_jobs(self, run: Callable[[Job], Any]) -> None:
        while (item := self._wait_for_job()) is not None:
            future, job = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(run(job))
                except BaseException as error:
                    future.set_exception(error)
            del item, future, job  # free them while the thread is idle

    def _wait_for_job(self) -> tuple[Future[Any], Job] | None:
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            self._idle.release()
            return self._queue.get()


class _Process:
    """A worker process that runs one job after another. The first job starts the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._stopped = False
        atexit.register(self.stop)  # before multiprocessing ends the process as if it had died

    def run(self, job: Job) -> Any:
        """Run `job` in the process and return its result.

        Raises the exceptions of `job`, and NoWorker if no process can be started. Raises WorkerDied
        if `JOB_ATTEMPTS` processes died during the job, or after `stop`.
        """
        for attempt in range(1, JOB_ATTEMPTS + 1):
            pipe = self._ensure_pipe()
            try:
                pipe.send(job)
                succeeded, outcome = pipe.recv()
            except (EOFError, OSError):
                self._discard_process()
                if self._stopped:
                    break
                _LOG.warning("a worker process died (attempt %d of %d)", attempt, JOB_ATTEMPTS)
            else:
                if succeeded:
                    return outcome
                raise outcome
        raise WorkerDied(f"worker processes died {JOB_ATTEMPTS} times in one job")

    def stop(self) -> None:
        """Kill the process. Later calls of `run` raise WorkerDied."""
        atexit.unregister(self.stop)
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def _ensure_pipe(self) -> Connection:
        with self._lock:
            if self._stopped:
                raise WorkerDied("the server was stopped")
            if self._pipe is None:
                try:
                    self._process, self._pipe = _start_process()
                except OSError as error:
                    raise NoWorker(error) from error
            return self._pipe

    def _discard_process(self) -> None:
        with self._lock:
            if self._process is not None and self._pipe is not None:
                self._process.kill()
                self._process.join()
                self._pipe.close()
            self._process = self._pipe = None


_START_LOCK = threading.Lock()  # multiprocessing keeps its list of children without a lock


def _start_process() -> tuple[SpawnProcess, Connection]:
    # Not fork: a child would inherit locks that other threads hold, and nothing would release them.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=_run_worker, args=(theirs,), name="mastermind-bot", daemon=True
    )
    try:
        with _START_LOCK:
            process.start()
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    return process, ours


def _run_worker(pipe: Connection) -> None:
    """Run the jobs from `pipe` until the server ends: the main function of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes
    if sys.platform != "win32":
        os.nice(WORKER_NICENESS)
    logging.disable(logging.WARNING)  # BotRunner already logged the warning in the server
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("a worker process has a parent")
    threading.Thread(target=_exit_with_parent, args=(parent.sentinel,), daemon=True).start()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        pipe.send(_run_job(job))


def _run_job(job: Job) -> tuple[bool, Any]:
    """Return True and the result of `job`, or False and the exception that it raised."""
    try:
        return True, job()
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # pickling loses the traceback
        return False, error


def _exit_with_parent(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
