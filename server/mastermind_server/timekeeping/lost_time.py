"""The time that the player to move has lost to pauses and outages of servers in one match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events
from mastermind_protocol.events import Resumed
from mastermind_server.timekeeping.outages import NEVER, Outage, measure_lost_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.clock import Clock
    from mastermind_server.timekeeping.interfaces import ClockedFollowers, ClockedLog
    from mastermind_server.timekeeping.pauses import Pauses

RETURN_MS = 10_000  # to come back after an outage: clients try for the fifth time after 2 to 6 s


class LostTime:
    """Measures in which parts of a turn the player to move could not move.

    `outages` are those that the store has for this match. All times are in milliseconds since 1970.
    """

    __slots__ = ("_clock", "_followers", "_log", "_pauses", "outages")

    def __init__(
        self,
        log: ClockedLog,
        followers: ClockedFollowers,
        clock: Clock,
        pauses: Pauses,
    ) -> None:
        self._log, self._followers = log, followers
        self._clock, self._pauses = clock, pauses
        self.outages: list[Outage] = []

    def measure(self, since: int, until: int) -> int:
        """Return the milliseconds from `since` to `until` in which the player could not move."""
        outages: list[Outage] = []
        if self.outages or self._pauses.closed_at is not None:
            outages += self._list_outages()
        if self.counts_pauses():
            outages += self._pauses.list_all()
        return measure_lost_time(outages, since, until) if outages else 0

    def measure_owed(self, until: int) -> int:
        """Return the milliseconds of this turn, until `until`, that must still be given back.

        Each call measures the lost time of the whole turn, and subtracts what was given back. Some
        of it becomes known late: a request can be read before a pause and handled after it, and an
        outage can become known after a later pause was given back.
        """
        timer = self._log.state.timer
        if timer is None:
            return 0
        start = self.find_turn_start()
        if self.outages:  # turns begin later and later, so earlier outages count no more
            self.outages = [each for each in self.outages if each.ended + RETURN_MS > start]
        lost = self.measure(start, until)
        return lost - self._find_given_back_ms(timer.since) if lost else 0

    def counts_pauses(self) -> bool:
        """Return whether the player to move loses time when this node pauses.

        Pauses are too short to matter to a clock of days.
        """
        state = self._log.state
        mover = state.to_move
        if not state.has_live_clock or mover is None or mover.bot is not None:
            return False
        return not self._followers.follows_elsewhere_only(mover.id)

    def find_turn_start(self) -> int:
        """Return the time at which the running clock began to run, or 0 if no clock runs."""
        timer = self._log.state.timer
        return 0 if timer is None else self._log.rows[0].at + timer.since

    def find_loss_start(self) -> int:
        """Return the time since which the player to move loses time if this node stops now.

        This is the present time or, if the node drains and has kept the player out, an earlier one.
        """
        since = self._find_kept_out_since()
        return self._clock.unix_milliseconds() if since is None else since

    def find_return_end(self) -> int:
        """Return the end of the time that the player to move has to return after an outage.

        The result is 0 if the player has returned. It is NEVER while this node lets nobody in.
        """
        mover = self._log.state.to_move
        if mover is None or self._followers.has_player(mover.id):
            return 0
        if self._find_kept_out_since() is not None:
            return NEVER
        stays = self._list_stays(mover.id)
        return max((_find_loss_end(outage, stays) for outage in self.outages), default=0)

    def _find_kept_out_since(self) -> int | None:
        """Return the time since which this draining node keeps the player to move out, or None.

        The player follows the match nowhere, and new connections are rejected.
        """
        mover, closed_at = self._log.state.to_move, self._pauses.closed_at
        if mover is None or closed_at is None or mover.bot is not None:
            return None
        if self._followers.has_player(mover.id):
            return None
        away = self._followers.find_away_seconds(mover.id)
        return max(closed_at, self._clock.unix_milliseconds() - int(1000 * away))

    def _list_outages(self) -> Iterator[Outage]:
        """Return the parts of outages in which the player to move lost time.

        Besides the time until `_find_loss_end`, this is the part of an outage after the deadline,
        if the player began to follow here after the beginnings of outage and turn: the server
        refuses moves after the deadline until the outage is recorded.
        """
        mover, timer = self._log.state.to_move, self._log.state.timer
        if mover is None or timer is None:
            return
        if (since := self._find_kept_out_since()) is not None:
            yield Outage(since, NEVER)
        stays = self._list_stays(mover.id)
        given_back = self._find_given_back_ms(timer.since)
        deadline = self._log.rows[0].at + timer.deadline - given_back
        for outage in self.outages:
            yield Outage(outage.began, _find_loss_end(outage, stays))
            arrived = next((at for at, _ in stays if at > outage.began), 0)
            if arrived > self.find_turn_start() and not _is_covered(outage, stays):
                yield Outage(max(outage.began, deadline), outage.ended)

    def _list_stays(self, player: str) -> list[tuple[int, int]]:
        """Return the times from which and until which the player with this id followed here."""
        to_unix = self._clock.to_unix
        return [
            (to_unix(arrived), NEVER if left is None else to_unix(left))
            for arrived, left in self._followers.list_stays(player)
        ]

    def _find_given_back_ms(self, since: int) -> int:
        """Return the time that the player to move got back in this turn, in milliseconds.

        `since` is the start of the turn, in milliseconds since the first row.
        """
        given_back = 0
        for row in reversed(self._log.rows):
            events = decode_events(row.events)
            lost = sum(event.lost for event in events if isinstance(event, Resumed))
            if not lost and row.elapsed_since(self._log.rows[0].at) <= since:
                break
            given_back += lost
        return given_back


def _find_loss_end(outage: Outage, stays: list[tuple[int, int]]) -> int:
    """Return the time until which an outage costs a player time.

    `stays` has the beginnings and ends of the times in which the player followed at this node. An
    outage of another node costs nothing if the player followed here when it began. Otherwise it
    lasts until the player follows here. After an outage that ended connections, a player has
    RETURN_MS to return, unless its connection has survived the outage.
    """
    if outage.of_all and not outage.disconnected:
        return outage.ended  # the store failed: connected players lost time, too
    latest = outage.ended + RETURN_MS if outage.disconnected else outage.ended
    if _is_covered(outage, stays):
        if not outage.of_all:
            return outage.began
        if any(arrived <= outage.began and latest < left for arrived, left in stays):
            return outage.ended
    return min((latest, *(arrived for arrived, _ in stays if arrived > outage.began)))


def _is_covered(outage: Outage, stays: list[tuple[int, int]]) -> bool:
    """Return whether the player followed at this node when the outage began."""
    return any(arrived <= outage.began < left for arrived, left in stays)
