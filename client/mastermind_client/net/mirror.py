"""A match as this client knows it: the same state machine, folded from what the server sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.transitions import fold

if TYPE_CHECKING:
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Row

MAX_CHAT_KEPT = 100  # lines of one room: far more than are sent again, which so are known again


class Mirror:
    """One match that is followed.

    `away` are the ids of the players whose connection is lost, each with the time since when, in
    seconds of `time.monotonic`; those among them who were missing when we came back ourselves are
    `cut_off` too. `spectators` is how many players without a seat follow the match.
    `chat` are the last lines of both rooms in the order in which they came. `states` are the match
    after each version, from the first on: what is shown at a pace is one of them.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        self.version = 0
        self.away: dict[str, float] = {}
        self.cut_off: set[str] = set()
        self.spectators = 0
        self.chat: list[ChatLine] = []
        self.states: list[Match] = []

    @property
    def state(self) -> Match:
        """The match after the last version; a mirror is handed out only when it has one."""
        if not self.states:
            raise ValueError(f"nothing is known of match {self.code} yet")
        return self.states[-1]

    def apply(self, row: Row) -> bool:
        """Take up a row; False if it is known already. Raises ValueError if one is missing."""
        if row.v <= self.version:
            return False
        if row.v != self.version + 1:
            raise ValueError(f"version {row.v} does not follow {self.version}")
        state = fold(row.events, self.state if self.version else None)
        self.states[self.version :] = [state]  # of a log that is told again: in place of what was
        self.version = row.v
        return True

    def restart(self) -> None:
        """Take the log from its beginning again; until then the states stay what they were.

        What was said is forgotten: the server's is not what it was, and it tells it again.
        """
        self.version = 0
        self.chat.clear()

    def note_presence(self, player: str, *, gone_since: float | None) -> bool:
        """Take up that a seated player is here, or gone since a time; tell whether that is news.

        That somebody who was never away is here is none, nor is what becomes of whoever has left.
        The time is taken up in any case: the player may have been here while we were not.
        """
        if player in self.state.left:
            return False
        if gone_since is None:
            return self.away.pop(player, None) is not None
        news = player not in self.away
        self.away[player] = gone_since
        return news

    def hear(self, line: ChatLine) -> bool:
        """Take up a line; False if it is known already."""
        known = [heard for heard in self.chat if heard.room == line.room]
        if any(heard.n == line.n for heard in known):
            return False
        if len(known) >= MAX_CHAT_KEPT:
            self.chat.remove(known[0])
        self.chat.append(line)
        return True
