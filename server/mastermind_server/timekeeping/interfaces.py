"""The parts of a match that its clocks use: the log and the followers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match
    from mastermind_server.storage.rows import LogRow


class ClockedLog(Protocol):
    """The log of a match. `rows` has at least one row, and `state` is the fold of all rows."""

    code: str
    rows: list[LogRow]
    state: Match

    @property
    def version(self) -> int:
        """The number of rows."""
        ...

    def is_position_current(self, version: int) -> bool:
        """Return whether all rows after `version` only gave lost time back."""
        ...


class ClockedPeer(Protocol):
    """A connection of a player."""

    player: Player | None

    @property
    def round_trip(self) -> float:
        """The shortest of the last round trips, in seconds; 0 if unknown."""
        ...

    def list_unhandled(self) -> Sequence[tuple[bytes | None, float]]:
        """Return the messages that are not handled yet, each with the seconds since it was read.

        A message is None if it is a text message, or data that is not parsed yet.
        """
        ...


class ClockedFollowers(Protocol):
    """The followers of a match. Players are given by their ids."""

    @property
    def seated(self) -> Collection[ClockedPeer]:
        """The connections of seated players to this node."""
        ...

    def has_player(self, player: str | None) -> bool:
        """Return whether the player follows the match at this node."""
        ...

    def list_stays(self, player: str) -> Sequence[tuple[float, float | None]]:
        """Return the last times in which the player followed at this node, the earliest first.

        Each is a start and an end in monotonic seconds; the end is None if the player follows now.
        """
        ...

    def find_away_seconds(self, player: str) -> float:
        """Return the seconds since the player last followed the match at any node."""
        ...

    def follows_elsewhere(self, player: str) -> bool:
        """Return whether the player follows the match at another node."""
        ...

    def follows_elsewhere_only(self, player: str) -> bool:
        """Return whether the player follows the match at other nodes only."""
        ...
