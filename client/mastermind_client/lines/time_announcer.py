"""Announces that the player's time comes to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.clock import DelayTimer
from mastermind_client.language import gettext as _
from mastermind_client.messages.clocks import (
    RunningClock,
    find_next_threshold,
    find_phase,
    find_running_clock,
    speak_time,
)
from mastermind_protocol.clock import MINUTE, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.messages.clocks import ClockPhase
    from mastermind_client.network.mirror import Mirror

THRESHOLDS = (MINUTE, 30 * SECOND, 10 * SECOND)  # of the time left


class TimeAnnouncer:
    """Prints once when the time of the player `me` falls to each of the THRESHOLDS.

    With an increment the time can fall to one twice, which is announced once in a round. Call
    `restart` after each change of the match that `find_mirror` returns.
    """

    def __init__(self, inbox: Inbox, find_mirror: Callable[[], Mirror], me: str) -> None:
        self._inbox, self._find_mirror, self._me = inbox, find_mirror, me
        self._phase: ClockPhase | None = None  # in which the announced thresholds were reached
        self._announced: set[int] = set()
        self._timer = DelayTimer(inbox.clock, self._find_delay, self._announce)

    def restart(self) -> None:
        """Follow the clock that runs now."""
        self._timer.restart()

    def close(self) -> None:
        """Announce nothing more."""
        self._timer.close()

    def _find_own(self) -> RunningClock | None:
        running = find_running_clock(self._find_mirror())
        return running if running is not None and running.player == self._me else None

    def _find_delay(self) -> float | None:
        return find_next_threshold(self._find_own(), THRESHOLDS)

    def _announce(self) -> None:
        running = self._find_own()
        if running is None:
            return
        phase = find_phase(self._find_mirror().state)
        if phase != self._phase:
            self._phase, self._announced = phase, set()
        reached = {each for each in THRESHOLDS if running.left <= each < running.total}
        if reached - self._announced:
            self._inbox.write(_("You have {time} left.").format(time=speak_time(min(reached))))
        self._announced |= reached
