"""One's own games that are over, at all places of the app: what a game is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.statistics import Statistics, gather

if TYPE_CHECKING:
    from mastermind_client.network.session import Session
    from mastermind_protocol.messages import ArchivedMatch


PAUSE_SECONDS = 0.25  # between two pages: the server answers moves first


class PlayerThere(NamedTuple):
    """Somebody at a place: its address, and the player's id there."""

    address: str
    id: str


class OwnGames:
    """What the archives keep of us, by player and by the code of a match.

    It holds what has been read so far: nothing at first, and nothing of a place that failed.
    """

    def __init__(self) -> None:
        self._matches: dict[PlayerThere, dict[str, ArchivedMatch]] = {}
        self._read: set[PlayerThere] = set()
        self._statistics: dict[tuple[PlayerThere, str | None], Statistics] = {}

    async def read(self, player: PlayerThere, session: Session) -> None:
        """Read what is new in a player's archive. Raises Refused, ServerUnreachable."""
        known = self._matches.setdefault(player, {})
        found = await session.read_archive(known, pause=PAUSE_SECONDS)
        known.update((match.match, match) for match in found)
        self._read.add(player)
        self._statistics.clear()

    def has_read(self, player: PlayerThere) -> bool:
        """Tell whether a player's archive has been read to its end, once at least."""
        return player in self._read

    def count(self, player: PlayerThere, without: str | None = None) -> Statistics:
        """Return the statistics of a player, with the games at other places.

        It is without those of others at the same address, who sit at the same computer, and
        `without` the match that has this code.
        """
        key = (player, without)
        if key not in self._statistics:
            self._statistics[key] = gather(
                match
                for other, matches in self._matches.items()
                if other == player or other.address != player.address
                for match in matches.values()
                if match.match != without
            )
        return self._statistics[key]
