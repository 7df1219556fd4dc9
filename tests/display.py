"""What is on a terminal's screen, row by row, as pyte keeps it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import pyte
from pyte.screens import Char

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


class CellScreen(pyte.Screen):
    """A screen of such cells, which nobody has ever asked to be shown reversed as a whole."""

    @property
    def default_char(self) -> Char:
        """The blank of a terminal's own colours."""
        return _BLANK


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
