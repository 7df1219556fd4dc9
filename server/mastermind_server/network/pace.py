"""How fast a player, and an address, may ask: by what it costs the server, however it is sent."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_protocol import messages as wire
from mastermind_server.limits import LIST_COST, LOG_COST, WORK, WORK_FROM, Buckets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_server.clock import Clock
    from mastermind_server.matches.followers import Peer

COSTS: Mapping[type[wire.Request], int] = MappingProxyType(
    {
        wire.Open: LOG_COST,
        wire.Join: LOG_COST,
        wire.Follow: LOG_COST,
        wire.Rematch: LOG_COST,
        wire.Seek: LIST_COST,
        wire.ListMatches: LIST_COST,
        wire.Archive: LIST_COST,
    }
)
"""What a request costs beside a move, which costs 1."""


class Pace:
    """Lets whoever asks for too much wait: it is served more slowly, and nothing is lost."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._players = Buckets(WORK, clock.now)
        self._addresses = Buckets(WORK_FROM, clock.now)

    async def keep(self, peer: Peer, request: wire.AnyRequest) -> None:
        """Return when the peer's player and address have credit for the request."""
        cost = COSTS.get(type(request), 1)
        wait = self._addresses.reserve(peer.address, cost)
        if peer.player is not None:
            wait = max(wait, self._players.reserve(peer.player.id, cost))
        if wait > 0:
            await self._clock.sleep(wait)
