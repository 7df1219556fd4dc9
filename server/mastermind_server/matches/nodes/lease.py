"""The lease of this node. The presence rows of a node count during its lease."""

from __future__ import annotations

import asyncio
import logging
from importlib.metadata import version
from typing import TYPE_CHECKING

from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.storage.statements.lobby import expire_lobbies
from mastermind_server.storage.statements.presence import (
    Node,
    end_expired_leases,
    end_lease,
    renew_lease,
)
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_server.background import BackgroundTasks
    from mastermind_server.clock import Clock
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
STOP_SECONDS = 0.5  # to end the lease; otherwise it expires
LEASE_SECONDS = 15.0  # until a node that does not renew its lease counts as lost, with its players
RENEWAL_SECONDS = 4.0  # two renewals may be refused, or one fail after DATABASE_SECONDS


class Lease:
    """Renews the lease of this node every RENEWAL_SECONDS, and deletes expired leases.

    `clock` schedules the renewals. It must run as fast as the clocks of other nodes.
    """

    def __init__(
        self,
        presence: Presence,
        services: Services,
        address: str,
        count_connections: Callable[[], int],
        background: BackgroundTasks,
        clock: Clock,
    ) -> None:
        self._background = background
        self._presence, self._store = presence, services.store
        self._time_of_day, self._clock = services.clock.unix_milliseconds, clock
        self._readiness, self._count_connections = services.readiness, count_connections
        self._node = Node(
            node=services.node,
            address=address,
            version=version("networked-mastermind"),
            started=self._time_of_day(),
            connections=0,
            draining=False,
        )
        self._renewed = False  # the last renewal has certainly succeeded
        self._started = False

    async def start(self) -> None:
        """Acquire the lease, and set the due times of abandoned lobbies. Raises StorageFailed.

        A store of one node has no leases, and no player is connected at the start.
        """
        if self._store.shared:
            await self.renew()
            self._started = True
            self._background.every(
                RENEWAL_SECONDS, self.renew, "renew the lease of this node", self._clock
            )
        else:
            await self._expire_lobbies()

    async def stop(self) -> None:
        """Delete the lease. Must be called after the background tasks have stopped."""
        if not self._started:
            return
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._store.write_locking(end_lease, self._node.node)
        except (StorageFailed, TimeoutError) as failure:
            why = str(failure) or "the store does not answer"
            _LOG.warning("cannot end the lease, which expires in %d s: %s", LEASE_SECONDS, why)

    async def renew(self) -> None:
        """Renew the lease, and delete expired leases. Raises StorageFailed.

        If the lease may have expired, also write the presence at this node again.
        """
        self._node = self._node._replace(
            connections=self._count_connections(), draining=self._readiness.draining
        )
        certain, self._renewed = self._renewed, False
        kept = await self._store.write_locking(renew_lease, self._node, LEASE_SECONDS)
        if not (kept and certain):
            self._presence.write_all()
        self._renewed = True
        await self._store.write_locking(end_expired_leases)
        await self._expire_lobbies()

    async def _expire_lobbies(self) -> None:
        grace = int(1000 * LOBBY_GRACE_SECONDS)
        await self._store.write_locking(expire_lobbies, self._time_of_day() + grace)
