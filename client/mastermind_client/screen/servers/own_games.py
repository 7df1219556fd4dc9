"""The finished matches of our players, for records and statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.messages.statistics import Statistics, gather

if TYPE_CHECKING:
    from mastermind_client.network.session import Session
    from mastermind_protocol.messages import ArchivedMatch


PAUSE_SECONDS = 0.25  # between two pages, so that moves are not delayed


class ServerPlayer(NamedTuple):
    """A player on a server: the server's address and the player's id."""

    address: str
    id: str


class OwnGames:
    """The finished matches of each of our players, empty before the archive is read."""

    def __init__(self) -> None:
        self._matches: dict[ServerPlayer, dict[str, ArchivedMatch]] = {}
        self._read: set[ServerPlayer] = set()
        self._statistics: dict[tuple[tuple[ServerPlayer, ...], str | None], Statistics] = {}

    async def read(self, player: ServerPlayer, session: Session) -> None:
        """Read the new matches of a player's archive. Raises Refused, ServerUnreachable."""
        known = self._matches.setdefault(player, {})
        found = await session.read_archive(known, pause=PAUSE_SECONDS)
        known.update((match.match, match) for match in found)
        self._read.add(player)
        self._statistics.clear()

    def has_read(self, player: ServerPlayer) -> bool:
        """Return whether a player's archive was read to its end at least once."""
        return player in self._read

    def count(self, *players: ServerPlayer, without: str | None = None) -> Statistics:
        """Return the statistics of these players together, without the match of a code."""
        key = (players, without)
        if key not in self._statistics:
            self._statistics[key] = gather(
                match
                for player in players
                for match in self._matches.get(player, {}).values()
                if match.match != without
            )
        return self._statistics[key]
