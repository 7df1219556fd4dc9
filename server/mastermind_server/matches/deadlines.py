"""What ends by the store's own times, whichever node is alive then: deserted and abandoned matches.

Several nodes may come upon the same match. The keys of its log let one of them end it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_protocol.errors import MastermindError, Refused
from mastermind_server.limits import DUE_SECONDS, ENDED_AT_ONCE
from mastermind_server.log_lines import about

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mastermind_protocol.match import Phase
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class Deadlines:
    """Looks every few seconds for what is due, and lets it be ended: by its phase, by its code.

    Whatever is due after that is asked for again at the next look.
    """

    def __init__(
        self, services: Services, ends: Mapping[Phase, Callable[[str], Awaitable[None]]]
    ) -> None:
        self._store, self._clock, self._ends = services.store, services.clock, ends
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._keep_looking(), name="deadlines")

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def look(self) -> None:
        """End what is due now. Raises StorageFailed if that cannot be told."""
        now = self._clock.time_of_day()
        for code, phase in await self._store.list_due(now, list(self._ends), limit=ENDED_AT_ONCE):
            try:
                await self._ends[phase](code)
            except Refused:
                about(_LOG, match=code).debug("it was due, and has changed meanwhile")
            except MastermindError as error:
                about(_LOG, match=code).warning("it is due and could not be ended: %s", error.code)

    async def _keep_looking(self) -> None:
        while True:
            await self._clock.sleep(DUE_SECONDS)
            try:
                await self.look()
            except MastermindError as error:
                _LOG.warning("what is due is not known: %s", error.code)
            except Exception:
                _LOG.exception("what is due could not be ended")
