"""This node's lease: as long as it lasts, whoever follows a match here counts at all nodes."""

from __future__ import annotations

import asyncio
import logging
from importlib.metadata import version
from typing import TYPE_CHECKING

from mastermind_server.storage.statements.lobby import expire_lobbies
from mastermind_server.storage.statements.presence import (
    Node,
    end_expired_leases,
    end_lease,
    renew_lease,
)
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.tuning import (
    LEASE_RENEWAL_SECONDS,
    LEASE_SECONDS,
    LEASE_STOP_SECONDS,
    LOBBY_GRACE_SECONDS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_server.clock import Clock
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class Lease:
    """Renews this node's lease of a store that others have too, and ends those that are over.

    It is renewed by a `clock` that goes as others' do.
    """

    def __init__(
        self,
        presence: Presence,
        services: Services,
        address: str,
        count_connections: Callable[[], int],
        clock: Clock,
    ) -> None:
        self._presence, self._store = presence, services.store
        self._time_of_day, self._clock = services.clock.time_of_day, clock
        self._readiness, self._count_connections = services.readiness, count_connections
        self._node = Node(
            node=services.node,
            address=address,
            version=version("networked-mastermind"),
            started=self._time_of_day(),
            connections=0,
            draining=False,
        )
        self._kept = False  # for certain: one that fails may be a new one all the same
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to be a node, and give the lobbies that are left their time. Raises StorageFailed.

        Nobody attends a lobby of a store that this node alone has, as it starts.
        """
        if self._store.shared:
            await self.renew()
            self._task = asyncio.create_task(self._keep(), name="lease")
        else:
            await self._desert_lobbies()

    async def stop(self) -> None:
        """Be a node no more, and let others know."""
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        try:
            async with asyncio.timeout(LEASE_STOP_SECONDS):
                await self._store.write_locking(end_lease, self._node.node)
        except (StorageFailed, TimeoutError) as failure:
            why = str(failure) or "the store does not answer"
            _LOG.warning("others come to know only in a while that this node is gone: %s", why)

    async def renew(self) -> None:
        """Go on being a node, and forget those that are gone.

        Raises StorageFailed.
        """
        self._node = self._node._replace(
            connections=self._count_connections(), draining=self._readiness.draining
        )
        certain, self._kept = self._kept, False
        kept = await self._store.write_locking(renew_lease, self._node, LEASE_SECONDS)
        if not (kept and certain):
            self._presence.tell_all()
        self._kept = True
        await self._store.write_locking(end_expired_leases)
        await self._desert_lobbies()

    async def _keep(self) -> None:
        while True:
            await self._clock.sleep(LEASE_RENEWAL_SECONDS)
            try:
                await self.renew()
            except StorageFailed as failure:
                _LOG.warning("the lease of this node is not renewed: %s", failure)
            except Exception:
                _LOG.exception("the lease of this node could not be renewed")

    async def _desert_lobbies(self) -> None:
        grace = int(1000 * LOBBY_GRACE_SECONDS)
        await self._store.write_locking(expire_lobbies, self._time_of_day() + grace)
