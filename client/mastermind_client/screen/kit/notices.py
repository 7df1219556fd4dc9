"""What is told in passing: for some seconds, or, of a mistake, until something is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.clock import TimerClock

NOTICE_SECONDS = 4.0  # as long as a short sentence is read, twice
READ_PER_SECOND = 8  # letters of a longer one, twice too


class Notice:
    """The one notice that there is: the next takes its place. `changed` is called when it does."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.words = ""
        self._mistaken = False
        self._fading: asyncio.TimerHandle | None = None

    @property
    def style(self) -> str:
        """How it is drawn."""
        return "class:error" if self._mistaken else "class:notice"

    def tell(self, words: str, clock: TimerClock) -> None:
        """Show it for as long as it takes to be read, whatever is typed meanwhile."""
        self._show(words)
        seconds = max(NOTICE_SECONDS, len(words) / READ_PER_SECOND)
        self._fading = clock.call_later(seconds, self.end)

    def tell_mistake(self, words: str) -> None:
        """Show why something could not be done, until it is `read`."""
        self._show(words, mistaken=True)

    def read(self) -> None:
        """Remove a mistake that was told: something else is done."""
        if self._mistaken:
            self.end()

    def end(self) -> None:
        """Show nothing more."""
        self._show("")

    def _show(self, words: str, *, mistaken: bool = False) -> None:
        if self._fading is not None:
            self._fading.cancel()
        self.words, self._mistaken, self._fading = words, mistaken, None
        self._changed()
