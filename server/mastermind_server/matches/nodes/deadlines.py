"""Ends abandoned matches and lobbies at their due times.

Each node does so for all matches in the store. If several nodes end a match, the log accepts one
row.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mastermind_protocol.commands import Decline, LeaveMatch
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.match import Phase, find_player_to_remove
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_MILLISECONDS
from mastermind_server.monitoring.logs import with_context
from mastermind_server.storage.records import (
    CHALLENGE_MILLISECONDS,
    add_days,
    is_challenge,
)
from mastermind_server.storage.statements.matches import find_record, list_due, postpone
from mastermind_server.storage.statements.presence import NO_PRESENCE
from mastermind_server.timekeeping.outages import measure_lost_time
from mastermind_server.timekeeping.statements import list_outages

if TYPE_CHECKING:
    from mastermind_protocol.commands import Command
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
DUE_POLL_SECONDS = 5.0  # between two polls for due matches; delays the end of an abandoned lobby
ENDED_PER_POLL = 200  # due matches in one poll: some 0.2 s of a core


class Deadlines:
    """Ends the matches in the store after their due times.

    Polls find abandoned matches and lobbies. `Challenges` calls `try_to_end` when the time for a
    challenge has passed.
    """

    def __init__(self, tables: Tables, presence: Presence, services: Services) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._store, self._clock = services.store, services.clock

    async def end_due_matches(self) -> None:
        """End up to ENDED_PER_POLL matches that are due. Raises StorageFailed."""
        now = self._clock.unix_milliseconds()
        for match_code in await self._store.look_up(list_due, now, limit=ENDED_PER_POLL):
            await self.try_to_end(match_code)

    async def try_to_end(self, match_code: str) -> None:
        """Call `end_if_due`, and log a refusal or failure. Postpone a match with a damaged log.

        Raises StorageFailed if a match cannot be postponed.
        """
        try:
            await self.end_if_due(match_code)
        except Refused:
            with_context(_LOG, match=match_code).debug("not ended: it has changed since it was due")
        except MastermindError as error:
            with_context(_LOG, match=match_code).warning(
                "it is due and cannot be ended: %s", error.code
            )
            if error.reason is Reason.LOG_DAMAGED:  # so the next poll would fail too
                later = add_days(self._clock.unix_milliseconds(), self._services.abandon_days)
                await self._store.write_locking(postpone, {match_code: later})

    async def end_if_due(self, match_code: str) -> None:
        """End a match that is due, by removing the player for whom the match waits.

        If the match is not due yet, store its due time instead. A match is not due while this
        player follows it. Time in which no server ran does not count. A challenge is due at the
        latest CHALLENGE_MILLISECONDS after it was opened, and the server declines it for the
        challenged player. Raises Refused if another node has just written a row, and StorageFailed.
        """
        now, days = self._clock.unix_milliseconds(), self._services.abandon_days
        async with self._tables.use(match_code) as table:
            state, version = table.log.state, table.log.version
            if (absentee := find_player_to_remove(state)) is None:
                return
            there = (await self._presence.find([match_code])).get(match_code, NO_PRESENCE).players
            command: Command = LeaveMatch(absent=True)
            by = absentee.id
            # A deadline in the store may be too early: guesses do not postpone it.
            since, later = await self._find_deadline(table)
            if absentee.id in there:
                since, later = now, add_days(now, days)
            later += await self._measure_outages(match_code, since, now)
            if is_challenge(state):
                later = min(later, table.log.rows[0].at + CHALLENGE_MILLISECONDS)
                command, by = Decline(late=True), str(state.opened.reserved)
            if later > now:
                await self._store.write_locking(postpone, {match_code: later})
            else:
                await table.perform(command, by, version=version)

    async def _measure_outages(self, match_code: str, since: int, until: int) -> int:
        """Return the milliseconds from `since` to `until` in which no server ran."""
        found = await self._store.look_up(list_outages, match_code, since)
        return measure_lost_time(found, since, until)

    async def _find_deadline(self, table: Table) -> tuple[int, int]:
        """Return the time since which a match has waited, and its due time without outages.

        Both are in milliseconds since 1970. A public lobby or a challenge is due some time after
        its player has disconnected: only the store has this time.
        """
        state, moved = table.log.state, table.log.rows[-1].at
        if is_challenge(state) or (state.phase is Phase.GATHERING and state.opened.public):
            record = await self._store.look_up(find_record, table.log.code)
            due = moved if record is None or record.due is None else record.due
            return due - LOBBY_GRACE_MILLISECONDS, due
        return moved, add_days(moved, self._services.abandon_days)
