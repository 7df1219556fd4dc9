"""Lines in prompt_toolkit's layout, with what they do when they are clicked on."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from prompt_toolkit.layout.containers import Container
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.mouse_events import MouseButton, MouseEventType
from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.kit.lines import Extent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prompt_toolkit.data_structures import Point
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone
    from prompt_toolkit.layout.mouse_handlers import MouseHandlers
    from prompt_toolkit.layout.screen import Screen, WritePosition
    from prompt_toolkit.mouse_events import MouseEvent

    from mastermind_client.screen.kit.lines import Click, Line

Cells: TypeAlias = dict[int, Char]  # by column, from 0

ROWS_KEPT = 256  # laid out in cells: those of a few screens
CELLS_KEPT = 4096  # characters in one style each: all that a few screens show
_BESIDE = Char("", "")  # the right half of a wide letter

_make_cell = lru_cache(maxsize=CELLS_KEPT)(Char)


class Canvas(Container):
    """Shows the lines that `draw` returns for an extent, all over the place that it is given.

    `scroll` is told how many rows the mouse's wheel goes down, or up if negative. A `Window` would
    ask of every character, in each drawing, where a cursor on it stood and whether it is wrapped;
    here is neither, and a row that is as it was need not be laid out again.
    """

    def __init__(
        self, draw: Callable[[Extent], Sequence[Line]], scroll: Callable[[int], None]
    ) -> None:
        self._draw, self._scroll = draw, scroll
        self._lines: Sequence[Line] = ()

    def reset(self) -> None:
        """Keep everything: nothing here is but the lines."""

    def preferred_width(self, max_available_width: int) -> Dimension:  # noqa: ARG002 - as a base
        """Take what there is."""
        return Dimension()

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:  # noqa: ARG002
        """Take what there is."""
        return Dimension()

    def get_children(self) -> list[Container]:
        """Return none."""
        return []

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,  # noqa: ARG002 - there is none, as there is nothing to erase
        erase_bg: bool,  # noqa: ARG002
        z_index: int | None,  # noqa: ARG002
    ) -> None:
        """Draw the lines, from the screen's left upper corner on."""
        columns, rows = write_position.width, write_position.height
        self._lines = self._draw(Extent(columns, rows))
        for row, line in enumerate(self._lines[:rows]):
            pieces = tuple([(fragment[0], fragment[1]) for fragment in line])
            screen.data_buffer[row].update(_lay_out(pieces, columns))
        screen.height = max(screen.height, rows)
        mouse_handlers.set_mouse_handler_for_range(0, columns, 0, rows, self.on_mouse)

    def on_mouse(self, event: MouseEvent) -> NotImplementedOrNone:
        """Take the wheel, and the left button as soon as it is let go."""
        kind, button = event.event_type, event.button
        if kind is MouseEventType.SCROLL_UP:
            self._scroll(-1)
        elif kind is MouseEventType.SCROLL_DOWN:
            self._scroll(1)
        elif kind is MouseEventType.MOUSE_UP and button is MouseButton.LEFT:
            if (click := self._find_click(event.position)) is None:
                return NotImplemented
            click()
        else:
            return NotImplemented
        return None

    def _find_click(self, position: Point) -> Click | None:
        """Return what belongs to a cell; nothing does on the right of a text, or below all."""
        end = 0
        for fragment in self._lines[position.y] if position.y < len(self._lines) else ():
            end += get_cwidth(fragment[1])
            if position.x < end:
                return fragment[2] if len(fragment) == 3 else None
        return None


@lru_cache(maxsize=ROWS_KEPT)
def _lay_out(pieces: tuple[tuple[str, str], ...], columns: int) -> Cells:
    """Return the cells of a line, without those for which there is no room."""
    cells: Cells = {}
    column = 0
    for style, words in pieces:
        for letter in words:
            cell = _make_cell(letter, style)
            if not cell.width:  # it is put over the one before
                before = column - 1
                while before > 0 and cells.get(before) is _BESIDE:
                    before -= 1
                if (base := cells.get(before)) is not None:
                    cells[before] = _make_cell(base.char + letter, base.style)
            elif column < columns:
                cells[column] = cell
                cells.update(dict.fromkeys(range(column + 1, column + cell.width), _BESIDE))
            column += cell.width
    return cells
