"""Ends the time of players whose clocks have run down.

A guess stores no deadline. Within a phase deadlines only move later, so the deadline that was
stored at the start of the phase is a lower bound. Polls of the store put all matches that may be
due soon into one heap. For each match that seems due, the real deadline is found in its log.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_server.monitoring.usage import Histogram
from mastermind_server.storage.notices import RenewalWanted
from mastermind_server.storage.statements.matches import list_clocks_due, postpone
from mastermind_server.storage.statements.presence import send_notice
from mastermind_server.timekeeping.downtime import LEASE_MILLISECONDS
from mastermind_server.timekeeping.due_times import DueTimes
from mastermind_server.timekeeping.statements import find_last_renewal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_server.background import BackgroundTasks
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store
    from mastermind_server.timekeeping.clocked_tables import (
        ClockedTable,
        ClockedTables,
        PresenceReader,
    )
    from mastermind_server.timekeeping.downtime import Downtime
    from mastermind_server.timekeeping.pauses import Pauses

POLL_SECONDS = 5.0  # between two polls of the store
HORIZON_MS = 10_000  # of a poll: longer than POLL_SECONDS, because the next poll may be late
MATCHES_PER_POLL = 2000  # some 5 ms
REQUEST_RETRY_MS = 20  # while a request that came in time is handled
RENEWAL_RETRY_MS = 100  # while another node that is live renews its lease
LEAVE_SECONDS = 0.1  # until the store has stored that a player has left, which takes some ms
NODE_RETRY_MS = 1000  # while another node must end the time, or the store has failed


class Flags:
    """Ends the time of players: when a player's time runs out, the flag falls, as on a chess clock.

    A heap has the matches in which a player's time ends soon. `delays` is a histogram of the
    seconds from the end of a player's time until this end is in the log.
    """

    def __init__(
        self,
        tables: ClockedTables,
        presence: PresenceReader,
        store: Store,
        clock: Clock,
        pauses: Pauses,
        downtime: Downtime,
        node: str,
        background: BackgroundTasks,
    ) -> None:
        self._tables, self._presence, self._background = tables, presence, background
        self._store, self._clock, self._pauses, self._node = store, clock, pauses, node
        self._downtime = downtime
        self._due = DueTimes(clock, self._wake)
        self._asked = 0  # when this node last asked others to renew leases, in ms since 1970
        self.delays = Histogram()

    def cancel_timer(self) -> None:
        """Cancel the timer."""
        self._due.cancel_timer()

    async def poll(self) -> None:
        """Put matches in which a player's time may end within HORIZON_MS into the heap.

        The matches are read from the store. Raises StorageFailed.
        """
        until = self._clock.unix_milliseconds() + HORIZON_MS
        for code, at in await self._store.look_up(list_clocks_due, until, MATCHES_PER_POLL):
            self._due.add(code, at)

    def on_change(self, table: ClockedTable) -> None:
        """Put a match into the heap if its deadline may precede the next `poll`."""
        deadline = self._find_deadline(table)
        if deadline is not None and deadline <= self._clock.unix_milliseconds() + HORIZON_MS:
            self._due.add(table.log.code, deadline)

    def _find_deadline(self, table: ClockedTable) -> int | None:
        """Return the time at which the player to move runs out of time, or None.

        If the clock is a live clock, pauses of this node are measured at least until this time.
        """
        deadline = table.time.find_deadline()
        if deadline is not None and table.log.state.has_live_clock:
            self._pauses.extend_measuring(deadline)
        return deadline

    def _wake(self, due: Sequence[str]) -> None:
        """Start a task for each match that is due."""
        self._pauses.record_poll()
        for code in due:
            self._background.run(partial(self._end_time, code), "end the time of a player")

    async def _end_time(self, code: str) -> None:
        """End the time of the player to move, or schedule the match again.

        First wait for one poll of the sockets, because it may read a move that arrived in time. If
        the players follow the match at other nodes only, do nothing: one of these nodes ends the
        time. Players of several nodes may have just left, while each node still sees those of the
        others, so look twice.
        """
        began = self._clock.now()
        await asyncio.sleep(0)  # until the end of the poll that `_wake` records
        try:
            await self._downtime.check_suspension()
            if await self._has_players_elsewhere_only(code):
                await self._clock.sleep(LEAVE_SECONDS)
                began = self._clock.now()
                if await self._has_players_elsewhere_only(code):
                    return
            async with self._tables.use(code) as table:
                again = await self._end_or_wait(table, began)
        except MastermindError as error:
            self._pauses.add_failure(error, began)
            if error.code != ErrorCode.UNKNOWN_MATCH:  # else the store has lost the match
                self._due.add(code, self._clock.unix_milliseconds() + NODE_RETRY_MS)
            raise
        if again is not None:
            self._due.add(code, again)

    async def _has_players_elsewhere_only(self, code: str) -> bool:
        """Return whether players follow a match, but it is not in use at this node."""
        if self._tables.get_used(code) is not None:
            return False
        found = await self._presence.find([code])
        return code in found and bool(found[code].players)

    async def _end_or_wait(self, table: ClockedTable, began: float) -> int | None:
        """End the time of the player to move if it is over. Return when to try again, or None.

        The result is in milliseconds since 1970. `began` is the monotonic time when this attempt
        began. If it has taken long to load the match or to read the store, players have waited,
        too, so the time since `began` is recorded as a pause.
        """
        deadline, flag_time = self._find_deadline(table), table.time.find_flag_time()
        now = self._clock.unix_milliseconds()
        if deadline is None or flag_time is None:
            return None
        if flag_time >= now:
            if flag_time <= now + HORIZON_MS:
                return flag_time
            await self._store.write_locking(postpone, {table.log.code: deadline})
            return None
        # The player may have just reconnected to another node, and its notice may be late. That
        # node handles no request of the player before the store has the player's presence there.
        await self._presence.read_elsewhere(table.log.code)
        if table.time.has_unhandled_move():
            return now + REQUEST_RETRY_MS
        if table.time.must_end_elsewhere():
            return now + NODE_RETRY_MS
        if self._store.shared and await self._may_have_unrecorded_outage(table):
            await self._ask_nodes_to_renew_leases()
            return now + (RENEWAL_RETRY_MS if now < flag_time + NODE_RETRY_MS else NODE_RETRY_MS)
        if self._store.shared or not table.log.state.has_live_clock:
            await table.read_outages()
        version = table.log.version
        self._pauses.add_delay(began)
        try:
            await table.end_time_if_over()
        except Refused:  # time was given back, or a move was stored first
            return max(table.time.find_flag_time() or 0, now + REQUEST_RETRY_MS)
        if not table.log.is_position_current(version):
            self.delays.add((self._clock.unix_milliseconds() - deadline) / 1000)
        return table.time.find_flag_time()

    async def _may_have_unrecorded_outage(self, table: ClockedTable) -> bool:
        """Return whether the player to move may lose time in an outage that is not recorded yet.

        True if another node where the player followed the match has not renewed its lease since:

        - the player began to follow the match here, or
        - LEASE_MILLISECONDS ago, if the player does not follow the match here.

        False if the player has followed the match here since the start of the turn.
        """
        mover, arrived = table.log.state.to_move, table.time.find_mover_arrival()
        if mover is None or (arrived is not None and arrived <= table.time.lost.find_turn_start()):
            return False
        needed = arrived or self._clock.unix_milliseconds() - LEASE_MILLISECONDS
        renewed = await self._store.look_up(
            find_last_renewal, table.log.code, mover.id, self._node, LEASE_MILLISECONDS
        )
        return renewed is not None and renewed < needed

    async def _ask_nodes_to_renew_leases(self) -> None:
        """Ask the other nodes to renew their leases, at most once every RENEWAL_RETRY_MS.

        The end of a player's time waits for the renewal by the player's earlier node. A live node
        renews its lease at once. If the node has failed, the wait ends when its lease expires.
        """
        now = self._clock.unix_milliseconds()
        if now - self._asked >= RENEWAL_RETRY_MS:
            self._asked = now
            await self._store.write(send_notice, RenewalWanted())
