"""The stack of open screens. Esc goes back to the screen below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.screen.screen import Screen

LAST_TWO = 2  # a screen and the screen below


class ScreenStack:
    """A stack of screens. A subclass is notified of a new top screen, and of removed screens."""

    def __init__(self) -> None:
        self._screens: list[Screen] = []

    @property
    def screen(self) -> Screen:
        """The top screen."""
        return self._screens[-1]

    @property
    def ending(self) -> bool:
        """Whether the program is ending, so there are no screens."""
        return not self._screens

    def shows(self, screen: Screen) -> bool:
        """Return whether the screen is the top screen."""
        return self._screens[-1:] == [screen]

    def holds(self, screen: Screen) -> bool:
        """Return whether the screen is open, on top or below."""
        return screen in self._screens

    def follows(self, code: str) -> bool:
        """Return whether an open screen follows the match with this code."""
        return any(screen.match_code == code for screen in self._screens)

    def open(self, screen: Screen) -> None:
        """Add a screen on top."""
        self._screens.append(screen)
        self.on_top()

    def replace(self, screen: Screen, old: Screen) -> None:
        """Replace the screen `old`. If that is no longer open, remove the new screen at once."""
        if old not in self._screens:
            self.on_gone(screen)
            return
        on_top = old is self.screen
        self._screens[self._screens.index(old)] = screen
        self.on_gone(old)
        if on_top:
            self.on_top()

    def back(self) -> None:
        """Remove the top screen. If it is the last one, end the program."""
        if len(self._screens) == 1:
            self.quit()
            return
        self.on_gone(self._screens.pop())
        self.on_top()

    def home(self) -> None:
        """Go back to the lowest screen. If it is on top, end the program."""
        while len(self._screens) > LAST_TWO:
            self.on_gone(self._screens.pop())
        self.back()

    def empty(self) -> Iterator[Screen]:
        """Remove and yield every screen, from the top."""
        while self._screens:
            yield self._screens.pop()

    def on_top(self) -> None:
        """React to a new top screen."""
        raise NotImplementedError

    def on_gone(self, screen: Screen) -> None:
        """React to a removed screen, which is not opened again."""
        raise NotImplementedError

    def quit(self) -> None:
        """End the program."""
        raise NotImplementedError
