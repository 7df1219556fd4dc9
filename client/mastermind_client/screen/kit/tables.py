"""The drawing of a list: rows in columns that fit the width."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.kit.lines import Extent, Line, crop, make_clickable, pad

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.lines import Glyphs
    from mastermind_client.screen.kit.list_view import Item, ListView


Fit: TypeAlias = Literal["crop", "keep", "drop"]
Column: TypeAlias = tuple[str, Fit]
"""The title of a column, and what happens to it in a narrow list.

The cells are cropped, or keep their width, or the column is dropped, the last one first. The first
column is the name of the row; the others are dim. Without any title there is no row of titles.
"""

_GAP = 2  # columns between two columns
_MARK = 2  # columns of the mark of the selected row
_LEAST = 6  # columns of a cropped text, before a column is dropped


def draw_table(
    view: ListView, columns: Sequence[Column], extent: Extent, glyphs: Glyphs
) -> list[Line]:
    """Return the titles and the visible rows, with arrows if there are more.

    The selected row is marked.
    """
    titles = [title for title, _fit in columns]
    room = extent.columns - _MARK - 1 - get_cwidth(glyphs.up)
    widths = fit_columns(columns, view.rows, room)
    lines: list[Line] = []
    if any(titles):
        heading = _draw_cells(titles, widths, glyphs, ["class:heading"] * len(titles))
        lines.append([("", " " * _MARK), *heading])
    rows, seen, selected = view.see(extent.rows - len(lines), listed=True)
    for index in seen:
        marked = index == selected
        dim = "" if marked else "class:dim"
        arrow = " "
        if index == seen[0] and index > 0:
            arrow = glyphs.up
        elif index == seen[-1] and index < len(rows) - 1:
            arrow = glyphs.down
        line: Line = [
            ("class:key", glyphs.selected if marked else " "),
            ("", " "),
            *_draw_cells(rows[index].cells, widths, glyphs, ["", *[dim] * (len(columns) - 1)]),
        ]
        line = [*pad(line, extent.columns - 1), ("class:key", arrow)]
        if marked:
            line = [("class:selected class:strong", part[1]) for part in line]
        lines.append(make_clickable(line, partial(view.click, rows[index])))
    return [crop(line, extent.columns, glyphs.ellipsis) for line in lines[: extent.rows]]


def fit_columns(columns: Sequence[Column], rows: Sequence[Item], room: int) -> list[int]:
    """Return the width of each column, 0 if it is dropped, so that all fit into `room` columns.

    The longest texts are cropped first, down to `_LEAST`; then columns are dropped.
    """
    natural = [
        max([get_cwidth(title), *(get_cwidth(row.cells[number]) for row in rows)])
        for number, (title, _fit) in enumerate(columns)
    ]
    least = [
        min(wide, max(_LEAST, get_cwidth(title))) if fit == "crop" else wide
        for (title, fit), wide in zip(columns, natural, strict=True)
    ]
    kept = [True] * len(columns)
    for number in reversed(range(len(columns))):
        if columns[number][1] == "drop" and _total(least, kept) > room:
            kept[number] = False
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
