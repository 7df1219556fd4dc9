"""The client's copy of a match, which turns messages of the server into updates.

A message that contradicts the rules or the log ends the session.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.updates import (
    ChatReceived,
    MatchRestored,
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
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Log, Row

MAX_CHAT_KEPT = 100  # lines of one chat room; a line that is sent again is recognised among these


class Mirror:
    """A followed match. The `take_` methods yield an update for each change.

    `states` has the match after each version, from the first, and `rows` the log up to it. The
    first `confirmed` ones are those of the server's present epoch. `lost` is why the server refuses
    to let us follow the match again, or None. `away` maps the id of each disconnected player to the
    time of the disconnection, in seconds of `time.monotonic`. `cut_off` has the ids of players who
    were disconnected when we reconnected. `spectators` is the number of followers without a seat.
    `chat` has the newest MAX_CHAT_KEPT lines of each chat room, in the order of arrival. `ratings`
    maps the ids of the players to their ratings before a rated match. `now` returns the monotonic
    time in seconds.
    """

    def __init__(
        self, code: str, server: str = "", now: Callable[[], float] = time.monotonic
    ) -> None:
        self.code, self._server, self._now = code, server, now
        self.confirmed = 0
        self.lost: Refused | None = None
        self.away: dict[str, float] = {}
        self.cut_off: set[str] = set()
        self.spectators = 0
        self.chat: list[ChatLine] = []
        self.states: list[Match] = []
        self.rows: list[Row] = []
        self.ratings: dict[str, Rating] = {}
        self._epoch: str | None = None  # of the server's store, or None for an old server
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
    def version(self) -> int:
        """The version of the last received row."""
        return len(self.states)

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

        After the last part of a log, states without a row in it are dropped. Raises
        ServerUnreachable for an impossible row.
        """
        again = bool(self.states)
        for row in log.rows:
            yield from self.take_row(row)
        if not log.more:
            if self.confirmed < self.version:
                self._drop_unconfirmed()
                yield MatchRestored(self, self.state, self.version)
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
        before, known = self._confirmed_state, self.version
        try:
            is_new = self.apply(row)
        except (InvalidRules, InvalidClock) as error:
            raise ServerUnreachable(
                Cause.UNKNOWN_RULES, server=self._server, error=error
            ) from error
        except ValueError as error:
            raise ServerUnreachable(
                Cause.WRONG_VERSION, server=self._server, match=self.code, version=row.v
            ) from error
        if is_new:
            if before is not None and self.version <= known:
                yield MatchRestored(self, before, row.v - 1)
            yield Moved(self, row.events, before and advance(before, row.at), self.state)

    def apply(self, row: Row) -> bool:
        """Add the state after `row`, a stored row of the match's log, to `states`.

        Returns False, without a change, for a row that was applied earlier. After `restart`, a row
        that leads to another state than before replaces this state and all later ones. Raises
        ValueError if a row before this one is missing, and if the first row is replaced.
        """
        if row.v <= self.confirmed:
            return False
        if row.v != self.confirmed + 1:
            raise ValueError(f"version {row.v} does not follow {self.confirmed}")
        state = fold(row.events, self._confirmed_state, row.at)
        if self.confirmed < self.version:
            if state == self.states[self.confirmed]:
                self.confirmed += 1
                return False
            self._drop_unconfirmed()
        self.states.append(state)
        self.rows.append(row)
        self.confirmed += 1
        self.ratings |= {
            event.player.id: event.rating
            for event in row.events
            if isinstance(event, Joined) and event.rating is not None
        }
        self.update_time_offset(row.at)
        return True

    @property
    def _confirmed_state(self) -> Match | None:
        return self.states[self.confirmed - 1] if self.confirmed else None

    def _drop_unconfirmed(self) -> None:
        """Drop the states that are not confirmed, and the data of players who joined in them.

        Raises ValueError if the first state is not confirmed: it would be another match.
        """
        del self.states[self.confirmed :], self.rows[self.confirmed :]
        for left_over in {*self.away, *self.ratings} - {player.id for player in self.state.players}:
            self.away.pop(left_over, None)
            self.ratings.pop(left_over, None)
            self.cut_off.discard(left_over)

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

    def set_epoch(self, epoch: str | None) -> bool:
        """Set the epoch of the server's store to that in a message. None changes nothing.

        Returns whether the rows must be read again, because they are of another epoch.
        """
        is_other = epoch is not None and epoch != self._epoch and self.confirmed > 0
        self._epoch = epoch or self._epoch
        if is_other:
            self.restart()
        return is_other

    def restart(self) -> None:
        """Confirm the states again, by the whole log. The caller must request the log."""
        self.confirmed = 0

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
        # The number alone can be of another epoch.
        if any(heard.identity == line.identity for heard in self.chat):
            return False
        known = [heard for heard in self.chat if heard.room == line.room]
        if len(known) >= MAX_CHAT_KEPT:
            self.chat.remove(known[0])
        self.chat.append(line)
        return True
