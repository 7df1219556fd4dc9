"""A motion that goes by a clock: one timer, and only while something moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.motion.motion import AT_REST, Moment, Motion

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.clock import TimerClock

FRAME_SECONDS = 0.04  # between two looks at what has moved: smooth, and two redraws apart


class Animation:
    """What is seen of the motion that was begun last; `changed` is called when that changes."""

    def __init__(self, clock: TimerClock, changed: Callable[[], None]) -> None:
        self.moment: Moment = AT_REST
        self._clock, self._changed = clock, changed
        self._motion = Motion()
        self._began = clock.now()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def age(self) -> float:
        """For how many seconds the last answer has been there; negative while it comes."""
        return self._clock.now() - self._began - self._motion.answer

    def begin(self, motion: Motion) -> None:
        """Let something move, in place of what moves."""
        self.close()
        self._motion, self._began = motion, self._clock.now()
        self._look()

    def end(self) -> None:
        """Show at once all that is still to come."""
        if self._timer is not None:
            if self.age < 0:
                self._began = self._clock.now()
                self._motion = Motion()
            self._show(AT_REST)
        self.close()

    def close(self) -> None:
        """Cancel the pending timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Show what is seen now, and look again if that will change."""
        self._timer = None
        moment = self._motion.find_moment(self._clock.now() - self._began)
        if moment != AT_REST:
            self._timer = self._clock.call_later(FRAME_SECONDS, self._look)
        self._show(moment)

    def _show(self, moment: Moment) -> None:
        if moment != self.moment:
            self.moment = moment
            self._changed()
