"""A prompt_toolkit container that draws lines and calls the callbacks of clicked fragments."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from prompt_toolkit.layout.containers import Container
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.mouse_events import MouseButton, MouseEventType
from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.toolkit.lines import Extent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prompt_toolkit.data_structures import Point
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone
    from prompt_toolkit.layout.mouse_handlers import MouseHandlers
    from prompt_toolkit.layout.screen import Screen, WritePosition
    from prompt_toolkit.mouse_events import MouseEvent

    from mastermind_client.screen.toolkit.lines import Click, Line

Cells: TypeAlias = dict[int, Char]  # by column, from 0

CACHED_LINES = 256  # cached rows of cells, for a few screens
CACHED_CELLS = 4096  # cached pairs of character and style, for a few screens
_WIDE_TAIL = Char("", "")  # the right half of a wide character

_make_cell = lru_cache(maxsize=CACHED_CELLS)(Char)


class Canvas(Container):
    """Draws the lines that `draw` returns for the size of the container.

    `scroll` is called with +1 for each step of the mouse wheel down, and -1 for each step up. A
    `Canvas` is faster than a `Window`, which maps cursor positions and wraps lines in each drawing.
    The cells of unchanged rows are cached.
    """

    def __init__(
        self, draw: Callable[[Extent], Sequence[Line]], scroll: Callable[[int], None]
    ) -> None:
        self._draw, self._scroll = draw, scroll
        self._lines: Sequence[Line] = ()

    def reset(self) -> None:
        """Do nothing, because the container has no state."""

    def preferred_width(self, max_available_width: int) -> Dimension:  # noqa: ARG002 - as a base
        """Return a width without limits."""
        return Dimension()

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:  # noqa: ARG002
        """Return a height without limits."""
        return Dimension()

    def get_children(self) -> list[Container]:
        """Return an empty list."""
        return []

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,  # noqa: ARG002 - the app has no style, and erases nothing
        erase_bg: bool,  # noqa: ARG002
        z_index: int | None,  # noqa: ARG002
    ) -> None:
        """Draw the lines from the upper left corner of the container."""
        columns, rows = write_position.width, write_position.height
        self._lines = self._draw(Extent(columns, rows))
        for row, line in enumerate(self._lines[:rows]):
            fragments = tuple([(fragment[0], fragment[1]) for fragment in line])
            screen.data_buffer[row].update(_lay_out(fragments, columns))
        screen.height = max(screen.height, rows)
        mouse_handlers.set_mouse_handler_for_range(0, columns, 0, rows, self.on_mouse)

    def on_mouse(self, event: MouseEvent) -> NotImplementedOrNone:
        """Handle a step of the wheel, or the release of the left button."""
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
        """Return the click callback of the cell at `position`, or None."""
        end = 0
        for fragment in self._lines[position.y] if position.y < len(self._lines) else ():
            end += get_cwidth(fragment[1])
            if position.x < end:
                return fragment[2] if len(fragment) == 3 else None
        return None


@lru_cache(maxsize=CACHED_LINES)
def _lay_out(fragments: tuple[tuple[str, str], ...], columns: int) -> Cells:
    """Return the cells of a line, cropped to `columns`."""
    cells: Cells = {}
    column = 0
    for style, words in fragments:
        for letter in words:
            cell = _make_cell(letter, style)
            if not cell.width:  # combine it with the cell before it
                before = column - 1
                while before > 0 and cells.get(before) is _WIDE_TAIL:
                    before -= 1
                if (base := cells.get(before)) is not None:
                    cells[before] = _make_cell(base.char + letter, base.style)
            elif column < columns:
                cells[column] = cell
                cells.update(dict.fromkeys(range(column + 1, column + cell.width), _WIDE_TAIL))
            column += cell.width
    return cells
