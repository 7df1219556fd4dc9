"""Records in the store when this node, or a failed node, did not serve the players of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_server.timekeeping.outages import Outage, merge_outages
from mastermind_server.timekeeping.statements import (
    record_outage_ends,
    record_outages,
    record_pauses,
    record_stop,
)

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store
    from mastermind_server.timekeeping.clocked_tables import ClockedTables
    from mastermind_server.timekeeping.pauses import Pauses

LEASE_SECONDS = 15.0  # until a node that does not renew its lease counts as lost, with its players
LEASE_MILLISECONDS = int(1000 * LEASE_SECONDS)


class Downtime:
    """Writes the outages of failed nodes, and the pauses and the stop of this node.

    `node` is the id of this node. All methods that write raise StorageFailed.
    """

    def __init__(
        self, tables: ClockedTables, store: Store, clock: Clock, pauses: Pauses, node: str
    ) -> None:
        self._tables, self._store, self._clock = tables, store, clock
        self._pauses, self._node = pauses, node
        self._stopped_at: int | None = None  # when the connections of this node began to close
        self._stopped_matches: list[str] = []  # their players lose time from then on

    async def record_failed_nodes(self) -> list[str]:
        """Record the outages of failed nodes, and return the names of these nodes.

        If no other node uses the store, each node in the store is an earlier server.
        """
        now = None if self._store.shared else self._clock.unix_milliseconds()
        return await self._store.write_locking(record_outages, LEASE_MILLISECONDS, now)

    async def record_start(self) -> None:
        """Store the present time as the end of all outages that stopping nodes have recorded."""
        await self._store.write_locking(record_outage_ends, self._clock.unix_milliseconds())

    async def record_pauses(self) -> None:
        """Store the pauses of this node, which would be lost if the process were killed."""
        self._pauses.record_pause_if_late()
        if pauses := tuple(self._pauses.unwritten):
            united = merge_outages(pauses)  # a busy node has hundreds, and a row for each match
            await self._store.write_locking(record_pauses, self._list_matches_losing_time(), united)
            del self._pauses.unwritten[: len(pauses)]

    def begin_stop(self) -> None:
        """Note the time, and the matches with players who lose time from now on.

        Must be called before the connections are closed.
        """
        self._stopped_at = self._clock.unix_milliseconds()
        self._stopped_matches = self._list_matches_losing_time()

    async def record_stop(self) -> None:
        """Delete the lease of this node, and record the time since `begin_stop` as an outage."""
        now = self._clock.unix_milliseconds()
        stop = Outage(self._stopped_at or now, now)
        await self._store.write_locking(record_stop, self._node, self._stopped_matches, stop)

    def _list_matches_losing_time(self) -> list[str]:
        """Return the codes of matches in which a player loses time when this node pauses."""
        tables = self._tables.list_used()
        return [table.log.code for table in tables if table.time.loses_time_to_pauses()]
