"""Golden screens: the text and the attributes of a terminal's screen, kept in files.

`GOLDEN=write make test ARGS=tests/scenes` rewrites the files in `tests/scenes/golden`. A file
has a part for each size of its scene; attributes are runs of cells: `7-9: 3-5 bold 000000 on
ffff00` means columns 3 to 5 of rows 7 to 9, counted from 0.
"""

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyte
from pyte.screens import Char

from kit.terminal import read_rows

FOLDER = Path(__file__).parents[2] / "scenes" / "golden"
WRITE = os.environ.get("GOLDEN") == "write"
HOW = "If it should look like this: GOLDEN=write make test ARGS=tests/scenes"
A_TIME = "14:05:10"
_CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b|((?<=since )|(?<= od )|(?<=◇ ))\d\d:\d\d\b")


@dataclass(frozen=True, slots=True)
class Picture:
    """A screen at one moment: its text, its attributes, the text of its tiles, its cells."""

    text: list[str]
    attributes: list[str]
    tiles: list[str]
    cells: list[Char]


def take(screen: pyte.Screen) -> Picture:
    """Return a picture of the screen."""
    rows = [
        [screen.buffer[row][column] for column in range(screen.columns)]
        for row in range(screen.lines)
    ]
    cells = list(itertools.chain.from_iterable(rows))
    return Picture(read_text(screen), read_attributes(rows), find_tiles(rows), cells)


def read_text(screen: pyte.Screen) -> list[str]:
    """Return the rows of a screen, with every time of day replaced by a fixed one."""
    return [_CLOCK.sub(lambda found: A_TIME[: len(found[0])], line) for line in read_rows(screen)]


def read_attributes(rows: Sequence[Sequence[Char]]) -> list[str]:
    """Return a line for each run of rows with equal attributes; plain rows get no line."""
    return [f"{span}: {attributes}" for span, attributes in _find_runs(map(_read_row, rows))]


def _read_row(cells: Sequence[Char]) -> str:
    runs = _find_runs(map(describe, cells))
    return ", ".join(f"{span} {attributes}" for span, attributes in runs)


def _find_runs(described: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the span and the attributes of each run of equal attributes that are not empty."""
    first = 0
    for attributes, equal in itertools.groupby(described):
        last = first + len(list(equal)) - 1
        if attributes:
            yield (f"{first}" if first == last else f"{first}-{last}"), attributes
        first = last + 1


@cache
def describe(cell: Char) -> str:
    """Return the attributes of a cell; an empty text if it is plain."""
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
    """Return whether a cell differs from the terminal's default colours."""
    return (cell.fg, cell.bg) != ("default", "default")


def find_tiles(rows: Sequence[Sequence[Char]]) -> list[str]:
    """Return the text of every run of cells with the same coloured background.

    A reversed cell belongs to a QR code.
    """
    return [
        "".join(cell.data for cell in run)
        for cells in rows
        for (background, reverse), run in itertools.groupby(
            cells, key=lambda cell: (cell.bg, cell.reverse)
        )
        if background != "default" and not reverse
    ]


def compare(name: str, parts: Mapping[str, Sequence[str]]) -> None:
    """Compare the parts of a scene with its golden file, or write the file."""
    path = FOLDER / f"{name}.txt"
    text = "".join(
        f"== {title} ==\n" + "".join(f"{line}\n" for line in lines)
        for title, lines in parts.items()
    )
    if WRITE:
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text == kept, f"{path.name} differs. {HOW}"


def read_golden(name: str, part: str = "80x24") -> list[str]:
    """Return the rows of a part of a golden file."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    found = re.search(rf"^== {part} ==\n(.*?)(?=^== |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{name}.txt has no part {part}"
    return found[1].splitlines()
