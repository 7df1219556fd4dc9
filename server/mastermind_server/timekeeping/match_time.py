"""The clocks of one match: deadlines, lost time, and the effective times of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_request
from mastermind_protocol.commands import SetSecret
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.errors import MessageError
from mastermind_protocol.events import Resumed
from mastermind_protocol.match import is_time_over
from mastermind_protocol.requests import Guess, Resign, Secret
from mastermind_protocol.transitions import UNTIMED, Moment, expire, resume
from mastermind_server.bots.hiding import draw_code
from mastermind_server.timekeeping.lost_time import LostTime

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.rules import Rules
    from mastermind_protocol.transitions import Decision
    from mastermind_server.clock import Clock
    from mastermind_server.timekeeping.interfaces import ClockedFollowers, ClockedLog, ClockedPeer
    from mastermind_server.timekeeping.pauses import Pauses

AWAY_MS = 30_000  # a codebreaker who is away for this time leaves when the clock has run down
GRACE_MS = 100  # for the commit of a move that another node has read in time
MIN_GIVEN_BACK_MS = 1000  # less is given back only when time is over, which saves rows
MIN_GIVEN_BACK_OF_DAYS_MS = 600_000  # the same for a clock of days
MIN_GIVEN_BACK_BEFORE_END_MS = 100  # a busy server always has short pauses: time would never end


class MatchTime:
    """Finds deadlines and ends the time of players in one match, if the match has a clock.

    `lost` measures the time in which the player to move could not move. It is given back: the
    deadline moves later by the lost time.
    """

    __slots__ = ("_clock", "_followers", "_log", "_pauses", "_random", "_shared", "lost")

    def __init__(
        self,
        log: ClockedLog,
        followers: ClockedFollowers,
        clock: Clock,
        pauses: Pauses,
        random: Random,
        *,
        shared: bool,
    ) -> None:
        """Create the time of a match. `shared`: other nodes may use the same store."""
        self._log, self._followers = log, followers
        self._clock, self._pauses, self._random, self._shared = clock, pauses, random, shared
        self.lost = LostTime(log, followers, clock, pauses)

    def find_moment(self, at: float | None = None) -> Moment:
        """Return the moment at which a request takes effect.

        The request was read at `at`, in monotonic seconds. If it may have arrived by the deadline,
        it takes effect at the deadline at the latest. Without `at`, return the present moment.
        """
        state, clock = self._log.state, self._clock
        if state.clock is None:
            return UNTIMED
        now = clock.unix_milliseconds() if at is None else clock.to_unix(at)
        if at is not None and self._arrived_in_time(now):
            now = min(now, self.find_deadline() or now)
        return Moment(max(state.at, now - self._log.rows[0].at), self._find_latency())

    def to_unix(self, moment: Moment) -> int:
        """Return the time of day at `moment`, in milliseconds since 1970."""
        return self._log.rows[0].at + moment.at

    def find_deadline(self) -> int | None:
        """Return the end of the time of the player to move, in milliseconds since 1970.

        Return None if no clock runs, and for a bot of the server: its time never ends.
        """
        state = self._log.state
        mover, timer = state.to_move, state.timer
        if timer is None or mover is None or mover.bot is not None:
            return None
        credit = timer.limit_credit(self._find_latency())
        return self._log.rows[0].at + timer.deadline + credit

    def find_flag_time(self) -> int | None:
        """Return the earliest time at which the flag may fall, or None if no deadline exists.

        The result is in milliseconds since 1970, and usually the deadline. It is GRACE_MS
        milliseconds later if this node may miss a move that was sent in time: the player may move
        at another node, or on a connection that does not follow the match. After a failure of the
        store, clients repeat their moves. The flag does not fall before they can have done so, nor
        while the player may still return after an outage, nor while this node stops.
        """
        deadline = self.find_deadline()
        if deadline is None:
            return None
        grace = GRACE_MS if self._may_miss_move() else 0
        held_until = max(self._pauses.flags_held_until, self.lost.find_return_end())
        return max(deadline + grace, held_until)

    def must_end_elsewhere(self) -> bool:
        """Return whether only another node may end the time of the player to move.

        That is the node at which the player follows the match. If that node fails, its lease
        expires, and the lost time is given back.
        """
        mover = self._log.state.to_move
        return mover is not None and self._followers.follows_elsewhere_only(mover.id)

    def must_wait(self, decision: Decision, moment: Moment, *, for_request: bool) -> bool:
        """Return whether `decision`, which `decide` made at `moment`, must not be stored yet.

        While the player has time left, the result is False. After that, a decision must wait if
        only another node may end the time, or if this node has an unhandled move that was sent in
        time. A decision that ends the time must also wait until the time of `find_flag_time`.

        `for_request` is true if a request caused the decision. On a shared store, such a decision
        must wait, too: the player may have reconnected to another node, or the player's earlier
        node may have failed, and only `Flags` reads this from the store.
        """
        state = self._log.state
        if not is_time_over(state, moment.at, moment.credit):
            return False
        if self.must_end_elsewhere() or self.has_unhandled_move():
            return True
        for_request = for_request and self._shared
        resumes = isinstance(decision.events[0], Resumed)
        return for_request or (not resumes and self.to_unix(moment) <= (self.find_flag_time() or 0))

    def find_mover_arrival(self) -> int | None:
        """Return when the player to move most recently began to follow the match at this node.

        The result is in milliseconds since 1970, or None if the player does not follow it here now.
        """
        mover = self._log.state.to_move
        if mover is None or not self._followers.has_player(mover.id):
            return None
        return self._clock.to_unix(self._followers.list_stays(mover.id)[-1][0])

    def has_unhandled_move(self) -> bool:
        """Return whether this node has an unhandled move that the player to move sent in time."""
        clock = self._clock
        return any(
            self._arrived_in_time(clock.to_unix(clock.now() - waited))
            and self._may_be_move(message)
            for peer in self._list_mover_peers()
            for message, waited in peer.list_unhandled()
        )

    def decide(self, moment: Moment) -> Decision | None:
        """Return the decision that the clock of the match causes at `moment`, or None.

        The decision gives lost time back, if this is enough time (see `_find_least_given_back`).
        With less lost time, the decision ends the player's time if it is over.
        """
        state = self._log.state
        timer, mover = state.timer, state.to_move
        if timer is None or mover is None:
            return None
        now = self.to_unix(moment)
        if mover.bot is None:
            owed = self.lost.measure_owed(now)
            if owed >= self._find_least_given_back(moment):
                return resume(state, moment, owed)
        away = int(1000 * self._followers.find_away_seconds(mover.id))
        if state.current is not None and state.current.turns:  # the player was present to guess
            away = min(away, moment.at - timer.since)
        if away >= AWAY_MS:
            away -= self.lost.measure(now - away, now)
        return expire(state, moment, self._draw_code, away=away >= AWAY_MS)

    def _find_least_given_back(self, moment: Moment) -> int:
        """Return the lost time that is given back at `moment`, at least, in milliseconds."""
        if is_time_over(self._log.state, moment.at, moment.credit):
            return MIN_GIVEN_BACK_BEFORE_END_MS
        return MIN_GIVEN_BACK_MS if self._log.state.has_live_clock else MIN_GIVEN_BACK_OF_DAYS_MS

    def _arrived_in_time(self, read: int) -> bool:
        """Return whether data that was read at `read` may have arrived by the deadline.

        `read` is in milliseconds since 1970. Data that arrived by the deadline is read at the
        latest by the first complete poll of the sockets after the deadline.
        """
        deadline = self.find_deadline()
        return deadline is not None and (
            read <= deadline or not self._pauses.has_polled(deadline, read)
        )

    def _may_be_move(self, message: bytes | None) -> bool:
        """Return whether a received message may be a move in the current position.

        `message` is None for data that is not parsed yet, which may be a move.
        """
        if message is None:
            return True
        try:
            request = decode_request(message)
        except MessageError:
            return False
        return (
            isinstance(request, Guess | Secret | Resign)
            and request.match == self._log.code
            and self._log.is_position_current(request.v)
        )

    def _may_miss_move(self) -> bool:
        """Return whether the player to move may have sent a move that this node cannot see.

        The player can move at another node, or on a connection that does not follow the match.
        """
        mover, followers = self._log.state.to_move, self._followers
        return mover is not None and (
            not followers.has_player(mover.id) or followers.follows_elsewhere(mover.id)
        )

    def _find_latency(self) -> int:
        """Return the shortest round trip to the player to move, in milliseconds; 0 if unknown."""
        trips = (peer.round_trip for peer in self._list_mover_peers())
        return int(1000 * min(trips, default=0.0))

    def _list_mover_peers(self) -> list[ClockedPeer]:
        """Return the connections of the player to move at this node."""
        mover = self._log.state.to_move
        return [
            peer
            for peer in self._followers.seated
            if mover is not None and peer.player is not None and peer.player.id == mover.id
        ]

    def _draw_code(self, rules: Rules) -> SetSecret:
        return SetSecret(draw_code(rules, self._random), self._random.randbytes(NONCE_BYTES))
