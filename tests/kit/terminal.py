"""Pseudo-terminals, a faster pyte screen, and its contents by rows."""

from __future__ import annotations

import os
import re
import termios
from functools import lru_cache
from typing import Any, Final

import pyte
import pyte.modes
from pyte.screens import Char
from wcwidth import wcwidth

_DIM: Final = 2  # SGR
_BLINKING: Final = 5
_COLOURS: Final = {38: {5: 2, 2: 4}, 48: {5: 2, 2: 4}}  # parameters after 38 or 48 and the type


class Cell(Char):
    """A pyte character whose changed copies are cached, because a frame has thousands."""

    __slots__ = ()

    def _replace(self, **changes: Any) -> Cell:
        changed: Cell = _change(self, **changes)
        return changed


_change = lru_cache(maxsize=1 << 14)(Char._replace)
_BLANK: Final = Cell(" ")
_ATTRIBUTES: Final = re.compile(r"\x1b\[([\d;]*)m")


class CellScreen(pyte.Screen):
    """A screen of `Cell` objects, without support for reversing the whole screen."""

    @property
    def default_char(self) -> Char:
        """A space in the terminal's default colours."""
        return _BLANK

    def draw(self, data: str) -> None:
        """Write a text, in one step if all letters are one cell wide and fit the row."""
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
    """Return a cell for each letter of a text; None if a letter is not one cell wide."""
    if any(wcwidth(letter) != 1 for letter in text):
        return None
    return [attributes._replace(data=letter) for letter in text]


class CellStream(pyte.Stream):
    """A stream that parses attribute sequences, the bulk of a frame, in one step each.

    pyte itself parses escape sequences letter by letter.
    """

    def feed(self, data: str) -> None:
        """Write `data` to the screen."""
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
    """A screen that stores dim as blinking: pyte has no dim, and the program never blinks."""

    def select_graphic_rendition(self, *attrs: int, **kinds: Any) -> None:
        """Apply attributes; a 2 within a colour is not dim."""
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
    """Return the rows of a screen without trailing blanks.

    This takes a twentieth of the time of pyte's `display`, which measures every letter again. The
    second cell of a wide letter is empty, so measuring is unnecessary.
    """
    columns = range(screen.columns)
    rows = (screen.buffer[row] for row in range(screen.lines))
    return ["".join([row[column].data for column in columns]).rstrip() for row in rows]


def open_terminal() -> tuple[int, int]:
    """Open a pseudo-terminal without echo; return the keyboard's end and the program's end."""
    keyboard, terminal = os.openpty()
    mode = termios.tcgetattr(terminal)
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, mode)
    return keyboard, terminal
