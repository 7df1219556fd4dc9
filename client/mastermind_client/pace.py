"""Showing at a pace what is known already: how far, how fast, and when the next of it is due.

What happens is a row of moments, counted from 0, of which more may come. A playback says which of
them is shown; a pacer moves it on by a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from mastermind_client.clock import TimerClock

SPEEDS = (3.0, 1.5, 0.7, 0.3)  # seconds a guess: to think along, to read, to look, to skim
DEFAULT_PACE = 1.5  # seconds a guess: enough to read it with its answer
MAX_PACE = 60.0  # seconds a guess: whoever wants it slower pauses
OPEN_CODE_SECONDS = 2.0  # that the code of a round stays open before the next round is shown


@dataclass(frozen=True, slots=True)
class Playback:
    """What is shown of `known` moments: the one with the index `shown`, since the time `since`.

    None is shown yet at -1. `seconds` is how long a guess is looked at, 0 for no time at all. Only
    while it is `playing` does it go on by itself.
    """

    seconds: float
    shown: int = -1
    known: int = 0
    playing: bool = True
    since: float = 0.0

    @property
    def behind(self) -> bool:
        """Whether more is known than is shown."""
        return self.shown + 1 < self.known

    @property
    def speed(self) -> int:
        """How fast it is, from 1 to as many speeds as there are: the one that is nearest."""
        if self.seconds == 0:
            return len(SPEEDS)
        ratios = [max(self.seconds / speed, speed / self.seconds) for speed in SPEEDS]
        return ratios.index(min(ratios)) + 1

    def learn(self, known: int) -> Playback:
        """Know so many moments; they may be fewer, of a log that is not what it was."""
        return replace(self, known=known, shown=min(self.shown, known - 1))

    def show(self, moment: int, now: float) -> Playback:
        """Show a moment, the nearest if there is none such."""
        return replace(self, shown=max(-1, min(moment, self.known - 1)), since=now)

    def step(self, by: int, stops: Sequence[int], now: float) -> Playback:
        """Show the next of some moments, or the one before if `by` is negative, and pause.

        It plays on where nothing more is known: what comes then is to be seen.
        """
        if by < 0:
            moment = max((stop for stop in stops if stop < self.shown), default=self.shown)
        else:
            moment = min((stop for stop in stops if stop > self.shown), default=self.known - 1)
        stepped = self.show(moment, now)
        return replace(stepped, playing=not stepped.behind)

    def first(self, stops: Sequence[int], now: float) -> Playback:
        """Show the first of some moments, and pause, unless that is all that is known."""
        shown = self.show(min(stops, default=self.known - 1), now)
        return replace(shown, playing=not shown.behind)

    def last(self, now: float) -> Playback:
        """Show all that is known, and what comes."""
        return replace(self.show(self.known - 1, now), playing=True)

    def toggle(self, now: float) -> Playback:
        """Pause, or play on: the moment that is shown is looked at once more."""
        return replace(self, playing=not self.playing, since=now)

    def faster(self) -> Playback:
        """Take the next faster speed, if there is one."""
        return replace(
            self, seconds=max((s for s in SPEEDS if s < self.seconds), default=self.seconds)
        )

    def slower(self) -> Playback:
        """Take the next slower speed, if there is one."""
        return replace(
            self, seconds=min((s for s in SPEEDS if s > self.seconds), default=self.seconds)
        )


class Pacer:
    """Moves a playback on when its next moment is due, with one timer at most.

    `stay` tells for how many seconds the moment before the one with an index is to be looked at,
    by the playback as it is. `on_shown` is called after each moment that is shown. Nothing runs
    while nothing is to come, or the playback is paused.
    """

    def __init__(
        self,
        playback: Playback,
        stay: Callable[[int], float],
        on_shown: Callable[[], None],
        clock: TimerClock,
    ) -> None:
        self.playback = playback
        self._stay, self._on_shown, self._clock = stay, on_shown, clock
        self._timer: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The clock's time."""
        return self._clock.now()

    def learn(self, known: int) -> None:
        """Know so many moments, and show those that are due."""
        self.change(self.playback.learn(known))

    def change(self, playback: Playback) -> None:
        """Play as another playback says, and show what is due."""
        before, self.playback = self.playback, playback
        self.close()
        if playback.shown != before.shown:
            self._on_shown()
        while (wait := self._find_wait()) is not None:
            if wait > 0:
                self._timer = self._clock.call_later(wait, self._go_on)
                return
            self._show_next()

    def close(self) -> None:
        """Cancel the pending timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _find_wait(self) -> float | None:
        """Return in how many seconds the next moment is due; None if none is to come."""
        playback = self.playback
        if not (playback.playing and playback.behind):
            return None
        return playback.since + self._stay(playback.shown + 1) - self.now

    def _go_on(self) -> None:
        self._show_next()
        self.change(self.playback)

    def _show_next(self) -> None:
        self.playback = self.playback.show(self.playback.shown + 1, self.now)
        self._on_shown()
