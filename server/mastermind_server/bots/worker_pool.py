"""Where bots think: threads for what takes a few milliseconds, processes for the rest.

NumPy frees the interpreter's lock only in parts, so a heavy move in a thread would hold up the
event loop. Neither kind of worker is started before it is needed, and none of them holds up the
end of the server: the threads are daemons, and each process is minded by one of them and killed.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import queue
import signal
import threading
import time
import traceback
from concurrent.futures import Future
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from mastermind_protocol.errors import ErrorCode, MastermindError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    Thought: TypeAlias = Callable[[], Any]

_LOG = logging.getLogger(__name__)
_P = ParamSpec("_P")
_T = TypeVar("_T")
THREADS = 2  # light moves thought about at once
PROCESSES = max(1, min(4, (os.cpu_count() or 2) - 1))  # heavy ones: a core stays with the games
ATTEMPTS = 3  # at a thought whose process is killed: twice by chance is rare, thrice is its fault
STOP_SECONDS = 0.5  # for threads to end in: a light thought takes milliseconds
_STOPPING = "it is being stopped"
RETRY_SECONDS = 1.0  # until there may be room for another thread or process


class CannotThink(MastermindError):
    """There is no room for a thread or a process, or the server stops: nobody is at fault."""

    def __init__(self, reason: object) -> None:
        super().__init__(
            ErrorCode.RATE_LIMITED,
            f"the server cannot think about this now ({reason}): wait {RETRY_SECONDS:g} s",
            retry_after=RETRY_SECONDS,
        )


class ThinkerDied(Exception):
    """A process died over one thought every time that it was begun."""


class Thinking:
    """Runs functions off the event loop. What a function raises is raised."""

    def __init__(self, processes: int = PROCESSES) -> None:
        self._minds: list[_Process] = []
        self._threads = _Crew("bot", THREADS, lambda: _call)
        self._processes = _Crew("bot-process", processes, self._add_process)
        self._waiting: set[asyncio.Future[Any]] = set()
        self._ended = False

    @property
    def started(self) -> bool:
        """Whether there are processes."""
        return bool(self._minds)

    async def run(
        self, heavy: bool, think: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run a function: in a thread, or if it is `heavy` in a process.

        For a process it must be a module's, and what it is given and returns picklable. When its
        process dies it is begun again in a new one; raises ThinkerDied if that happens every time.
        Raises CannotThink if no worker can be started, or after `stop`.
        """
        if self._ended:
            raise CannotThink(_STOPPING)
        crew = self._processes if heavy else self._threads
        waiting = asyncio.wrap_future(crew.submit(partial(think, *args, **kwargs)))
        self._waiting.add(waiting)
        waiting.add_done_callback(self._waiting.discard)
        try:
            thought: _T = await waiting
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise CannotThink(_STOPPING) from None  # the thought is cancelled, and not its caller
        return thought

    async def stop(self) -> None:
        """Drop what waits, kill the processes, and let nobody wait any longer for a thought.

        Threads are given a moment to end what they are about.
        """
        self._ended = True
        for crew in (self._threads, self._processes):
            crew.dismiss()
        for mind in self._minds:
            mind.end()
        for waiting in list(self._waiting):
            waiting.cancel()
        deadline = time.monotonic() + STOP_SECONDS
        for crew in (self._threads, self._processes):
            await asyncio.to_thread(crew.join, deadline)

    def _add_process(self) -> Callable[[Thought], Any]:
        mind = _Process()
        self._minds.append(mind)
        return mind.think


class _Crew:
    """Daemon threads that take thoughts from one queue: up to `most`, each when it is needed.

    `hire` makes what a thread has a thought done by.
    """

    def __init__(self, name: str, most: int, hire: Callable[[], Callable[[Thought], Any]]) -> None:
        self._name, self._most, self._hire = name, most, hire
        self._queue: queue.SimpleQueue[tuple[Future[Any], Thought] | None] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []

    def submit(self, thought: Thought) -> Future[Any]:
        """Have a thought done. Raises CannotThink if there is no thread and none can be had."""
        future: Future[Any] = Future()
        self._queue.put((future, thought))  # first: a new thread that finds nothing counts as idle
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._most:
            try:
                self._start()
            except CannotThink:
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
                raise CannotThink(error) from error
        else:
            self._threads.append(thread)

    def _work(self, do: Callable[[Thought], Any]) -> None:
        while (item := self._next()) is not None:
            future, thought = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(do(thought))
                except BaseException as error:
                    future.set_exception(error)
            del item, future, thought  # nothing is kept in memory while the thread waits

    def _next(self) -> tuple[Future[Any], Thought] | None:
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            self._idle.release()
            return self._queue.get()


def _call(thought: Thought) -> Any:
    return thought()


class _Process:
    """A process that does one thought after another; the first one starts it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._ended = False

    def think(self, thought: Thought) -> Any:
        """Have a thought done by the process; raises as `Thinking.run` says."""
        for attempt in range(1, ATTEMPTS + 1):
            pipe = self._find_pipe()
            try:
                pipe.send(thought)
                done, outcome = pipe.recv()
            except (EOFError, OSError):
                self._clear()
                if self._ended:
                    break
                _LOG.warning("a thinking process died (try %d of %d)", attempt, ATTEMPTS)
            else:
                if done:
                    return outcome
                raise outcome
        raise ThinkerDied(f"a thinking process died {ATTEMPTS} times over one thought")

    def end(self) -> None:
        """Kill the process, and let there be no other."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def _find_pipe(self) -> Connection:
        with self._lock:
            if self._ended:
                raise ThinkerDied("the server has been stopped")
            if self._pipe is None:
                try:
                    self._process, self._pipe = _start()
                except OSError as error:
                    raise CannotThink(error) from error
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
    logging.disable(logging.WARNING)  # BotRunner._prepare has warned, in the server's own log
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("a thinking process has a parent")
    threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()
    while True:
        try:
            thought = pipe.recv()
        except EOFError:
            return
        pipe.send(_attempt(thought))


def _attempt(thought: Thought) -> tuple[bool, Any]:
    """Return whether a thought came to an end, and its result or what it raised."""
    try:
        return True, thought()
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))  # where, which is not pickled
        return False, error


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
