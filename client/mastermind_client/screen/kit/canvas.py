"""Where lines become cells: the one container that paints what a screen has drawn.

prompt_toolkit's own windows copy every character on every redraw. Here a row that has been painted
before is used again as it is, so that a redraw costs what has changed.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from prompt_toolkit.layout.containers import Container
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.mouse_events import MouseButton, MouseEventType
from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.kit.lines import Extent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prompt_toolkit.key_binding.key_bindings import KeyBindingsBase, NotImplementedOrNone
    from prompt_toolkit.layout.mouse_handlers import MouseHandlers
    from prompt_toolkit.layout.screen import Screen, WritePosition
    from prompt_toolkit.mouse_events import MouseEvent

    from mastermind_client.screen.kit.lines import Click, Line

ROWS_KEPT = 512  # painted rows: some screens of the largest terminals
CELLS_KEPT = 4096  # letters in their styles: those of a few alphabets
_BLANK = Char(" ", "")
_COVERED = Char("", "")  # the second column of a wide letter


class _Row(defaultdict[int, Char]):
    """The cells of a row but for its blanks, which are not kept, however often they are asked for.

    prompt_toolkit goes through all cells that are there, twice on every redraw.
    """

    def __missing__(self, column: int) -> Char:
        return _BLANK


class Canvas(Container):
    """Paints the lines that `draw` returns for an extent; `scroll` is told of the mouse's wheel."""

    def __init__(
        self, draw: Callable[[Extent], Sequence[Line]], scroll: Callable[[int], None]
    ) -> None:
        self._draw, self._scroll = draw, scroll
        self._rows: OrderedDict[tuple[tuple[str, str], ...], _Row] = OrderedDict()
        self.painted = 0  # how often, for those who measure

    def reset(self) -> None:
        """Nothing is kept from one run to the next but painted rows."""

    def preferred_width(self, max_available_width: int) -> Dimension:
        """Take all there is."""
        return Dimension(preferred=max_available_width)

    def preferred_height(self, _width: int, max_available_height: int) -> Dimension:
        """Take all there is."""
        return Dimension(preferred=max_available_height)

    def get_children(self) -> list[Container]:
        """Return none: lines are no containers."""
        return []

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,  # noqa: ARG002 - prompt_toolkit's signature
        erase_bg: bool,  # noqa: ARG002
        z_index: int | None,  # noqa: ARG002
    ) -> None:
        """Paint the lines from the top left corner on, which is where the canvas lies."""
        columns, rows = write_position.width, write_position.height
        top, left = write_position.ypos, write_position.xpos
        for y in range(top, top + rows):  # the canvas has all columns: no need to name each
            mouse_handlers.mouse_handlers[y] = defaultdict(lambda: self._on_wheel)
        self.painted += 1
        for y, line in enumerate(self._draw(Extent(columns, rows))[:rows], start=top):
            screen.data_buffer[y] = self._paint(line)
            self._add_clicks(line, y, left, mouse_handlers)
        screen.height = max(screen.height, top + rows)

    def _paint(self, line: Line) -> _Row:
        key = tuple((fragment[0], fragment[1]) for fragment in line)
        row = self._rows.get(key)
        if row is not None:
            self._rows.move_to_end(key)
            return row
        row = self._rows[key] = _make_row(key)
        if len(self._rows) > ROWS_KEPT:
            self._rows.popitem(last=False)
        return row

    def _add_clicks(self, line: Line, y: int, left: int, mouse_handlers: MouseHandlers) -> None:
        if all(len(fragment) == 2 for fragment in line):
            return
        x = left
        for fragment in line:
            end = x + get_cwidth(fragment[1])
            if len(fragment) == 3:
                handler = self._make_handler(fragment[2])
                mouse_handlers.set_mouse_handler_for_range(x, end, y, y + 1, handler)
            x = end

    def _make_handler(self, on_click: Click) -> Callable[[MouseEvent], NotImplementedOrNone]:
        def handle(event: MouseEvent) -> NotImplementedOrNone:
            if event.event_type is MouseEventType.MOUSE_UP and event.button is MouseButton.LEFT:
                on_click()
                return None
            return self._on_wheel(event)

        return handle

    def _on_wheel(self, event: MouseEvent) -> NotImplementedOrNone:
        if event.event_type is MouseEventType.SCROLL_UP:
            self._scroll(-1)
        elif event.event_type is MouseEventType.SCROLL_DOWN:
            self._scroll(1)
        else:
            return NotImplemented
        return None

    def get_key_bindings(self) -> KeyBindingsBase | None:
        """Return none: keys are the app's."""
        return None


_make_cell = lru_cache(maxsize=CELLS_KEPT)(Char)


def _make_row(fragments: Sequence[tuple[str, str]]) -> _Row:
    row = _Row()
    x, letter = 0, -1  # the next column, and that of the last letter
    for style, words in fragments:
        for character in words:
            cell = _make_cell(character, style)
            if cell.width == 0:  # a mark that belongs to the letter before it
                if letter >= 0:
                    row[letter] = Char(row[letter].char + character, row[letter].style)
                continue
            letter = x
            if character != " " or style:
                row[x] = cell
            if cell.width == 2:
                row[x + 1] = _COVERED
            x += cell.width
    return row
