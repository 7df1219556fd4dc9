"""The stack of screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.screen.screen import Screen


LAST_TWO_SCREENS = 2  # a screen and the screen below


class ScreenStack:
    """A stack of screens. Subclasses override `on_top_screen_changed` and `on_removed`."""

    def __init__(self) -> None:
        self._screens: list[Screen] = []

    @property
    def screen(self) -> Screen:
        """The top screen."""
        return self._screens[-1]

    @property
    def is_ending(self) -> bool:
        """Whether the client is ending. Then there are no screens."""
        return not self._screens

    def shows(self, screen: Screen) -> bool:
        """Return whether the screen is the top screen."""
        return self._screens[-1:] == [screen]

    def holds(self, screen: Screen) -> bool:
        """Return whether the screen is in the stack."""
        return screen in self._screens

    def follows(self, match_code: str) -> bool:
        """Return whether an open screen follows the match with this code."""
        return any(screen.match_code == match_code for screen in self._screens)

    def open(self, screen: Screen) -> None:
        """Add a screen on top."""
        self._screens.append(screen)
        self.on_top_screen_changed()

    def replace(self, screen: Screen, old: Screen) -> None:
        """Replace `old` by `screen`. If `old` has been removed before, remove `screen` at once."""
        if old not in self._screens:
            self.on_removed(screen)
            return
        was_on_top = old is self.screen
        self._screens[self._screens.index(old)] = screen
        self.on_removed(old)
        if was_on_top:
            self.on_top_screen_changed()

    def back(self) -> None:
        """Remove the top screen. If it is the only screen, end the client."""
        if len(self._screens) == 1:
            self.quit()
            return
        self.on_removed(self._screens.pop())
        self.on_top_screen_changed()

    def home(self) -> None:
        """Go back to the lowest screen. If that is the top screen, end the client."""
        while len(self._screens) > LAST_TWO_SCREENS:
            self.on_removed(self._screens.pop())
        self.back()

    def remove_all(self) -> Iterator[Screen]:
        """Remove and yield every screen, from the top."""
        while self._screens:
            yield self._screens.pop()

    def on_top_screen_changed(self) -> None:
        """React to a new top screen."""
        raise NotImplementedError

    def on_removed(self, screen: Screen) -> None:
        """React to the removal of a screen, which will not be opened again."""
        raise NotImplementedError

    def quit(self) -> None:
        """End the client."""
        raise NotImplementedError
