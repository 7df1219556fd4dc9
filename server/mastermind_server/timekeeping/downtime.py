"""Records in the store when this node, or a failed node, did not serve the players of a match."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import TYPE_CHECKING

from mastermind_server.storage.statements.presence import list_other_nodes
from mastermind_server.timekeeping.outages import Outage, merge_outages
from mastermind_server.timekeeping.statements import (
    ALL_MATCHES,
    delete_old_outages,
    end_node,
    has_other_open_node,
    record_failed_nodes,
    record_outages,
)

if TYPE_CHECKING:
    from mastermind_server.background import BackgroundTasks
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store
    from mastermind_server.timekeeping.clocked_tables import ClockedTables
    from mastermind_server.timekeeping.pauses import Pauses

LEASE_SECONDS = 15.0  # until a node that does not renew its lease counts as lost, with its players
LEASE_MILLISECONDS = int(1000 * LEASE_SECONDS)
DRAIN_CHECK_SECONDS = 1.0  # a drain takes a few seconds
_CHECK_TASK = "find out whether other nodes accept connections"
CHECK_SECONDS = 10.0  # between two checks for a suspension
SUSPENSION_SECONDS = 20.0  # after this time, clients have given up their connections


class Downtime:
    """Writes the outages of failed nodes, and the pauses and the stop of this node.

    `node` is the id of this node. `loop_clock` shows whether this process runs. All methods that
    write raise StorageFailed.
    """

    def __init__(
        self,
        tables: ClockedTables,
        store: Store,
        clock: Clock,
        loop_clock: Clock,
        pauses: Pauses,
        node: str,
        background: BackgroundTasks,
    ) -> None:
        self._tables, self._store, self._clock = tables, store, clock
        self._loop_clock, self._checked_at = loop_clock, loop_clock.now()
        self._checking = asyncio.Lock()
        self._pauses, self._node, self._background = pauses, node, background
        self._stopped_at: int | None = None  # when the connections of this node began to close
        self._losses: dict[str, int] = {}  # since when players lose time, by match code

    async def record_failed_nodes(self) -> list[str]:
        """Record the outages of failed nodes, and return the names of these nodes.

        Also end the outage since the last node stopped. If no other node uses the store, each node
        in the store is an earlier server.
        """
        now, private = self._clock.unix_milliseconds(), not self._store.shared
        return await self._store.write_locking(
            record_failed_nodes, LEASE_MILLISECONDS, now, private=private
        )

    async def delete_old_outages(self) -> None:
        """Delete outages that no running match needs."""
        await self._store.write_locking(delete_old_outages, self._clock.unix_milliseconds())

    async def store_pauses(self) -> None:
        """Store the pauses of this node, which would be lost if the process were killed."""
        self._pauses.record_pause_if_late()
        if pauses := tuple(self._pauses.unwritten):
            united = merge_outages(pauses)  # a busy node has hundreds, and a row for each match
            losses = list(product(self._list_losing(), united))
            await self._store.write_locking(record_outages, losses)
            del self._pauses.unwritten[: len(pauses)]

    async def record_store_failure(self, since: int) -> None:
        """Record that the store has failed since the time `since`, in milliseconds since 1970.

        Nobody could move in any match, unless another node is live.
        """
        if await self._is_alone():
            outage = Outage(since, self._clock.unix_milliseconds())
            await self._store.write_locking(record_outages, [(ALL_MATCHES, outage)])
            await self._read_outages()

    async def check_suspension(self) -> None:
        """Record an outage if this process has not run for much longer than CHECK_SECONDS.

        It was stopped, for example by Ctrl-Z. Must be called every CHECK_SECONDS, and before a
        flag. While live clocks run, `Pauses` measures shorter times, too. If other nodes are live,
        they have found that this node had failed.
        """
        async with self._checking:  # a second caller waits for the outage
            late = self._loop_clock.now() - self._checked_at - CHECK_SECONDS
            if late > SUSPENSION_SECONDS and await self._is_alone():
                now = self._clock.unix_milliseconds()
                await self.record_suspension(now - int(1000 * late), now)
            self._checked_at = self._loop_clock.now()

    async def record_suspension(self, began: int, ended: int) -> None:
        """Record that this process, the only live server of its store, did not run for some time.

        Both times are in milliseconds since 1970.
        """
        outage = Outage(began, ended, disconnected=True)
        await self._store.write_locking(record_outages, [(ALL_MATCHES, outage)])
        await self._read_outages()

    async def _is_alone(self) -> bool:
        """Return whether no other node of the store is live."""
        if not self._store.shared:
            return True
        return not await self._store.look_up(list_other_nodes, self._node)

    async def _read_outages(self) -> None:
        for table in self._tables.list_loaded():
            await table.read_outages()

    def _list_losing(self) -> list[str]:
        """Return the codes of matches in which a player loses time when this node pauses."""
        tables = self._tables.list_used()
        return [table.log.code for table in tables if table.time.lost.counts_pauses()]

    def begin_drain(self) -> None:
        """Note that players cannot come in from now on, unless other nodes accept connections."""
        self._pauses.closed_at = self._clock.unix_milliseconds()
        if self._store.shared:
            self._background.run(self.check_other_nodes, _CHECK_TASK)
            self._background.run_every(DRAIN_CHECK_SECONDS, self.check_other_nodes, _CHECK_TASK)

    async def check_other_nodes(self) -> None:
        """Set whether players can come in at another node while this one drains.

        All nodes may drain at once. Raises StorageFailed.
        """
        is_open = await self._store.look_up(has_other_open_node, self._node, LEASE_MILLISECONDS)
        if is_open:
            self._pauses.closed_at = None
        elif self._pauses.closed_at is None:
            self._pauses.closed_at = self._clock.unix_milliseconds()

    def begin_stop(self) -> None:
        """Note that players lose time from now on, and that no flag of this node may fall.

        Must be called before the connections are closed.
        """
        if self._stopped_at is not None:
            return
        self._stopped_at = self._clock.unix_milliseconds()
        closed = self._pauses.closed_at is not None  # then also matches that nobody can follow
        for table in self._tables.list_loaded() if closed else self._tables.list_used():
            if table.time.lost.counts_pauses():
                self._losses[table.log.code] = table.time.lost.find_loss_start()
        self._pauses.hold_flags()

    def list_movers(self) -> set[str]:
        """Return the ids of the players to move whose live clocks run in matches in use."""
        states = [table.log.state for table in self._tables.list_used()]
        return {each.to_move.id for each in states if each.has_live_clock and each.to_move}

    async def end_node(self) -> None:
        """Delete the lease of this node, and record the time since `begin_stop` as an outage."""
        now = self._clock.unix_milliseconds()
        await self._store.write_locking(
            end_node, self._node, LEASE_MILLISECONDS, self._stopped_at or now, now, self._losses
        )
