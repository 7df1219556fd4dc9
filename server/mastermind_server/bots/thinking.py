"""Where bots think: threads for what takes a few milliseconds, processes for the rest.

NumPy frees the interpreter's lock only in parts, so a heavy move in a thread would hold up the
event loop. Neither kind of worker is started before it is needed.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger(__name__)
_P = ParamSpec("_P")
_T = TypeVar("_T")
THREADS = 2  # light moves thought about at once
PROCESSES = max(1, min(4, (os.cpu_count() or 2) - 1))  # heavy ones: a core stays with the games
ATTEMPTS = 3  # at a thought whose process is killed: twice by chance is rare, thrice is its fault


class Thinking:
    """Runs functions off the event loop. What a function raises is raised."""

    def __init__(self, processes: int = PROCESSES) -> None:
        self._bound = processes
        self._threads: ThreadPoolExecutor | None = None
        self._processes: ProcessPoolExecutor | None = None

    @property
    def started(self) -> bool:
        """Whether there are processes."""
        return self._processes is not None

    async def run(
        self, heavy: bool, think: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run a function: in a thread, or if it is `heavy` in a process.

        For a process it must be a module's, and what it is given and returns picklable. When a
        process dies, whatever all of them were thinking about is begun again in new ones; raises
        BrokenProcessPool if that happens every time.
        """
        if not heavy:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="bot")
            return await asyncio.wrap_future(self._threads.submit(think, *args, **kwargs))
        for attempt in range(1, ATTEMPTS + 1):
            pool = self._processes
            if pool is None:
                pool = self._processes = _start(self._bound)
            try:
                return await asyncio.wrap_future(pool.submit(think, *args, **kwargs))
            except BrokenProcessPool:
                if self._processes is pool:
                    self._processes = None
                    pool.shutdown(wait=False, cancel_futures=True)
                _LOG.warning("a thinking process died (try %d of %d)", attempt, ATTEMPTS)
        raise BrokenProcessPool(f"a thinking process died {ATTEMPTS} times over one thought")

    def close(self) -> None:
        """Let threads and processes end after what they are thinking about, and wait for none."""
        for pool in (self._threads, self._processes):
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)


def _start(processes: int) -> ProcessPoolExecutor:
    # Not fork: a child of a process with threads may inherit a lock that nobody will release.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Prepare a process: Ctrl-C is for the server, and whose server is gone ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.disable(logging.WARNING)  # BotRunner._prepare has warned, in the server's own log
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("a thinking process has a parent")
    threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
