"""Tables: a list of rows in columns that fit the width; the one that all lists use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.kit.lines import Extent, Line, crop, make_clickable, pad
from mastermind_client.screen.kit.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.kit.lines import Glyphs


_GAP = 2  # columns between two columns
_MARK = 2  # columns of the mark of the selected row
_LEAST = 6  # columns that a text is cropped to before a column is left out


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Where there is too little room, those with the largest `spare` are left out.

    A column with `spare` 0 is always there; a `rigid` one is there in its full width. What is in a
    `dim` one is there for those who look closer. If none has a title, there is no row of titles.
    """

    title: str
    spare: int = 0
    rigid: bool = False
    dim: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: the key that it is known by, and a text for each column."""

    key: str
    cells: tuple[str, ...]


class DataTable:
    """A list of rows, of which one is selected.

    `choose` is given the key of the row that Enter is pressed on. `reach_end` is called whenever
    the last row is selected: there may be more to load. `focused` tells whether keys go to the
    table; a click on a row lets them. `lost` tells whether the row that was selected has gone from
    the list: until somebody selects one, none is.
    """

    def __init__(
        self,
        columns: Callable[[], Sequence[Column]],
        choose: Callable[[str], None],
        reach_end: Callable[[], None] | None = None,
    ) -> None:
        self.columns = columns
        self.focused = self.lost = False
        self._choose, self._reach_end = choose, reach_end
        self.rows: Sequence[TableRow] = ()
        self.selection = Selection()

    @property
    def selected(self) -> TableRow | None:
        """The row that is selected, if there is any."""
        return self.rows[self.selection.index] if self.rows else None

    def fill(self, rows: Sequence[TableRow]) -> None:
        """Show these rows from now on; the one that was selected still is, if it is there."""
        before = self.selected
        self.rows = rows
        self.selection.resize(len(rows))
        if before is not None and not self.select(before.key):
            self.lost = self.focused

    def select(self, key: str) -> bool:
        """Select the row with this key, if there is one; tell whether there is."""
        for index, row in enumerate(self.rows):
            if row.key == key:
                self.selection.select(index)
                return True
        return False

    def move(self, step: int) -> bool:
        """Go so many rows down, or up if negative; tell whether there was one to go to."""
        return self._moved(self.selection.move(step))

    def page(self, direction: int) -> bool:
        """Go as many rows down, or up, as are seen at once; tell whether there were any."""
        return self._moved(self.selection.page(direction))

    def first(self) -> None:
        """Select the first row."""
        self._moved(self.selection.select(0))

    def last(self) -> None:
        """Select the last row."""
        self._moved(self.selection.select(len(self.rows) - 1))

    def press(self) -> None:
        """Choose the selected row; or select it, if the one that was selected is gone."""
        if self.lost:
            self.lost = False
        elif (row := self.selected) is not None:
            self._choose(row.key)

    def click(self, key: str) -> None:
        """Select a row; choose it, if it is selected already."""
        row = self.selected
        if self.focused and not self.lost and row is not None and row.key == key:
            self.press()
            return
        self.focused = True
        self.select(key)
        self._moved(True)

    def _moved(self, moved: bool) -> bool:
        self.lost = False
        if self._reach_end is not None and self.selection.index >= len(self.rows) - 1:
            self._reach_end()
        return moved


def draw_table(table: DataTable, extent: Extent, glyphs: Glyphs) -> list[Line]:
    """Return the titles and as many rows as there is room for; an arrow says that there are more.

    Without the focus no row is shown as selected, nor while that one is `lost`.
    """
    columns = table.columns()
    room = extent.columns - _MARK - 1 - get_cwidth(glyphs.up)
    widths = fit_columns(columns, table.rows, room)
    titles = [column.title for column in columns]
    lines: list[Line] = []
    if any(titles):
        styles = ["class:heading"] * len(titles)
        lines.append([("", " " * _MARK), *_draw_cells(titles, widths, glyphs, styles)])
    seen = table.selection.see(extent.rows - len(lines))
    for index in seen:
        row = table.rows[index]
        selected = table.focused and not table.lost and index == table.selection.index
        styles = ["class:dim" if column.dim and not selected else "" for column in columns]
        arrow = " "
        if index == seen[0] and index > 0:
            arrow = glyphs.up
        elif index == seen[-1] and index < len(table.rows) - 1:
            arrow = glyphs.down
        line: Line = [
            ("class:key", glyphs.selected if selected else " "),
            ("", " "),
            *_draw_cells(row.cells, widths, glyphs, styles),
        ]
        line = [*pad(line, extent.columns - 1), ("class:key", arrow)]
        if selected:
            line = [("class:selected class:strong", part[1]) for part in line]
        lines.append(make_clickable(line, partial(table.click, row.key)))
    return [crop(line, extent.columns, glyphs.ellipsis) for line in lines[: extent.rows]]


def fit_columns(columns: Sequence[Column], rows: Sequence[TableRow], room: int) -> list[int]:
    """Return how wide each column is, 0 if it is left out, so that all fit into the room.

    First what is longest is cropped, down to `_LEAST`; then columns are left out.
    """
    natural = [
        max([get_cwidth(column.title), *(get_cwidth(row.cells[number]) for row in rows)])
        for number, column in enumerate(columns)
    ]
    least = [
        wide if column.rigid else min(wide, max(_LEAST, get_cwidth(column.title)))
        for column, wide in zip(columns, natural, strict=True)
    ]
    kept = [True] * len(columns)
    while _total(least, kept) > room:
        spare = [column.spare if keep else 0 for column, keep in zip(columns, kept, strict=True)]
        if not any(spare):
            break
        kept[spare.index(max(spare))] = False
    widths = [wide if keep else 0 for wide, keep in zip(natural, kept, strict=True)]
    while _total(widths, kept) > room:
        slack = [
            wide if wide > shortest and keep else 0
            for wide, shortest, keep in zip(widths, least, kept, strict=True)
        ]
        if not any(slack):
            break
        widths[slack.index(max(slack))] -= 1
    return widths


def _total(widths: Sequence[int], kept: Sequence[bool]) -> int:
    return sum(wide for wide, keep in zip(widths, kept, strict=True) if keep) + _GAP * (
        sum(kept) - 1
    )


def _draw_cells(
    cells: Sequence[str], widths: Sequence[int], glyphs: Glyphs, styles: Sequence[str]
) -> Line:
    """Return the cells of one row side by side."""
    words: Line = []
    for cell, wide, style in zip(cells, widths, styles, strict=True):
        if wide:
            gap = " " * _GAP if words else ""
            words += [("", gap), *pad([(style, cell)], wide, ellipsis=glyphs.ellipsis)]
    return words
