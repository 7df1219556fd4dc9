"""What a screen shows at a pace, and the keys that hold it, hurry it and go through it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.pace import Pacer
from mastermind_client.screen.kit.keys import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.clock import TimerClock
    from mastermind_client.pace import Playback
    from mastermind_client.screen.kit.keys import Binding


class Projector(Pacer):
    """A pacer with keys: they go from stop to stop of `find_stops`, in order.

    `is_over` tells whether nothing more will come. `on_jump` is called before somebody goes
    elsewhere by hand.
    """

    def __init__(
        self,
        playback: Playback,
        stay: Callable[[int], float],
        on_shown: Callable[[], None],
        clock: TimerClock,
        *,
        find_stops: Callable[[], Sequence[int]],
        is_over: Callable[[], bool],
        on_jump: Callable[[], None],
    ) -> None:
        super().__init__(playback, stay, on_shown, clock)
        self._find_stops, self._is_over, self._on_jump = find_stops, is_over, on_jump

    @property
    def plays(self) -> bool:
        """Whether more will be shown by itself."""
        return self.playback.playing and (self.playback.behind or not self._is_over())

    def go_home(self) -> None:
        """Show the first stop, and pause."""
        self._on_jump()
        self.change(self.playback.first(self._find_stops(), self.now))

    def go_to_end(self) -> None:
        """Show all that is known, and what comes."""
        self._on_jump()
        self.change(self.playback.last(self.now))

    def step(self, by: int) -> None:
        """Show the next stop, or the one before if `by` is negative, and pause."""
        self._on_jump()
        self.change(self.playback.step(by, self._find_stops(), self.now))

    def pause(self) -> None:
        """Let nothing more be shown by itself."""
        if self.playback.playing:
            self.change(self.playback.toggle(self.now))

    def play(self) -> None:
        """Go on; from the end of what is over, from its beginning once more."""
        if not self.playback.behind and self._is_over():
            self.go_home()
        if not self.playback.playing:
            self.change(self.playback.toggle(self.now))

    def keys(self, when: Callable[[], bool]) -> tuple[Binding, ...]:
        """Return all keys, which work `when` something is shown at the pace."""
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
            Key(("home",), N_("the first guess"), self.go_home, short=N_("first"), when=when),
            Key(("end",), N_("what is now"), self.go_to_end, short=N_("last"), when=when),
        )  # fmt: skip

    def play_keys(self, when: Callable[[], bool]) -> tuple[Key, Key, Key, Key]:
        """Return the keys that play, pause, and go faster and slower."""

        def hurry(change: Callable[[Playback], Playback]) -> None:
            self.change(change(self.playback))

        return (
            Key(
                ("space",), N_("let it play"), self.play,
                short=N_("play"), when=lambda: when() and not self.plays,
            ),
            Key(
                ("space",), N_("pause"), self.pause,
                short=N_("pause"), when=lambda: when() and self.plays,
            ),
            Key(
                ("+",), N_("faster"), lambda: hurry(lambda playback: playback.faster()),
                short=N_("speed"), when=when, hinted=("+", "-"),
            ),
            Key(
                ("-",), N_("slower"), lambda: hurry(lambda playback: playback.slower()), when=when
            ),
        )  # fmt: skip
