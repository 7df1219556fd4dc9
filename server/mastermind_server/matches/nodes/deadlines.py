"""What ends by the store's own times, whichever node is alive then: deserted and abandoned matches.

Several nodes may come upon the same match. The keys of its log let one of them end it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.match import Phase, find_absentee
from mastermind_server.logs import about
from mastermind_server.storage.records import find_due_time
from mastermind_server.storage.statements.matches import list_due, postpone
from mastermind_server.storage.statements.presence import NOBODY
from mastermind_server.tuning import DUE_SECONDS, ENDED_AT_ONCE

if TYPE_CHECKING:
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class Deadlines:
    """Looks every few seconds for what is due, and ends it.

    Whatever is due after that is asked for again at the next look.
    """

    def __init__(self, tables: Tables, presence: Presence, services: Services) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._store, self._clock = services.store, services.clock
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
        for code in await self._store.read(list_due, now, limit=ENDED_AT_ONCE):
            try:
                await self.end(code)
            except Refused:
                about(_LOG, match=code).debug("it was due, and has changed meanwhile")
            except MastermindError as error:
                about(_LOG, match=code).warning("it is due and could not be ended: %s", error.code)
                if error.reason is Reason.LOG_DAMAGED:  # nor will it be at the next look
                    days = self._services.abandon_after
                    await self._store.write_locking(postpone, {code: find_due_time(now, days)})

    async def end(self, code: str) -> None:
        """Let whom a match waits for have left it, unless that player is there, or it goes on.

        Raises Refused if something happens in it at that moment, or StorageFailed.
        """
        now, days = self._clock.time_of_day(), self._services.abandon_after
        async with self._tables.at(code) as table:
            state, version = table.log.state, table.log.version
            if (absentee := find_absentee(state)) is None:
                return
            there = (await self._presence.find([code])).get(code, NOBODY).players
            # A guess does not change when a match is due; a lobby may be due sooner than by this.
            moved = 0 if state.phase is Phase.GATHERING else table.log.rows[-1].at
            later = find_due_time(now if absentee.id in there else moved, days)
            if later > now:
                await self._store.write_locking(postpone, {code: later})
            else:
                await table.perform(LeaveMatch(absent=True), absentee.id, version=version)

    async def _keep_looking(self) -> None:
        while True:
            await self._clock.sleep(DUE_SECONDS)
            try:
                await self.look()
            except MastermindError as error:
                _LOG.warning("what is due is not known: %s", error.code)
            except Exception:
                _LOG.exception("what is due could not be ended")
