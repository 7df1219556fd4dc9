"""The client's copy of a match, which turns messages of the server into updates.

A message that contradicts the rules or the log ends the session.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.updates import (
    ChatReceived,
    Moved,
    PresenceChanged,
    SpectatorsChanged,
)
from mastermind_protocol.clock import SECOND
from mastermind_protocol.errors import InvalidClock, InvalidRules
from mastermind_protocol.events import Joined
from mastermind_protocol.transitions import advance, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mastermind_client.network.updates import Update
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Log, Row

MAX_CHAT_KEPT = 100  # lines of one chat room; a line that is sent again is recognised among these


class Mirror:
    """A followed match. The `take_` methods yield an update for each change.

    `states` has the match after each version, from the first. `away` maps the id of each
    disconnected player to the time of the disconnection, in seconds of `time.monotonic`. `cut_off`
    has the ids of players who were disconnected when we reconnected. `spectators` is the number of
    followers without a seat. `chat` has the newest MAX_CHAT_KEPT lines of each chat room, in the
    order of arrival. `ratings` maps the ids of the players to their ratings before a rated match.
    `now` returns the monotonic time in seconds.
    """

    def __init__(
        self, code: str, server: str = "", now: Callable[[], float] = time.monotonic
    ) -> None:
        self.code, self._server, self._now = code, server, now
        self.version = 0
        self.away: dict[str, float] = {}
        self.cut_off: set[str] = set()
        self.spectators = 0
        self.chat: list[ChatLine] = []
        self.states: list[Match] = []
        self.ratings: dict[str, Rating] = {}
        self._offset: float | None = None  # the server's time minus `now`, in milliseconds

    @property
    def state(self) -> Match:
        """The match after the last version. Raises ValueError before the first row has arrived.

        The mirrors that a session returns have at least one row.
        """
        if not self.states:
            raise ValueError(f"match {self.code} has no state yet")
        return self.states[-1]

    @property
    def time_left(self) -> int | None:
        """The time left to the player to move, in milliseconds, or None if no clock runs."""
        timer = self.state.timer
        if timer is None:
            return None
        at = self.state.at
        if self._offset is not None:
            at = max(at, round(self._now() * SECOND + self._offset))
        return max(0, timer.deadline - at)

    def has_live_timer_of(self, player: str) -> bool:
        """Return whether a live clock runs in this match of the player id `player`."""
        match = self.states[-1] if self.states else None
        return (
            match is not None
            and match.has_live_clock
            and match.timer is not None
            and match.seat_of(player) is not None
        )

    def take_log(self, log: Log, me: str) -> Iterator[Update]:
        """Apply the rows of a log, and the presence of all players except `me`.

        Raises ServerUnreachable for an impossible row.
        """
        again = bool(self.states)
        for row in log.rows:
            yield from self.take_row(row)
        if not log.more:
            self.update_time_offset(log.now)
        now = time.monotonic()
        gone = {absent.player: now - absent.seconds for absent in log.absent}
        for player in self.state.players:
            if player.bot is None and player.id != me:
                since = None if player.id in log.present else gone.get(player.id, now)
                yield from self.take_presence(player.id, since, after_reconnect=again)
        yield from self.take_spectators(log.spectators)

    def take_row(self, row: Row) -> Iterator[Update]:
        """Apply a row of the log. Raises ServerUnreachable for an impossible row."""
        before = advance(self.state, row.at) if self.version else None
        try:
            if self.apply(row):
                yield Moved(self, row.events, before, self.state)
        except (InvalidRules, InvalidClock) as error:
            raise ServerUnreachable(
                Cause.UNKNOWN_RULES, server=self._server, error=error
            ) from error
        except ValueError as error:
            raise ServerUnreachable(
                Cause.WRONG_VERSION, server=self._server, match=self.code, version=row.v
            ) from error

    def apply(self, row: Row) -> bool:
        """Add the state after `row`, a stored row of the match's log, to `states`.

        Returns False, without a change, for a row that was applied earlier. Raises ValueError if a
        row before this one is missing.
        """
        if row.v <= self.version:
            return False
        if row.v != self.version + 1:
            raise ValueError(f"version {row.v} does not follow {self.version}")
        state = fold(row.events, self.state if self.version else None, row.at)
        self.states[self.version :] = [state]  # after a restart this replaces the old states
        self.version = row.v
        self.ratings |= {
            event.player.id: event.rating
            for event in row.events
            if isinstance(event, Joined) and event.rating is not None
        }
        self.update_time_offset(row.at)
        return True

    def update_time_offset(self, at: int) -> None:
        """Improve the estimate of the time offset: the server's time minus our own.

        `at` is the server's time in a message that has just arrived, in milliseconds. `at` minus
        our time is an offset, which is too small by the delay of the message. So the largest
        offset is kept: it belongs to the fastest message. Old rows give smaller offsets, which
        change nothing.
        """
        if self.state.timer is not None:
            offset = at - self._now() * SECOND
            self._offset = offset if self._offset is None else max(self._offset, offset)

    def restart(self) -> None:
        """Prepare to receive the whole log again. The states stay until the log arrives.

        The chat is cleared, because the server sends the lines again with the log.
        """
        self.version = 0
        self.chat.clear()

    def take_presence(
        self, player: str, gone_since: float | None, *, after_reconnect: bool = False
    ) -> Iterator[Update]:
        """Mark a seated player as disconnected since `gone_since`, or for None as connected.

        `gone_since` is in seconds of `time.monotonic`. It replaces an earlier time, because the
        player may have been connected in between. `after_reconnect` is whether we have just
        reconnected ourselves.
        """
        here = gone_since is None
        if player in self.state.departed or (here and player not in self.away):
            return
        known = player in self.away
        if gone_since is None:
            del self.away[player]
            after_reconnect = player in self.cut_off
            self.cut_off.discard(player)
        else:
            self.away[player] = gone_since
            if known:
                return
            if after_reconnect:
                self.cut_off.add(player)
        yield PresenceChanged(self, self.state, player, here, after_reconnect)

    def take_spectators(self, count: int) -> Iterator[Update]:
        """Set the number of spectators."""
        if count != self.spectators:
            self.spectators = count
            yield SpectatorsChanged(self)

    def take_chat(self, *lines: ChatLine) -> Iterator[Update]:
        """Add chat. Raises ServerUnreachable if a line has both text and phrase, or none."""
        for line in lines:
            if (line.text is None) is (line.phrase is None):
                raise ServerUnreachable(Cause.WRONG_CHAT, server=self._server)
            if self.add_chat(line):
                yield ChatReceived(self, self.state, line)

    def add_chat(self, line: ChatLine) -> bool:
        """Add a line of chat. Returns False, without a change, for a line added earlier."""
        known = [heard for heard in self.chat if heard.room == line.room]
        if any(heard.n == line.n for heard in known):
            return False
        if len(known) >= MAX_CHAT_KEPT:
            self.chat.remove(known[0])
        self.chat.append(line)
        return True
