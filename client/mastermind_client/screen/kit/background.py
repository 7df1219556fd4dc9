"""What is done behind a screen while it is looked at: tasks, each of which is waited for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class BackgroundTasks:
    """Begins what takes time.

    `report` tells the user why something failed and returns True, or False if that is no outage
    but a fault, which is given to `fail`. `changed` is called when a task has begun or ended.
    """

    def __init__(
        self,
        report: Callable[[Exception], bool],
        fail: Callable[[BaseException], None],
        changed: Callable[[], None],
    ) -> None:
        self._report, self._fail, self._changed = report, fail, changed
        self._doing: dict[asyncio.Task[None], str] = {}
        self._kept: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether anything goes on."""
        return bool(self._doing)

    @property
    def doing(self) -> str:
        """What goes on, in words; the first that has any."""
        return next((words for words in self._doing.values() if words), "")

    def spawn(
        self, work: Coroutine[object, object, None], doing: str = "", *, keep: bool = False
    ) -> asyncio.Task[None]:
        """Do something, `doing` in words; what is to be kept is not cancelled at once at the end.

        The task may be cancelled, if it is to be given up.
        """
        task = asyncio.create_task(self._guard(work))
        self._doing[task] = doing
        if keep:
            self._kept.add(task)
        task.add_done_callback(self._end)
        task.add_done_callback(lambda _task: work.close())  # it may never have begun
        self._changed()
        return task

    async def close(self, patience: float) -> None:
        """Cancel what goes on; what is kept has so many seconds to end by itself."""
        for task in self._doing.keys() - self._kept:
            task.cancel()
        if self._kept:
            await asyncio.wait(set(self._kept), timeout=patience)
        for task in self._doing:
            task.cancel()
        await asyncio.gather(*self._doing, return_exceptions=True)

    async def _guard(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except Exception as error:
            if not self._report(error):
                raise

    def _end(self, task: asyncio.Task[None]) -> None:
        self._doing.pop(task, None)
        self._kept.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)
        self._changed()
