"""The playback of a sequence of states: its position, its speed, and the timer for the next state.

States can be added at any time. A `Playback` is an immutable position in the sequence. A `Pacer`
replaces it by the next position when the timer is due.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from mastermind_client.clock import TimerClock

SPEED_SECONDS = (3.0, 1.5, 0.7, 0.3)  # seconds per guess, the slowest first
DEFAULT_PACE_SECONDS = 1.5  # seconds per guess: enough to read the guess and its feedback
MAX_PACE_SECONDS = 60.0  # seconds per guess; a slower player can pause
OPEN_CODE_SECONDS = 2.0  # display time of the code of a round, before the next round


@dataclass(frozen=True, slots=True)
class Playback:
    """A position in a sequence of states. `known` is the number of states received so far.

    `shown` is the index of the displayed state, or -1 before the first one is displayed. `since` is
    the time at which its display began, in seconds of the clock. `seconds` is the display time of a
    guess. The playback advances only while it is `playing`.
    """

    seconds: float
    shown: int = -1
    known: int = 0
    playing: bool = True
    since: float = 0.0

    @property
    def behind(self) -> bool:
        """Whether states after the displayed one are known."""
        return self.shown + 1 < self.known

    @property
    def speed(self) -> int:
        """The speed as a number: 1 is the slowest.

        It is the position, from 1, of the value in SPEED_SECONDS that is nearest to `seconds`.
        """
        if self.seconds == 0:
            return len(SPEED_SECONDS)
        ratios = [max(self.seconds / speed, speed / self.seconds) for speed in SPEED_SECONDS]
        return ratios.index(min(ratios)) + 1

    def set_known(self, known: int) -> Playback:
        """Return the playback with `known` states: fewer than before if the log has restarted."""
        return replace(self, known=known, shown=min(self.shown, known - 1))

    def show(self, index: int, now: float) -> Playback:
        """Return the playback at the state `index`, or at the nearest known index."""
        return replace(self, shown=max(-1, min(index, self.known - 1)), since=now)

    def step(self, by: int, stops: Sequence[int], now: float) -> Playback:
        """Return the playback at the next stop, or at the previous stop if `by` is negative.

        `stops` are indices of states. The returned playback is paused, except at the last known
        state, so that later states are displayed.
        """
        if by < 0:
            index = max((stop for stop in stops if stop < self.shown), default=self.shown)
        else:
            index = min((stop for stop in stops if stop > self.shown), default=self.known - 1)
        stepped = self.show(index, now)
        return replace(stepped, playing=not stepped.behind)

    def first(self, stops: Sequence[int], now: float) -> Playback:
        """Return the playback at the first of the `stops`, paused if later states are known."""
        shown = self.show(min(stops, default=self.known - 1), now)
        return replace(shown, playing=not shown.behind)

    def last(self, now: float) -> Playback:
        """Return the playback at the last known state, playing."""
        return replace(self.show(self.known - 1, now), playing=True)

    def toggle(self, now: float) -> Playback:
        """Return the playback paused, or playing if it was paused.

        The display time of the present state starts again.
        """
        return replace(self, playing=not self.playing, since=now)

    def faster(self) -> Playback:
        """Return the playback at the next faster speed."""
        return replace(
            self, seconds=max((s for s in SPEED_SECONDS if s < self.seconds), default=self.seconds)
        )

    def slower(self) -> Playback:
        """Return the playback at the next slower speed."""
        return replace(
            self, seconds=min((s for s in SPEED_SECONDS if s > self.seconds), default=self.seconds)
        )


class Pacer:
    """Advances a playback with a timer.

    `find_display_seconds` takes the index of the next state, and returns the display time of the
    present state. `on_shown` is called each time that another state is displayed. While the
    playback is paused or at its end, no timer runs.
    """

    def __init__(
        self,
        playback: Playback,
        find_display_seconds: Callable[[int], float],
        on_shown: Callable[[], None],
        clock: TimerClock,
    ) -> None:
        self.playback = playback
        self._find_display_seconds = find_display_seconds
        self._on_shown, self._clock = on_shown, clock
        self._timer: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The time of the clock."""
        return self._clock.now()

    def set_known(self, known: int) -> None:
        """Set the number of known states, and display the states that are due."""
        self.change(self.playback.set_known(known))

    def change(self, playback: Playback) -> None:
        """Replace the playback, and display the states that are due."""
        before, self.playback = self.playback, playback
        self.close()
        if playback.shown != before.shown:
            self._on_shown()
        while (wait := self._find_delay()) is not None:
            if wait > 0:
                self._timer = self._clock.call_later(wait, self._advance)
                return
            self._show_next()

    def close(self) -> None:
        """Cancel the pending timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _find_delay(self) -> float | None:
        """Return the seconds until the next state is due, or None without a next state."""
        playback = self.playback
        if not (playback.playing and playback.behind):
            return None
        return playback.since + self._find_display_seconds(playback.shown + 1) - self.now

    def _advance(self) -> None:
        self._show_next()
        self.change(self.playback)

    def _show_next(self) -> None:
        self.playback = self.playback.show(self.playback.shown + 1, self.now)
        self._on_shown()
