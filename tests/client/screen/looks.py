"""Helpers for the tests of drawing functions."""

from collections.abc import Sequence

from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.lines import Extent, Line, width

LOOK = Look.choose("default", "256", "ascii", {"TERM": "xterm-256color"}, "ascii")


def show(lines: Sequence[Line]) -> list[str]:
    """Return the text of lines."""
    return ["".join(fragment[1] for fragment in line).rstrip() for line in lines]


def click(lines: Sequence[Line], words: str) -> None:
    """Click on the first piece of text that has these words in it and can be clicked on."""
    for line in lines:
        for fragment in line:
            if len(fragment) == 3 and words in fragment[1]:
                fragment[2]()
                return
    raise AssertionError(f"{words!r} cannot be clicked on in {show(lines)}")


def assert_fits(lines: Sequence[Line], extent: Extent) -> None:
    """Assert that lines stay within an extent."""
    assert len(lines) <= extent.rows
    assert max(map(width, lines), default=0) <= extent.columns
