"""How much a player, and an address, may have kept for ever: counted in rows of logs and chats.

A match is paid for as it is opened, up to an honest length. So whoever has used up everything
begins no match, and finishes what runs; only a match that grows beyond that is paid for by the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol import requests
from mastermind_protocol.errors import Reason
from mastermind_server import tuning
from mastermind_server.network.pace import Buckets

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.matches.followers import Peer


class Quota:
    """Counts what is written for peers. All methods raise Refused when there is no room for it."""

    def __init__(self, limiter: Limiter, clock: Clock) -> None:
        self._players = Buckets(limiter, "rows", clock.now, Reason.TOO_MANY_ROWS)
        self._addresses = Buckets(limiter, "rows_of_address", clock.now, Reason.TOO_MANY_ROWS)

    def open(
        self, peer: Peer, player: str, request: requests.Open | requests.Seek | requests.Rematch
    ) -> None:
        """Count a match that is to begin."""
        rounds = 1 if isinstance(request, requests.Rematch) else request.rounds
        self._take(peer, player, _count_prepaid(rounds))

    def move(self, peer: Peer, player: str, version: int, rounds: int) -> None:
        """Count a move in a match of so many rounds that is at a version."""
        if version >= tuning.PREPAID_ROWS and version >= _count_prepaid(rounds):
            self._take(peer, player, 1)

    def say(self, peer: Peer, player: str) -> None:
        """Count a line of chat."""
        self._take(peer, player, 1)

    def _take(self, peer: Peer, player: str, rows: int) -> None:
        self._addresses.check(peer.address)
        self._players.check(player)
        self._addresses.reserve(peer.address, rows)
        self._players.reserve(player, rows)


def _count_prepaid(rounds: int) -> int:
    return max(tuning.PREPAID_ROWS, tuning.ROUND_ROWS * rounds)
