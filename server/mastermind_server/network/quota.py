"""How much a player, and an address, may have kept for ever: counted in rows of logs and chats.

A match is paid for as it is opened, up to an honest length, with the rows by which others join it,
leave it and offer a rematch. So whoever has used up everything begins no match, and finishes what
runs; only a match that grows beyond that is paid for as it grows, some rows at a time. Rows are
charged when they are kept: what is refused uses up nothing, for whoever asks for it over and over
would else lock all others at its address out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_server import tuning
from mastermind_server.network.pace import AddressBuckets, Buckets

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.matches.tables.followers import Peer


class Quota:
    """Counts the rows that are kept of peers."""

    def __init__(self, limiter: Limiter, clock: Clock) -> None:
        self._players = Buckets(limiter, "rows", clock.now, Reason.TOO_MANY_ROWS)
        self._addresses = AddressBuckets(
            limiter, "rows_of_address", clock.now, Reason.TOO_MANY_ROWS
        )

    def check(self, peer: Peer, player: str) -> None:
        """Raise Refused if there is no room for anything more."""
        self._addresses.check(peer.address)
        self._players.check(player)

    def charge(self, peer: Peer, player: str, rows: int) -> None:
        """Count rows that have been kept."""
        self._addresses.reserve(peer.address, rows)
        self._players.reserve(player, rows)


def price_match(rounds: int) -> int:
    """Return how many rows a match of so many rounds takes as it begins."""
    return max(tuning.PREPAID_ROWS, tuning.ROUND_ROWS * rounds)


def price_move(version: int, rounds: int) -> int:
    """Return how many rows a move takes in a match of so many rounds that is at a version.

    Beyond what was paid for as it began each ROUND_ROWS are paid for by the first of them: most
    moves of a long match take nothing, and no time.
    """
    if version % tuning.ROUND_ROWS or version < tuning.PREPAID_ROWS:
        return 0
    return tuning.ROUND_ROWS if version >= price_match(rounds) else 0
