"""Background tasks of the app."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class BackgroundTasks:
    """The running tasks of one app.

    `report` shows an expected error to the user and returns True. It returns False for a fault of
    the program, which is then passed to `fail`. `changed` is called when a task starts or ends.
    """

    def __init__(
        self,
        report: Callable[[Exception], bool],
        fail: Callable[[BaseException], None],
        changed: Callable[[], None],
    ) -> None:
        self._report, self._fail, self._changed = report, fail, changed
        self._labels: dict[asyncio.Task[None], str] = {}
        self._kept: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether a task is running."""
        return bool(self._labels)

    @property
    def label(self) -> str:
        """The first label of the running tasks that is not empty."""
        return next((label for label in self._labels.values() if label), "")

    def spawn(
        self, work: Coroutine[object, object, None], label: str = "", *, keep: bool = False
    ) -> asyncio.Task[None]:
        """Start a task and return it. The caller can cancel the task.

        The `label` describes the work to the user. If `keep`, `close` waits for the task.
        """
        task = asyncio.create_task(self._guard(work))
        self._labels[task] = label
        if keep:
            self._kept.add(task)
        task.add_done_callback(self._end)
        task.add_done_callback(lambda _task: work.close())  # the task may never have started
        self._changed()
        return task

    async def close(self, seconds: float) -> None:
        """Cancel all tasks. Tasks with `keep` are cancelled only after `seconds`."""
        for task in self._labels.keys() - self._kept:
            task.cancel()
        if self._kept:
            await asyncio.wait(set(self._kept), timeout=seconds)
        for task in self._labels:
            task.cancel()
        await asyncio.gather(*self._labels, return_exceptions=True)

    async def _guard(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except Exception as error:
            if not self._report(error):
                raise

    def _end(self, task: asyncio.Task[None]) -> None:
        self._labels.pop(task, None)
        self._kept.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)
        self._changed()
