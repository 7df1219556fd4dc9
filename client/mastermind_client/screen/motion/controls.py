"""The keys of a playback: pause, speed, and steps from guess to guess."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.playback import Pacer
from mastermind_client.screen.toolkit.keys import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.clock import TimerClock
    from mastermind_client.playback import Playback
    from mastermind_client.screen.toolkit.keys import Binding


class PlaybackControls(Pacer):
    """Advances a playback with a timer, and has the keys that change its position and speed.

    `find_stops` returns the indices of the states where a step stops. `find_display_seconds` takes
    the index of the next state, and returns the display time of the present state. `on_shown` is
    called when another state is displayed, and `on_jump` before a key changes the position.
    `is_over` returns whether the match has ended.
    """

    def __init__(
        self,
        playback: Playback,
        find_display_seconds: Callable[[int], float],
        on_shown: Callable[[], None],
        clock: TimerClock,
        *,
        find_stops: Callable[[], Sequence[int]],
        is_over: Callable[[], bool],
        on_jump: Callable[[], None],
    ) -> None:
        super().__init__(playback, find_display_seconds, on_shown, clock)
        self._find_stops, self._is_over, self._on_jump = find_stops, is_over, on_jump

    @property
    def is_playing(self) -> bool:
        """Whether the playback advances without keys."""
        return self.playback.playing and (self.playback.behind or not self._is_over())

    def go_to_start(self) -> None:
        """Display the first stop, and pause."""
        self._on_jump()
        self.change(self.playback.first(self._find_stops(), self.now))

    def go_to_end(self) -> None:
        """Display the last state, and then each new state."""
        self._on_jump()
        self.change(self.playback.last(self.now))

    def step(self, by: int) -> None:
        """Display the next stop, or the previous one if `by` is negative, and pause."""
        self._on_jump()
        self.change(self.playback.step(by, self._find_stops(), self.now))

    def pause(self) -> None:
        """Pause the playback."""
        if self.playback.playing:
            self.change(self.playback.toggle(self.now))

    def play(self) -> None:
        """Continue the playback. At the end of a finished match, start from the beginning."""
        if not self.playback.behind and self._is_over():
            self.go_to_start()
        if not self.playback.playing:
            self.change(self.playback.toggle(self.now))

    def keys(self, when: Callable[[], bool]) -> tuple[Binding, ...]:
        """Return the keys for play, pause, steps and speed, active while `when` returns True."""
        play, pause, faster, slower = self.play_keys(when)
        return (
            play,
            pause,
            Key(("left",), N_("one guess back"), partial(self.step, -1), when=when),
            Key(
                ("right",), N_("one guess on"), partial(self.step, 1),
                short=N_("step"), when=when, hinted=("left", "right"),
            ),
            faster,
            slower,
        )  # fmt: skip

    def jump_keys(self, when: Callable[[], bool]) -> tuple[Key, Key]:
        """Return the keys for the first guess and the current position."""
        return (
            Key(("home",), N_("the first guess"), self.go_to_start, short=N_("first"), when=when),
            Key(("end",), N_("the current position"), self.go_to_end, short=N_("last"), when=when),
        )  # fmt: skip

    def play_keys(self, when: Callable[[], bool]) -> tuple[Key, Key, Key, Key]:
        """Return the keys for play, pause, faster and slower."""

        def change_speed(change: Callable[[Playback], Playback]) -> None:
            self.change(change(self.playback))

        return (
            Key(
                ("space",), N_("let it play"), self.play,
                short=N_("play"), when=lambda: when() and not self.is_playing,
            ),
            Key(
                ("space",), N_("pause"), self.pause,
                short=N_("pause"), when=lambda: when() and self.is_playing,
            ),
            Key(
                ("+",), N_("faster"), lambda: change_speed(lambda playback: playback.faster()),
                short=N_("speed"), when=when, hinted=("+", "-"),
            ),
            Key(
                ("-",), N_("slower"), lambda: change_speed(lambda playback: playback.slower()),
                when=when,
            ),
        )  # fmt: skip
