"""Workers off the event loop: threads for what takes a few milliseconds, processes for the rest.

NumPy frees the interpreter's lock only in parts, so a heavy move in a thread would hold up the
event loop. Neither kind of worker is started before it is needed, and none of them holds up the
end of the server: the threads are daemons, and each process belongs to one of them and is killed.
"""

from __future__ import annotations

import asyncio
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
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server import tuning

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    Job: TypeAlias = Callable[[], Any]

_LOG = logging.getLogger(__name__)
_P = ParamSpec("_P")
_T = TypeVar("_T")
_STOPPING = "it is being stopped"
_CROWDED = "too many wait for a worker"


class NoWorker(MastermindError):
    """There is no room for a thread or a process, or the server stops: nobody is at fault."""

    def __init__(self, problem: object) -> None:
        wait = tuning.RETRY_SECONDS
        super().__init__(Reason.NO_WORKER, retry_after=wait, problem=str(problem))


class WorkerDied(Exception):
    """A process died over one job every time that it was begun."""


class WorkerPool:
    """Runs functions off the event loop. What a function raises is raised."""

    def __init__(self, processes: int = tuning.WORKER_PROCESSES) -> None:
        self._started: list[_Process] = []
        self._threads = _Workers("bot", tuning.WORKER_THREADS, lambda: _call)
        self._processes = _Workers("bot-process", processes, self._add_process)
        self._waiting: set[asyncio.Future[Any]] = set()
        self._ended = False

    @property
    def started(self) -> bool:
        """Whether there are processes."""
        return bool(self._started)

    @property
    def waiting(self) -> int:
        """How many jobs are not done yet."""
        return len(self._waiting)

    async def run(
        self, heavy: bool, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run a function: in a thread, or if it is `heavy` in a process.

        For a process it must be a module's, and what it is given and returns picklable. When its
        process dies it is begun again in a new one; raises WorkerDied if that happens every time.
        Raises NoWorker if no worker can be started, or after `stop`.
        """
        if self._ended:
            raise NoWorker(_STOPPING)
        workers = self._processes if heavy else self._threads
        waiting = asyncio.wrap_future(workers.submit(partial(work, *args, **kwargs)))
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)
        try:
            job: _T = await waiting
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise NoWorker(_STOPPING) from None  # the job is cancelled, and not its caller
        finally:
            del waiting  # it knows what it raises, and that this frame
        return job

    async def stop(self) -> None:
        """Drop the jobs in the queues, kill the processes, and raise NoWorker for whoever waits.

        Threads are given a moment to end what they are about.
        """
        self._ended = True
        for workers in (self._threads, self._processes):
            workers.dismiss()
        for process in self._started:
            process.end()
        for waiting in list(self._waiting):
            waiting.cancel()
        deadline = time.monotonic() + tuning.WORKERS_STOP_SECONDS
        for workers in (self._threads, self._processes):
            await asyncio.to_thread(workers.join, deadline)

    def _add_process(self) -> Callable[[Job], Any]:
        process = _Process()
        self._started.append(process)
        return process.do


class _Workers:
    """Daemon threads that take jobs from one queue: up to `most`, each when it is needed.

    `hire` makes what a thread has a job done by.
    """

    def __init__(self, name: str, most: int, hire: Callable[[], Callable[[Job], Any]]) -> None:
        self._name, self._most, self._hire = name, most, hire
        self._queue: queue.SimpleQueue[tuple[Future[Any], Job] | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []

    def submit(self, job: Job) -> Future[Any]:
        """Have a job done.

        Raises NoWorker if there is no thread and none can be had, or the queue is full.
        """
        if self._queue.qsize() >= tuning.JOBS_QUEUED:
            raise NoWorker(_CROWDED)
        future: Future[Any] = Future()
        self._queue.put((future, job))  # first: a new thread that finds nothing counts as idle
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._most:
            try:
                self._start()
            except NoWorker:
                future.cancel()
                raise
        return future

    def dismiss(self) -> None:
        """Drop what is in the queue, and let each thread end after what it is about."""
        while not self._queue.empty():
            if (item := self._queue.get()) is not None:
                item[0].cancel()
        for _ in self._threads:
            self._queue.put(None)

    def join(self, deadline: float) -> None:
        """Wait for the threads to end, until `time.monotonic` tells so much."""
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _start(self) -> None:
        thread = threading.Thread(
            target=self._work, args=(self._hire(),), name=self._name, daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:  # what Python makes of the system's refusal
            if not self._threads:
                raise NoWorker(error) from error
        else:
            self._threads.append(thread)

    def _work(self, do: Callable[[Job], Any]) -> None:
        while (item := self._next()) is not None:
            future, job = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(do(job))
                except BaseException as error:
                    future.set_exception(error)
            del item, future, job  # nothing is kept in memory while the thread waits

    def _next(self) -> tuple[Future[Any], Job] | None:
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            self._idle.release()
            return self._queue.get()


def _call(job: Job) -> Any:
    return job()


class _Process:
    """A process that does one job after another; the first one starts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._ended = False

    def do(self, job: Job) -> Any:
        """Have a job done by the process; raises as `WorkerPool.run` says."""
        for attempt in range(1, tuning.JOB_ATTEMPTS + 1):
            pipe = self._find_pipe()
            try:
                pipe.send(job)
                done, outcome = pipe.recv()
            except (EOFError, OSError):
                self._clear()
                if self._ended:
                    break
                _LOG.warning("a worker process died (try %d of %d)", attempt, tuning.JOB_ATTEMPTS)
            else:
                if done:
                    return outcome
                raise outcome
        raise WorkerDied(f"a worker process died {tuning.JOB_ATTEMPTS} times over one job")

    def end(self) -> None:
        """Kill the process, and let there be no other."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def _find_pipe(self) -> Connection:
        with self._lock:
            if self._ended:
                raise WorkerDied("the server has been stopped")
            if self._pipe is None:
                try:
                    self._process, self._pipe = _start()
                except OSError as error:
                    raise NoWorker(error) from error
            return self._pipe

    def _clear(self) -> None:
        """Let go of a process that has died, or is to."""
        with self._lock:
            if self._process is not None and self._pipe is not None:
                self._process.kill()
                self._process.join()
                self._pipe.close()
            self._process = self._pipe = None


_STARTING = threading.Lock()  # multiprocessing's list of children is no matter for two threads


def _start() -> tuple[SpawnProcess, Connection]:
    # Not fork: a child of a process with threads may inherit a lock that nobody will release.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), name="mastermind-bot", daemon=True)
    try:
        with _STARTING:
            process.start()
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    return process, ours


def _serve(pipe: Connection) -> None:
    """Do what comes by the pipe, in a process of its own, until the server ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    if sys.platform != "win32":
        os.nice(tuning.WORKER_NICENESS)
    logging.disable(logging.WARNING)  # BotRunner has warned, in the server's own log
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("a worker process has a parent")
    threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        pipe.send(_attempt(job))


def _attempt(job: Job) -> tuple[bool, Any]:
    """Return whether a job came to an end, and its result or what it raised."""
    try:
        return True, job()
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # where, which is not pickled
        return False, error


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
