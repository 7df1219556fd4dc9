"""The lease of this node: other nodes count its presence rows until the lease expires."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from mastermind_server.storage.statements.matches import list_clocks_due
from mastermind_server.storage.statements.presence import (
    Node,
    end_expired_leases,
    end_lease,
    renew_lease,
)
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.downtime import LEASE_MILLISECONDS, LEASE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mastermind_server.background import BackgroundTasks
    from mastermind_server.clock import Clock
    from mastermind_server.monitoring.overload import Readiness
    from mastermind_server.storage.store import Store
    from mastermind_server.timekeeping.clocked_tables import ClockedTable, ClockedTables
    from mastermind_server.timekeeping.downtime import Downtime
    from mastermind_server.timekeeping.time_of_day import TimeOfDay

_LOG = logging.getLogger(__name__)
_VERSION = version("networked-mastermind")
STOP_SECONDS = 0.5  # to end the lease; otherwise it expires
ALIVE_WRITE_SECONDS = 2.0  # after a failure, at most this much too much time is given back
IDLE_WRITE_SECONDS = 60.0  # the same for clocks of days, and for matches without a clock
LIVE_CLOCK_HORIZON_MS = 3_600_000  # live clocks are due sooner: a round has at most half an hour
FAILURE_MS = 60_000  # of the store: a renewal that waits for a lock fails after 2 s
RENEWAL_SECONDS = 4.0  # within LEASE_SECONDS, two renewals may be refused, or one may time out


class Lease:
    """Renews the lease of this node every RENEWAL_SECONDS, and deletes expired leases.

    The only server of a store renews it more often while live clocks run, and seldom otherwise.
    After a crash, it shows the next server when this one failed, so that players get the lost time
    back.

    `node` is the id of this node, and `address` its address for clients. `clock` schedules the
    renewals, and must run as fast as the clocks of other nodes. `write_presence` writes the
    presence of this node again, after its lease may have expired. `expire_lobbies` is called after
    each renewal. `connection_limit` is stored with the lease. `check_losses` is called before the
    first renewal in an epoch of the store, with the end of the last lease in the epoch before, or
    None.
    """

    def __init__(
        self,
        tables: ClockedTables,
        store: Store,
        downtime: Downtime,
        time_of_day: TimeOfDay,
        readiness: Readiness,
        node: str,
        address: str,
        day_clock: Clock,
        clock: Clock,
        background: BackgroundTasks,
        *,
        count_connections: Callable[[], int],
        connection_limit: int,
        write_presence: Callable[[], None],
        expire_lobbies: Callable[[], Awaitable[None]],
        check_losses: Callable[[int | None], Awaitable[None]],
    ) -> None:
        self._background, self._store = background, store
        self._downtime, self._time_of_day = downtime, time_of_day
        self._day_clock, self._clock, self._tables = day_clock, clock, tables
        self._write_presence, self._expire_lobbies = write_presence, expire_lobbies
        self._check_losses, self._epoch = check_losses, ""  # of the last renewal
        self._until: int | None = None  # the end of the lease, by the database's clock
        self._kept = False  # the lease is stored; false after a renewal that found no lease
        self._readiness, self._count_connections = readiness, count_connections
        self._node = Node(
            node=node,
            address=address,
            version=_VERSION,
            started=self._day_clock.unix_milliseconds(),
            connections=0,
            draining=False,
            connection_limit=connection_limit,
        )
        self._renewed = False  # the last renewal has certainly succeeded
        self._renewing = asyncio.Lock()
        self._started = False
        self._live = False  # at the last write, the live clock of a match ran
        self._written_at = 0.0  # the monotonic time of the last write
        self._stopping = False
        self._failed = False  # the last write
        self._alive_at = self._node.started  # the time of day of the last write

    async def start(self) -> None:
        """Acquire the lease, and set the due times of abandoned lobbies. Raises StorageFailed.

        First record the outages of earlier servers and of failed nodes.
        """
        await self._time_of_day.start()
        failed = await self._downtime.record_failed_nodes()
        await self._downtime.delete_old_outages()
        if self._store.shared:
            await self.renew()
            self._started = True
            self._background.run_every(
                RENEWAL_SECONDS, self.renew, "renew the lease of this node", self._clock
            )
        else:
            await self._write_alive(live=await self._store_has_live_clocks())
            for node in failed:  # now, because a start that fails must lose no outage
                await self._store.write_locking(end_lease, node)
            self._started = True
            await self._expire_lobbies()
            self._background.run_every(
                ALIVE_WRITE_SECONDS, self.write_alive_if_due, "write that this server runs"
            )

    def begin_stop(self) -> None:
        """Stop renewing the lease. Must be called with `Downtime.begin_stop`.

        If this process is killed before `stop`, the outage counts from the last renewal, which was
        before players began to lose time.
        """
        self._stopping = True

    async def stop(self) -> None:
        """Delete the lease, and record the time since `Downtime.begin_stop` as an outage.

        Must be called after the background tasks have stopped.
        """
        if not self._started:
            return
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._downtime.end_node()
        except (StorageFailed, TimeoutError) as failure:
            why = str(failure) or "the store does not answer"
            _LOG.warning("cannot end the lease, which expires in %d s: %s", LEASE_SECONDS, why)

    async def renew_unless_renewing(self) -> None:
        """Renew the lease unless a renewal runs or the lease is not acquired yet.

        Another node has asked for this, to find out whether this node has failed. Raises
        StorageFailed.
        """
        if self._started and not (self._renewing.locked() or self._stopping):
            await self.renew()

    async def renew(self) -> None:
        """Renew the lease, and delete expired leases. Raises StorageFailed.

        If this node's lease may have expired, also write its presence again.
        """
        async with self._renewing:
            if not self._stopping:
                await self._renew()

    async def _renew(self) -> None:
        self._node = self._node._replace(
            connections=self._count_connections(), draining=self._readiness.draining
        )
        certain, self._renewed = self._renewed, False
        await self._write_lease()
        if not (self._kept and certain):
            self._write_presence()
        self._renewed = True
        failed = await self._downtime.record_failed_nodes()
        await self._store.write_locking(end_expired_leases, failed, LEASE_MILLISECONDS)
        await self._expire_lobbies()
        await self._time_of_day.set()

    async def write_alive_if_due(self) -> None:
        """Renew the lease of the only server of a store, and set its time of day.

        Must be called every ALIVE_WRITE_SECONDS. If no live clock runs, the lease is renewed every
        IDLE_WRITE_SECONDS. After a failure, the next server gives the players back the time from
        the last renewal until its own start. Raises StorageFailed.
        """
        if self._stopping:
            return
        live = any(map(_has_running_live_clock, self._tables.list_used())) or (
            self._live and await self._store_has_live_clocks()  # of players who are all away
        )
        if (sleep := self._time_of_day.find_sleep()) is not None:
            await self._downtime.record_suspension(*sleep)  # before players seem to be late
            self._time_of_day.follow_system()
        else:
            await self._time_of_day.set()
        idle = self._day_clock.now() - self._written_at
        if live or self._live or idle >= IDLE_WRITE_SECONDS:
            await self._write_alive(live=live)

    def on_change(self, table: ClockedTable) -> None:
        """Write the lease at once if `table` has the first live clock that runs.

        Does nothing if other nodes may use the store: the lease is then renewed often enough.
        """
        if self._store.shared or self._live or self._stopping or not self._started:
            return
        if _has_running_live_clock(table):
            self._background.run(partial(self._write_alive, live=True), "write that clocks run")

    async def _write_alive(self, *, live: bool) -> None:
        """Write the lease, so that the next server can find out when this one failed.

        `live`: the live clock of a match runs.
        """
        async with self._renewing:
            await self._write_lease()
            self._live, self._written_at = live, self._day_clock.now()

    async def _store_has_live_clocks(self) -> bool:
        """Return whether a player's time may end within LIVE_CLOCK_HORIZON_MS in any match.

        This is true for each live clock that runs, and rarely for a clock of days.
        """
        until = self._day_clock.unix_milliseconds() + LIVE_CLOCK_HORIZON_MS
        return bool(await self._store.look_up(list_clocks_due, until, 1))

    async def _write_lease(self) -> None:
        """Store the pauses of this node, then renew its lease.

        If the node fails later, its outage counts from this renewal, and pauses that are only in
        memory are lost. After writes have failed for FAILURE_MS, nobody could move: this time is an
        outage. After a shorter one, the moves that failed are pauses.
        """
        try:
            if (epoch := self._store.epoch) != self._epoch:
                await self._check_losses(self._until)  # its proof is the lease before the renewal
            await self._downtime.store_pauses()
            self._store.check_epoch(epoch)
            self._kept, self._until = await self._store.write_locking(
                renew_lease, self._node, LEASE_SECONDS, self._day_clock.unix_milliseconds
            )
            self._epoch = epoch
        except StorageFailed:
            self._failed = True
            raise
        now = self._day_clock.unix_milliseconds()
        if self._failed and now - self._alive_at > FAILURE_MS:
            await self._downtime.record_store_failure(self._alive_at)
        self._failed, self._alive_at = False, now


def _has_running_live_clock(table: ClockedTable) -> bool:
    """Return whether the match has a live clock that runs. A clock of days is no live clock."""
    return table.log.state.has_live_clock and table.log.state.timer is not None
