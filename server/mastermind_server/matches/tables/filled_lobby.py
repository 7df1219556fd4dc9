"""A lobby that has just filled: the player who opened it may not have seen that yet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Joined
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.matches.tables.match_log import MatchLog

JUST_JOINED_SECONDS = 3.0  # a player has then seen the lobby fill, on a slow line too


class FilledLobby:
    """The time at which an opponent joined a match, as far as this node knows it."""

    __slots__ = ("_clock", "_log", "_second_row_at")

    def __init__(self, log: MatchLog, clock: Clock) -> None:
        self._log, self._clock = log, clock
        self._second_row_at = -math.inf  # in monotonic seconds, here
        if log.version > 1:
            age = clock.unix_milliseconds() - log.rows[1].at
            self._second_row_at = clock.now() - age / 1000

    def note_second_row(self) -> None:
        """Note that the second row has just been stored here or read."""
        self._second_row_at = self._clock.now()

    def check_leaver(self, player: str, at: float) -> None:
        """Raise Refused if the player id `player` may believe that it leaves a lobby.

        The player asked to leave at `at`, in monotonic seconds, just after an opponent joined, and
        has done nothing since. Programs read each message before they act.
        """
        log = self._log
        if at - self._second_row_at >= JUST_JOINED_SECONDS:
            return
        if log.state.phase is Phase.FINISHED or log.rows[0].player != player:
            return
        second = decode_events(log.rows[1].events)[0]
        acted = any(row.player == player for row in log.rows[1:])
        program = any(each.id == player and each.program for each in log.state.players)
        if isinstance(second, Joined) and not acted and not program:
            raise Refused(Reason.JUST_JOINED, name=second.player.name)
