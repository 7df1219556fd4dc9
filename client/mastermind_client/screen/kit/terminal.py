"""What a app can do to the terminal it is on."""

from __future__ import annotations

from typing import Protocol


class TerminalHands(Protocol):
    """Everything that changes the terminal and is not drawing."""

    def redraw(self) -> None:
        """Draw anew soon."""

    def repaint(self) -> None:
        """Clear the terminal and draw everything again."""

    def restyle(self) -> None:
        """Take up the look's style and colours."""

    def begin_line(self, text: str) -> None:
        """Let a line be typed, beginning with `text`."""

    def read_line(self) -> str:
        """Return what has been typed of the line."""
        ...

    def end_line(self) -> None:
        """Let keys be keys again."""

    def toggle_mouse(self) -> bool:
        """Take the mouse, or give it back; return whether we have it now."""
        ...

    def call(self, title: str, *, ring: bool) -> None:
        """Put this into the window's title and, if asked to, ring the bell."""

    def copy(self, text: str) -> None:
        """Put a text into the clipboard, if the terminal allows that."""

    def fail(self, error: BaseException) -> None:
        """End the program with this error."""

    def exit(self) -> None:
        """End the program."""
