"""A match as this client knows it: the same state machine, folded from what the server sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.match import Match, fold

if TYPE_CHECKING:
    from mastermind_protocol.messages import Row


class Mirror:
    """One match that is followed. `away` are the ids of the players whose connection is lost."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.version = 0
        self.away: set[str] = set()
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
        self._state = fold(row.events, self._state if self.version else None)
        self.version = row.v
        return True

    def restart(self) -> None:
        """Take the log from its beginning again; until then the state stays what it was."""
        self.version = 0

    def note_presence(self, player: str, *, here: bool) -> bool:
        """Take up whether a seated player is connected; tell whether that is news.

        That somebody who was never away is here is none, nor is what becomes of whoever has left.
        """
        if player in self.state.left or here == (player not in self.away):
            return False
        self.away ^= {player}
        return True
