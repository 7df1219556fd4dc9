"""The client's copy of a match, which turns messages of the server into updates.

Messages are checked: one that contradicts the rules or the log ends the session.
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

MAX_CHAT_KEPT = 100  # lines of one room; known lines are recognised among these


class Mirror:
    """A followed match. The `take_` methods yield an update for each change.

    `away` maps the ids of disconnected players to the times of the disconnection, in seconds of
    `time.monotonic`. `cut_off` has the ids of players who were missing after our own reconnection.
    `spectators` is the number of followers without a seat. `chat` has the last lines of players and
    spectators in the order of arrival. `states` has the match after each version, from the first. A
    playback displays one of these states. `ratings` has the ratings before a rated match, by the
    ids of the players. `now` is the clock of `time_left`, in seconds.
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
        self._offset: float | None = None  # of the match's time from our clock, in milliseconds

    @property
    def state(self) -> Match:
        """The match after the last version. Every mirror of a session has a version."""
        if not self.states:
            raise ValueError(f"match {self.code} has no state yet")
        return self.states[-1]

    @property
    def time_left(self) -> int | None:
        """The milliseconds that the player to move still has. None if no clock runs."""
        timer = self.state.timer
        if timer is None:
            return None
        at = self.state.at
        if self._offset is not None:
            at = max(at, round(self._now() * SECOND + self._offset))
        return max(0, timer.deadline - at)

    def take_log(self, log: Log, me: str) -> Iterator[Update]:
        """Apply the rows of a log, and the presence of all players except `me`.

        Raises ServerUnreachable for an impossible row.
        """
        again = bool(self.states)
        for row in log.rows:
            yield from self.take_row(row)
        if not log.more:
            self.learn_time(log.now)
        now = time.monotonic()
        gone = {absent.player: now - absent.seconds for absent in log.absent}
        for player in self.state.players:
            if player.bot is None and player.id != me:
                since = None if player.id in log.present else gone.get(player.id, now)
                yield from self.take_presence(player.id, since, with_us=again)
        yield from self.take_spectators(log.spectators)

    def take_row(self, row: Row) -> Iterator[Update]:
        """Apply a row. Raises ServerUnreachable for an impossible one."""
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
        """Apply a row.

        Returns False if it is known already. Raises ValueError if an earlier one is missing.
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
        self.learn_time(row.at)
        return True

    def learn_time(self, at: int) -> None:
        """Take `at` as the present time of the match, in milliseconds.

        The message with this time was on its way for a while. So of all estimates the latest is the
        best: its message was the fastest. Rows of an old log change nothing, as they are far too
        early.
        """
        if self.state.timer is not None:
            offset = at - self._now() * SECOND
            self._offset = offset if self._offset is None else max(self._offset, offset)

    def restart(self) -> None:
        """Prepare for the log from its start. The states stay until it arrives.

        The chat is forgotten, because the server sends it again with the new log.
        """
        self.version = 0
        self.chat.clear()

    def take_presence(
        self, player: str, gone_since: float | None, *, with_us: bool = False
    ) -> Iterator[Update]:
        """Mark a seated player as disconnected since `gone_since`, or as connected if that is None.

        `with_us` is whether the news follows our own reconnection. The player may have reconnected
        during our absence, so the time of the disconnection is always replaced.
        """
        here = gone_since is None
        if player in self.state.departed or (here and player not in self.away):
            return
        known = player in self.away
        if gone_since is None:
            del self.away[player]
            with_us = player in self.cut_off
            self.cut_off.discard(player)
        else:
            self.away[player] = gone_since
            if known:
                return
            if with_us:
                self.cut_off.add(player)
        yield PresenceChanged(self, self.state, player, here, with_us)

    def take_spectators(self, count: int) -> Iterator[Update]:
        """Set the number of spectators."""
        if count != self.spectators:
            self.spectators = count
            yield SpectatorsChanged(self)

    def take_chat(self, *lines: ChatLine) -> Iterator[Update]:
        """Add lines of chat. Raises ServerUnreachable unless each has either a text or a phrase."""
        for line in lines:
            if (line.text is None) is (line.phrase is None):
                raise ServerUnreachable(Cause.WRONG_CHAT, server=self._server)
            if self.add_chat(line):
                yield ChatReceived(self, self.state, line)

    def add_chat(self, line: ChatLine) -> bool:
        """Add a line of chat. Returns False if it is known already."""
        known = [heard for heard in self.chat if heard.room == line.room]
        if any(heard.n == line.n for heard in known):
            return False
        if len(known) >= MAX_CHAT_KEPT:
            self.chat.remove(known[0])
        self.chat.append(line)
        return True
