"""The screens that are open, one on top of another: Esc goes back to the one below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.screen.screen import Screen

LAST_TWO = 2  # a screen, and the one to which it goes back


class ScreenStack:
    """A stack of screens. Whoever has it is told what comes to lie on top, and what is gone."""

    def __init__(self) -> None:
        self._screens: list[Screen] = []

    @property
    def screen(self) -> Screen:
        """The screen on top."""
        return self._screens[-1]

    @property
    def ending(self) -> bool:
        """Whether the program is ending, and has no screen any more."""
        return not self._screens

    def shows(self, screen: Screen) -> bool:
        """Tell whether a screen is the one on top; none is when all have ended."""
        return self._screens[-1:] == [screen]

    def holds(self, screen: Screen) -> bool:
        """Tell whether somebody may still come back to a screen."""
        return screen in self._screens

    def follows(self, code: str) -> bool:
        """Tell whether a match is on one of the screens."""
        return any(screen.match_code == code for screen in self._screens)

    def open(self, screen: Screen) -> None:
        """Put a screen on top."""
        self._screens.append(screen)
        self.on_top()

    def replace(self, screen: Screen, old: Screen) -> None:
        """Put a screen in place of another one, which may be gone already."""
        if old not in self._screens:
            self.on_gone(screen)
            return
        on_top = old is self.screen
        self._screens[self._screens.index(old)] = screen
        self.on_gone(old)
        if on_top:
            self.on_top()

    def back(self) -> None:
        """Go back to the screen below; from the last one, end."""
        if len(self._screens) == 1:
            self.quit()
            return
        self.on_gone(self._screens.pop())
        self.on_top()

    def home(self) -> None:
        """Go back to the screen that lies lowest, from wherever; from that one, end."""
        while len(self._screens) > LAST_TWO:
            self.on_gone(self._screens.pop())
        self.back()

    def empty(self) -> Iterator[Screen]:
        """Take every screen away, the one on top first."""
        while self._screens:
            yield self._screens.pop()

    def on_top(self) -> None:
        """React to another screen that is on top now."""
        raise NotImplementedError

    def on_gone(self, screen: Screen) -> None:
        """React to a screen that is gone for good."""
        raise NotImplementedError

    def quit(self) -> None:
        """End the program."""
        raise NotImplementedError
