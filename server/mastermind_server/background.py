"""Background tasks of a server."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mastermind_server.clock import Clock

_LOG = logging.getLogger(__name__)


class BackgroundTasks:
    """Runs functions once or periodically, and logs their exceptions.

    The `name` of a function completes the log line "cannot {name}: ...". If a function raises the
    same type of exception several times in a row, only the first is logged.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: dict[str, type[Exception]] = {}  # of the last run, by name

    def run_every(
        self,
        seconds: float,
        work: Callable[[], Awaitable[None]],
        name: str,
        clock: Clock | None = None,
    ) -> None:
        """Run `work` every `seconds` of `clock` until `stop`. The first run is after one interval.

        `clock` is the clock of this object by default.
        """
        self._create_task(self._run_repeatedly(seconds, work, name, clock or self._clock), name)

    def run(self, work: Callable[[], Awaitable[None]], name: str) -> asyncio.Task[None]:
        """Run `work` once, in a new task."""
        return self._create_task(self._run_and_log(work, name), name)

    async def stop(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _create_task(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run_repeatedly(
        self, seconds: float, work: Callable[[], Awaitable[None]], name: str, clock: Clock
    ) -> None:
        while True:
            await clock.sleep(seconds)
            await self._run_and_log(work, name)

    async def _run_and_log(self, work: Callable[[], Awaitable[None]], name: str) -> None:
        try:
            await work()
        except Exception as error:
            if self._failures.get(name) is not type(error):
                self._failures[name] = type(error)
                unexpected = not isinstance(error, MastermindError)
                level = logging.ERROR if unexpected else logging.WARNING
                _LOG.log(level, "cannot %s: %s", name, error, exc_info=unexpected)
        else:
            self._failures.pop(name, None)
