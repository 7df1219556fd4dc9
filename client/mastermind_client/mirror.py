"""A match as this client knows it: the same state machine, folded from what the server sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.match import Match, fold

if TYPE_CHECKING:
    from mastermind_protocol.messages import Row


class Mirror:
    """One match that is followed. `present` are the ids of the players who are connected."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.version = 0
        self.present: set[str] = set()
        self._state: Match | None = None

    @property
    def state(self) -> Match:
        """The match after the last version; a mirror is handed out only when it has one."""
        if self._state is None:
            raise ValueError(f"nothing is known of match {self.code} yet")
        return self._state

    def apply(self, row: Row) -> bool:
        """Take up a row; False if it is known already. Raises ValueError if one is missing."""
        if row.v <= self.version:
            return False
        if row.v != self.version + 1:
            raise ValueError(f"version {row.v} does not follow {self.version}")
        self._state = fold(row.events, self._state)
        self.version = row.v
        return True

    def note_presence(self, player: str, *, here: bool) -> None:
        """Take up whether a seated player is connected."""
        if here:
            self.present.add(player)
        else:
            self.present.discard(player)
