"""What is on a terminal's screen, row by row, as pyte keeps it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import pyte
import pyte.modes
from pyte.screens import Char
from wcwidth import wcwidth

_DIM: Final = 2  # SGR
_BLINKING: Final = 5
_COLOURS: Final = {38: {5: 2, 2: 4}, 48: {5: 2, 2: 4}}  # how many numbers go with one, by its kind


class Cell(Char):
    """A character of pyte's, each of which is made once: a drawing has some thousand."""

    __slots__ = ()

    def _replace(self, **changes: Any) -> Cell:
        changed: Cell = _change(self, **changes)
        return changed


_change = lru_cache(maxsize=1 << 14)(Char._replace)
_BLANK: Final = Cell(" ")
_ATTRIBUTES: Final = re.compile(r"\x1b\[([\d;]*)m")


class CellScreen(pyte.Screen):
    """A screen of such cells, which nobody has ever asked to be shown reversed as a whole."""

    @property
    def default_char(self) -> Char:
        """The blank of a terminal's own colours."""
        return _BLANK

    def draw(self, data: str) -> None:
        """Write a text, in one step if each letter takes one cell of the row that is written."""
        cursor = self.cursor
        end = cursor.x + len(data)
        cells = _lay_out(cursor.attrs, data)
        if cells is None or end > self.columns or pyte.modes.IRM in self.mode:
            super().draw(data)
        else:
            self.buffer[cursor.y].update(zip(range(cursor.x, end), cells, strict=True))
            cursor.x = end
            self.dirty.add(cursor.y)


@lru_cache(maxsize=1 << 12)
def _lay_out(attributes: Char, text: str) -> list[Char] | None:
    """Return a cell for each letter of a text; None if one takes another number of them."""
    if any(wcwidth(letter) != 1 for letter in text):
        return None
    return [attributes._replace(data=letter) for letter in text]


class CellStream(pyte.Stream):
    """What is written to a screen; attributes, most of a drawing, are taken in at once.

    pyte itself takes a sequence of a terminal letter by letter.
    """

    def feed(self, data: str) -> None:
        """Write to the screen."""
        pieces = iter(_ATTRIBUTES.split(data))
        super().feed(next(pieces))
        for numbers in pieces:
            if self._taking_plain_text and self.listener is not None:
                self.listener.select_graphic_rendition(*_read_numbers(numbers))
            else:  # within another sequence
                super().feed(f"\x1b[{numbers}m")
            super().feed(next(pieces))


@lru_cache
def _read_numbers(numbers: str) -> list[int]:
    return [int(number or 0) for number in numbers.split(";")]


class DimScreen(CellScreen):
    """A screen that knows what is dim, which pyte does not: as blinking, which nothing does."""

    def select_graphic_rendition(self, *attrs: int, **kinds: Any) -> None:
        """Take attributes; a 2 that belongs to a colour is none."""
        taken, colour = list(attrs), 0
        for place, attr in enumerate(attrs):
            if colour:
                colour -= 1
            elif attr in _COLOURS:
                colour = _COLOURS[attr].get(attrs[place + 1], 0) if attrs[place + 1 :] else 0
            elif attr == _DIM:
                taken[place] = _BLINKING
        super().select_graphic_rendition(*taken, **kinds)


def read_rows(screen: pyte.Screen) -> list[str]:
    """Return the rows of a screen without the blanks at their ends.

    That is pyte's own `display`, which measures every letter anew, in a twentieth of its time: the
    second cell of a wide letter is empty anyway.
    """
    columns = range(screen.columns)
    rows = (screen.buffer[row] for row in range(screen.lines))
    return ["".join([row[column].data for column in columns]).rstrip() for row in rows]
