"""What is on a terminal's screen, as text that can be kept in a file and compared.

Attributes are told by runs of cells: `3-5 bold 000000 on ffff00`, columns counted from 0.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from kit.terminal import read_rows

if TYPE_CHECKING:
    import pyte
    from pyte.screens import Char

_CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b|((?<=since )|(?<= od )|(?<=◇ ))\d\d:\d\d\b")
A_TIME = "14:05:10"


@dataclass(frozen=True, slots=True)
class Picture:
    """A screen at one moment: its text, its attributes, what is on coloured tiles, its cells."""

    text: list[str]
    attributes: list[str]
    tiles: list[str]
    cells: list[Char]


def take(screen: pyte.Screen) -> Picture:
    """Return what is on the screen now."""
    cells = [
        screen.buffer[row][column]
        for row in range(screen.lines)
        for column in range(screen.columns)
    ]
    return Picture(read_text(screen), read_attributes(screen), find_tiles(screen), cells)


def read_text(screen: pyte.Screen) -> list[str]:
    """Return the rows of a screen; times of the day are always the same one."""
    return [_CLOCK.sub(lambda found: A_TIME[: len(found[0])], line) for line in read_rows(screen)]


def read_attributes(screen: pyte.Screen) -> list[str]:
    """Return a line for each row that has other cells than plain ones."""
    lines = []
    for row in range(screen.lines):
        cells = [describe(screen.buffer[row][column]) for column in range(screen.columns)]
        column, runs = 0, []
        for attributes, run in itertools.groupby(cells):
            wide = len(list(run))
            if attributes:
                runs.append(f"{column}-{column + wide - 1} {attributes}")
            column += wide
        if runs:
            lines.append(f"{row}: {', '.join(runs)}")
    return lines


@cache
def describe(cell: Char) -> str:
    """Return the attributes of a cell; nothing of a plain one."""
    words = [
        word
        for word, holds in (
            ("bold", cell.bold),
            ("italic", cell.italics),
            ("underlined", cell.underscore),
            ("struck", cell.strikethrough),
            ("blinking", cell.blink),
            ("reverse", cell.reverse),
        )
        if holds
    ]
    if is_coloured(cell):
        words.append(f"{cell.fg} on {cell.bg}")
    return " ".join(words)


def is_coloured(cell: Char) -> bool:
    """Tell whether a cell is of other colours than the terminal's own."""
    return (cell.fg, cell.bg) != ("default", "default")


def find_tiles(screen: pyte.Screen) -> list[str]:
    """Return the text on every run of cells with one background, as long as it is a colour."""
    tiles = []
    for row in range(screen.lines):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        for background, run in itertools.groupby(cells, key=lambda cell: cell.bg):
            if background != "default":
                tiles.append("".join(cell.data for cell in run))
    return tiles
