"""A server in use: our session there, and the matches that are followed there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_client.figures import Record, make_record
from mastermind_client.messages.statistics import explain_uncounted
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.updates import (
    ChatReceived,
    CodeRevealed,
    MatchRestored,
    Moved,
    PresenceChanged,
    SpectatorsChanged,
)
from mastermind_client.screen.scene.feed import Feed
from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase, list_tries

if TYPE_CHECKING:
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_client.network.updates import Connection, Update
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Statistics

MAX_CHAINED_REMATCHES = 99  # rematches in a row; a hostile server could name them in a circle


@dataclass(slots=True)
class Server:
    """A server, our session there, and the matches that are followed there.

    `kept` is whether our matches are stored, which is False in a second offline terminal. `idle` is
    whether only the home screen uses the session, so its failures are not displayed. `muted` hides
    the chat of others. `feeds` maps match codes to notes. `statistics` sums our finished
    matches, or is None until the server has answered; they are loaded again when `has_new_match` is
    set. `uncounted` explains why the last request for them failed, or is None.
    """

    address: str
    session: Session
    kept: bool = True
    idle: bool = False
    muted: bool = False
    feeds: dict[str, Feed] = field(default_factory=dict)
    statistics: Statistics | None = None
    uncounted: str | None = None
    has_new_match: asyncio.Event = field(default_factory=asyncio.Event)
    session_ended: asyncio.Event = field(default_factory=asyncio.Event)
    _counted: frozenset[str] = frozenset()  # followed matches that `statistics` counts

    @property
    def connection(self) -> Connection:
        """The state of the connection."""
        return self.session.updates.connection

    @property
    def me(self) -> str:
        """Our player id on this server."""
        return self.session.player.id

    def has_seat(self, match: str, name: str | None) -> bool:
        """Return whether our player has a seat in a match and can resume it under `name`.

        While the match waits for an invited friend, `name` must be our player's name or None. With
        another name, a second player of this computer accepts the invitation.
        """
        return self.session.identity.stored.can_resume(match, name)

    async def load_statistics(self) -> None:
        """Replace the statistics, or set `uncounted` if they cannot be loaded."""
        ended = {
            code for code, feed in self.feeds.items() if feed.mirror.state.phase is Phase.FINISHED
        }
        try:
            self.statistics = await self.session.load_statistics()
        except (ServerUnreachable, Refused) as error:
            self.uncounted = explain_uncounted(error)
        else:
            self.uncounted, self._counted = None, frozenset(ended)

    def record(self, mirror: Mirror) -> Record:
        """Return our record on this server by the rules of a match, without the match itself."""
        match = mirror.state
        by_rules = () if self.statistics is None else self.statistics.by_rules
        figures = (each.figures for each in by_rules if each.rules == match.rules.name)
        record = next(map(make_record, figures), Record())
        counted = mirror.code in self._counted
        return record.remove(list_tries(match.played, self.me)) if counted else record

    def list_rematch_series(self, match: Match) -> list[Match]:
        """Return the known matches of a series of rematches, in order. `match` is the last."""
        chain = [match]
        while (code := chain[0].opened.previous) in self.feeds and len(
            chain
        ) < MAX_CHAINED_REMATCHES:
            chain.insert(0, self.feeds[code].mirror.state)
        return chain

    def feed(self, mirror: Mirror) -> Feed:
        """Return the notes of a followed match. The first call for a match creates its notes."""
        known = self.feeds.get(mirror.code)
        if known is None or known.mirror is not mirror:  # another mirror followed it before
            known = self.feeds[mirror.code] = Feed(mirror)
        return known

    def apply(self, update: Update) -> None:
        """Add an update of a match to its notes."""
        if isinstance(
            update,
            Moved
            | MatchRestored
            | CodeRevealed
            | ChatReceived
            | PresenceChanged
            | SpectatorsChanged,
        ):
            self.feed(update.mirror).add_update(update, self.me)
