"""The client's copy of a match, built from its log. `match_messages` applies messages to it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_protocol.clock import SECOND
from mastermind_protocol.code import check_code
from mastermind_protocol.commands import find_refusal
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.events import Joined
from mastermind_protocol.transitions import fold, reveal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.code import Code
    from mastermind_protocol.commands import Command
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Row
    from mastermind_protocol.rules import Rules

MAX_CHAT_KEPT = 100  # lines of one chat room; a line that is sent again is recognised among these


class Mirror:
    """A followed match.

    `states` has the match after each version, from the first, and `rows` the log up to it. The
    first `confirmed` ones are those of the server's present epoch. `lost` is why the server refuses
    to let us follow the match again, or None. `away` maps the id of each disconnected player to the
    time of the disconnection, in seconds of `time.monotonic`. `cut_off` has the ids of players who
    were disconnected when we reconnected. `spectators` is the number of followers without a seat.
    `chat` has the newest MAX_CHAT_KEPT lines of each chat room, in the order of arrival. `ratings`
    maps the ids of the players to their ratings before a rated match. `server` is the address that
    errors name. `now` returns the monotonic time in seconds.
    """

    def __init__(
        self, code: str, server: str = "", now: Callable[[], float] = time.monotonic
    ) -> None:
        self.code, self.server, self._now = code, server, now
        self.confirmed = 0
        self.lost: Refused | None = None
        self.away: dict[str, float] = {}
        self.cut_off: set[str] = set()
        self.spectators = 0
        self.chat: list[ChatLine] = []
        self.states: list[Match] = []
        self.rows: list[Row] = []
        self.ratings: dict[str, Rating] = {}
        self._proof: tuple[Code, bytes] | None = None  # secret and nonce that a contest revealed
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

    def is_entry_of(self, contest: str, rules: str) -> bool:
        """Return whether this is an entry of the contest `contest` by the rules named `rules`."""
        match = self.states[-1] if self.states else None
        return match is not None and (match.opened.contest, match.rules.name) == (contest, rules)

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
        state = self._add_proof(fold(row.events, self.confirmed_state, row.at))
        if self.confirmed < self.version:
            if state == self.states[self.confirmed]:
                self.confirmed += 1
                return False
            self.drop_unconfirmed()
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

    def reveal(self, code: Code, nonce: bytes) -> bool:
        """Add the secret and the nonce of a contest to the states after the end of this entry.

        `code` fits the rules. Returns False, without a change, for a proof that is known.
        """
        if self._proof == (code, nonce):
            return False
        self._proof = code, nonce
        self.states = [self._add_proof(state) for state in self.states]
        return True

    def _add_proof(self, state: Match) -> Match:
        return state if self._proof is None else reveal(state, *self._proof)

    @property
    def confirmed_state(self) -> Match | None:
        """The match after the last confirmed version, or None if no version is confirmed."""
        return self.states[self.confirmed - 1] if self.confirmed else None

    def drop_unconfirmed(self) -> None:
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

    def check(self, command: Command, player: str) -> None:
        """Raise Refused if the rules forbid a command of the player id `player` now."""
        if refusal := find_refusal(self.state, command, player):
            raise refusal

    def check_codes(self, *codes: Code) -> None:
        """Check the codes in an answer about the match.

        Raises ServerUnreachable if a code does not fit the rules.
        """
        check_codes(codes, self.state.rules, self.server)


def check_codes(codes: Iterable[Code], rules: Rules, server: str) -> None:
    """Check the codes in an answer of `server`.

    Raises ServerUnreachable if a code does not fit the rules.
    """
    try:
        for code in codes:
            check_code(code, rules)
    except InvalidCode as error:
        raise ServerUnreachable(Cause.WRONG_CODE, server=server, reason=error) from error
