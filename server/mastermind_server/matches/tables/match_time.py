"""The time of one match: the moments of its requests, and what the end of a player's time does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.commands import SetSecret
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.match import is_time_over
from mastermind_protocol.transitions import START, Moment, expire, resume
from mastermind_server.pauses import Outage, measure_lost_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_protocol.rules import Rules
    from mastermind_protocol.transitions import Decision
    from mastermind_server.matches.tables.followers import Followers, Peer
    from mastermind_server.matches.tables.match_log import MatchLog
    from mastermind_server.services import Services

AWAY_SECONDS = 30.0  # without a connection: who is away this long when time ends has left


class MatchTime:
    """The time of one match. Without a clock, it does nothing."""

    __slots__ = ("_followers", "_log", "_outages", "_services")

    def __init__(self, log: MatchLog, followers: Followers, services: Services) -> None:
        self._log, self._followers, self._services = log, followers, services
        self._outages: list[Outage] = []

    def set_outages(self, outages: Iterable[Outage]) -> None:
        """Set the times in which the server of this match was down."""
        self._outages = list(outages)

    def find_moment(self, at: float | None = None) -> Moment:
        """Return the moment of a request that was read at `at`, or of now if that is None.

        `at` is in seconds of the monotonic clock.
        """
        state, clock = self._log.state, self._services.clock
        if state.clock is None:
            return START
        now = clock.unix_milliseconds() if at is None else clock.to_unix(at)
        return Moment(max(state.at, now - self._log.rows[0].at), self._find_latency())

    def to_unix(self, moment: Moment) -> int:
        """Return the time of day at `moment`, in milliseconds since 1970."""
        return self._log.rows[0].at + moment.at

    def find_deadline(self) -> int | None:
        """Return when the time of the player to move ends, in milliseconds since 1970.

        Return None if no clock runs, and for a bot of the server, whose time never ends.
        """
        state = self._log.state
        mover, timer = state.to_move, state.timer
        if timer is None or mover is None or mover.bot is not None:
            return None
        credit = timer.limit_credit(self._find_latency())
        return self._log.rows[0].at + timer.deadline + credit

    def belongs_elsewhere(self) -> bool:
        """Return whether only another node may end the time of the player to move.

        That is the node by which the player follows the match. If it has failed, its lease ends,
        and the time that was lost is given back.
        """
        mover = self._log.state.to_move
        return mover is not None and self._followers.is_elsewhere(mover.id)

    def must_wait(self, moment: Moment, *, asked: bool) -> bool:
        """Return whether time is over at `moment` but may not end here and now.

        Another node may have to end it, or the player to move may have sent a request in time that
        is not handled yet. The time of a player who does not follow the match at this node may have
        to end at a node that has just begun to serve the player, and a node by which the player has
        followed may have failed. If `asked`, no caller has read that from the store, so a request
        does not end the time.
        """
        state = self._log.state
        mover = state.to_move
        if mover is None or not is_time_over(state, moment.at, moment.credit):
            return False
        followers = self._followers
        unsure = not followers.has_player(mover.id) or followers.is_also_elsewhere(mover.id)
        asked = asked and self._services.store.shared
        return self.belongs_elsewhere() or self.awaits_request() or (asked and unsure)

    def pauses_with_node(self) -> bool:
        """Return whether a pause of this node takes time from the player to move."""
        state = self._log.state
        mover = state.to_move
        if not state.has_live_clock or mover is None or mover.bot is not None:
            return False
        return not self.belongs_elsewhere()

    def awaits_request(self) -> bool:
        """Return whether the player to move has sent a request in time that is not handled yet."""
        deadline = self.find_deadline()
        if deadline is None:
            return False
        late = (self._services.clock.unix_milliseconds() - deadline) / 1000
        return any(
            peer.waited is not None and peer.waited >= late for peer in self._list_mover_peers()
        )

    def decide(self, moment: Moment) -> Decision | None:
        """Return the events that time causes at `moment`, or None.

        First, time that was lost until `moment` is given back: a request may have been read before
        a pause, and handled after it. Then the time of the player to move may be over.
        """
        state = self._log.state
        timer, mover = state.timer, state.to_move
        if timer is None or mover is None:
            return None
        if state.has_live_clock and mover.bot is None:
            since = self._log.rows[0].at + max(timer.since, timer.resumed)
            outages = list(self._outages)
            if self.pauses_with_node():
                outages += self._services.pauses.list_all()
            if lost := measure_lost_time(outages, since, self.to_unix(moment)):
                return resume(state, moment, lost)
        away = self._followers.count_away_seconds(mover.id)
        if state.current is not None and state.current.turns:  # who guessed was not away then
            away = min(away, (moment.at - timer.since) / 1000)
        return expire(state, moment, self._draw_code, away=away >= AWAY_SECONDS)

    def _find_latency(self) -> int:
        """Return the shortest round trip to the player to move, in milliseconds; 0 if unknown."""
        trips = (peer.round_trip for peer in self._list_mover_peers())
        return int(1000 * min(trips, default=0.0))

    def _list_mover_peers(self) -> list[Peer]:
        """Return the connections of the player to move at this node."""
        mover = self._log.state.to_move
        return [
            peer
            for peer in self._followers.seated
            if mover is not None and peer.player is not None and peer.player.id == mover.id
        ]

    def _draw_code(self, rules: Rules) -> SetSecret:
        random = self._services.random
        code = tuple(random.randrange(rules.colours) for _ in range(rules.pegs))
        return SetSecret(code, random.randbytes(NONCE_BYTES))
