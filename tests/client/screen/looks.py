"""Looks and lines for the tests of what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import width
from mastermind_client.screen.look import Look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.lines import Extent, Line

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
