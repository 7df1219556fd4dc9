"""What is being done for a app while it is looked at: tasks, each of which is waited for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_client.net.leaving import LEAVE_SECONDS
from mastermind_client.net.unreachable import ServerUnreachable
from mastermind_client.words.refusals import describe_refusal
from mastermind_client.words.system import explain_failure
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Work:
    """Begins what takes time. What is refused is told by `complain`; what fails, by `fail`.

    `changed` is called whenever something has begun or ended.
    """

    def __init__(
        self,
        complain: Callable[[str], None],
        fail: Callable[[BaseException], None],
        changed: Callable[[], None],
    ) -> None:
        self._complain, self._fail, self._changed = complain, fail, changed
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

    def begin(
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
        self._changed()
        return task

    async def close(self) -> None:
        """Cancel what goes on; what is kept has a moment to end by itself."""
        for task in self._doing.keys() - self._kept:
            task.cancel()
        if self._kept:
            await asyncio.wait(set(self._kept), timeout=LEAVE_SECONDS)
        for task in self._doing:
            task.cancel()
        await asyncio.gather(*self._doing, return_exceptions=True)

    async def _guard(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except MastermindError as error:
            self._complain(describe_refusal(error))
        except (ServerUnreachable, OSError) as error:
            words = explain_failure(error) if isinstance(error, OSError) else str(error)
            self._complain(words[:1].upper() + words[1:])

    def _end(self, task: asyncio.Task[None]) -> None:
        self._doing.pop(task, None)
        self._kept.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)
        self._changed()
