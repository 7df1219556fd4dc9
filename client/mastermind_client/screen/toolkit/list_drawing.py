"""The drawing of a `ListView`: its form, with labels, values and explanations, and its rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from prompt_toolkit.utils import get_cwidth

from mastermind_client.columns import COLUMN_GAP
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    make_clickable,
    pad,
    text,
    width,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.columns import Column
    from mastermind_client.screen.toolkit.lines import Fragment, Glyphs
    from mastermind_client.screen.toolkit.list_view import Item, ListView

LEAST_LABEL_COLUMNS = 12  # columns of the labels in a form with values
LEAST_ACTION_COLUMNS = 19  # columns of the labels in a form without values
VALUE_COLUMNS = 14  # columns of a value with an explanation after it
_MARK_COLUMNS = 2  # columns of the mark of the selected item


def measure_form(items: Sequence[Item]) -> int:
    """Return the number of rows of a form with headings and with blank lines between groups."""
    return len(_plan_lines(items, headed=True, parted=True, airy=False))


def draw_form(view: ListView, extent: Extent, glyphs: Glyphs, *, airy: bool = False) -> list[Line]:
    """Return the lines of a form, with the selected item marked.

    If the form is too high, the headings are hidden first, then the blank lines, then items. If
    items above or below are hidden, an arrow is at the end of the first or last line. An `airy`
    form has a blank line after every two items if there is room.
    """
    room = extent.rows
    items, visible, selected = view.find_visible(room, listed=False)
    plans = (
        _plan_lines(items, headed=True, parted=True, airy=airy),
        _plan_lines(items, headed=True, parted=True, airy=False),
        _plan_lines(items, headed=False, parted=True, airy=False),
        _plan_lines(items, headed=False, parted=False, airy=False),
    )
    plan = next((plan for plan in plans if len(plan) <= room), visible)
    columns = measure_columns(items, extent.columns)
    lines: list[Line] = []
    for part in plan:
        if isinstance(part, int):
            line = _draw_item(view, items[part], columns, glyphs, selected=part == selected)
            lines.append(line)
        else:
            lines.append([("class:heading", part)] if part else [])
    if plan is visible and visible:
        if visible.start > 0:
            lines[0] = [*pad(lines[0], extent.columns - 1), ("class:key", glyphs.up)]
        if visible.stop < len(items):
            lines[-1] = [*pad(lines[-1], extent.columns - 1), ("class:key", glyphs.down)]
    return lines


class FormColumns(NamedTuple):
    """The columns where values and explanations start, and the width of the form."""

    value: int
    about: int
    width: int


def measure_columns(items: Sequence[Item], columns: int) -> FormColumns:
    """Return where values and explanations start in a form of this width."""
    valued = any(item.value is not None for item in items)
    least = LEAST_LABEL_COLUMNS if valued else LEAST_ACTION_COLUMNS
    labels = max([least, *(get_cwidth(item.label) for item in items)])
    value = min(_MARK_COLUMNS + labels, columns // 2) + COLUMN_GAP
    return FormColumns(value, value + VALUE_COLUMNS + 2 * COLUMN_GAP if valued else value, columns)


def is_about_cut(item: Item, columns: FormColumns) -> bool:
    """Return whether an item's explanation (`about`) is too long for the item's row."""
    if item.value is None:
        begin = columns.value
    elif item.beside:
        return False
    else:
        begin = max(columns.about, columns.value + get_cwidth(item.value) + 2 * COLUMN_GAP)
    return begin + get_cwidth(item.about) > columns.width


def draw_about(view: ListView, columns: int, rows: int) -> list[Line]:
    """Return the explanation (`about`) of the selected item, in at most `rows` rows.

    Return no lines if the explanation fits into the item's own row.
    """
    item = view.selected
    if not is_about_cut(item, measure_columns(view.form, columns)):
        return []
    return [
        [("", " " * _MARK_COLUMNS), *line] for line in wrap(item.about, columns - 2 * _MARK_COLUMNS)
    ][:rows]


def _plan_lines(
    items: Sequence[Item], *, headed: bool, parted: bool, airy: bool
) -> list[int | str]:
    """Return for each line of a form the index of an item, a heading, or "" for a blank line.

    If `headed`, the groups have headings. If `parted`, a blank line is between two groups. If
    `airy`, a blank line is after every two items of a group.
    """
    rows: list[int | str] = []
    since, heading = 0, None
    for index, item in enumerate(items):
        if item.heading is not None and item.heading != heading:
            heading, since = item.heading, 0
            rows += [""] if rows and parted else []
            rows += [item.heading] if item.heading and headed else []
        elif airy and since and since % 2 == 0:
            rows.append("")
        since += 1
        rows.append(index)
    return rows


def _draw_item(
    view: ListView, item: Item, columns: FormColumns, glyphs: Glyphs, *, selected: bool
) -> Line:
    """Return the line of an item. The selected item is marked over its whole width."""

    def select() -> None:
        view.select(item.name)

    def act() -> None:
        select()
        if item.value is None and item.press is not None:
            item.press()
        elif item.change is not None:
            item.change(1)
        elif item.edit is not None:
            item.edit("")

    def change(step: int) -> None:
        select()
        view.change(step)

    mark = glyphs.selected if selected else item.key or " "
    head: Line = [("class:key", mark), ("", " ")]
    beside: Sequence[Fragment]
    if item.value is None:
        label = crop([("", item.label, act)], columns.value - _MARK_COLUMNS - 1, glyphs.ellipsis)
        beside = make_clickable(item.beside or [("class:dim", item.about)], act)
        line = [*pad([*head, *label], columns.value), *beside]
    else:
        less, more = (glyphs.left, glyphs.right) if selected and item.change else (" ", " ")
        label = crop([("", item.label, select)], columns.value - 2 * _MARK_COLUMNS, glyphs.ellipsis)
        line = [
            *pad([*head, *label], columns.value - _MARK_COLUMNS),
            ("class:key", f"{less} ", partial(change, -1)),
            ("class:strong", item.value, act),
            ("class:key", f" {more}", partial(change, 1)),
        ]
        line = [*pad(line, max(columns.about - COLUMN_GAP, width(line))), ("", " " * COLUMN_GAP)]
        beside = item.beside or (
            [] if is_about_cut(item, columns) else [("class:dim", item.about, select)]
        )
        line += beside if width(line) + width(beside) <= columns.width else []
    line = crop(line, columns.width, glyphs.ellipsis)
    if not selected:
        return line
    return [_highlight(part) for part in pad(line, columns.width)]


def _highlight(part: Fragment) -> Fragment:
    """Return a fragment highlighted as a part of the selected item. Tiles keep their colours."""
    style = part[0] if "peg." in part[0] or "ink." in part[0] else "class:selected class:strong"
    return (style, *part[1:])


_LEAST_COLUMNS = {"crop": 6, "name": 11}  # least columns of a cropped text


def draw_table(
    view: ListView,
    columns: Sequence[Column[Any]],
    extent: Extent,
    glyphs: Glyphs,
    pinned: Item | None = None,
) -> list[Line]:
    """Return the titles and the visible rows, with an arrow if rows above or below are hidden.

    If no column has a title, there is no line of titles. The first cell of a row is its name; the
    others are dim. The selected row and the `pinned` row are highlighted. If the pinned row is not
    visible, it is drawn below the other rows, after an ellipsis.
    """
    titles = [column.heading for column in columns]
    room = extent.columns - _MARK_COLUMNS - 1 - get_cwidth(glyphs.up)
    widths = fit_columns(columns, [*view.rows, *([pinned] if pinned else [])], room)
    lines: list[Line] = []
    if any(titles):
        heading = _draw_cells(titles, columns, widths, glyphs, ["class:heading"] * len(titles))
        lines.append([("", " " * _MARK_COLUMNS), *heading])
    below: list[Line] = []
    rows, seen, selected = view.find_visible(extent.rows - len(lines), listed=True)
    if pinned is not None and all(rows[index].name != pinned.name for index in seen):
        cells = _draw_cells(pinned.cells, columns, widths, glyphs, [""] * len(columns))
        own_line = _highlight_row(pad([("", " " * _MARK_COLUMNS), *cells], extent.columns - 1))
        below = [
            text(" " * _MARK_COLUMNS + glyphs.ellipsis, "class:dim"),
            make_clickable(own_line, pinned.press) if pinned.press else own_line,
        ]
        rows, seen, selected = view.find_visible(extent.rows - len(lines) - len(below), listed=True)
    for index in seen:
        marked = index == selected
        own = pinned is not None and rows[index].name == pinned.name
        dim = "" if marked or own else "class:dim"
        arrow = " "
        if index == seen[0] and index > 0:
            arrow = glyphs.up
        elif index == seen[-1] and index < len(rows) - 1:
            arrow = glyphs.down
        line: Line = [
            ("class:key", glyphs.selected if marked else " "),
            ("", " "),
            *_draw_cells(
                rows[index].cells, columns, widths, glyphs, ["", *[dim] * (len(columns) - 1)]
            ),
        ]
        line = [*pad(line, extent.columns - 1), ("class:key", arrow)]
        if marked or own:
            line = _highlight_row(line)
        lines.append(make_clickable(line, partial(view.click, rows[index])))
    lines += below
    return [crop(line, extent.columns, glyphs.ellipsis) for line in lines[: extent.rows]]


def _highlight_row(line: Line) -> Line:
    return [("class:selected class:strong", part[1]) for part in line]


def fit_columns(columns: Sequence[Column[Any]], rows: Sequence[Item], room: int) -> list[int]:
    """Return the width of each column, so that all fit into `room`. A dropped column has 0.

    The longest texts are cropped first, but not below `_LEAST_COLUMNS`. If they do not fit even
    then, columns are dropped.
    """
    natural = [
        max([get_cwidth(column.heading), *(get_cwidth(row.cells[number]) for row in rows)])
        for number, column in enumerate(columns)
    ]
    least = [
        min(wide, max(_LEAST_COLUMNS.get(column.fit, wide), get_cwidth(column.heading)))
        for column, wide in zip(columns, natural, strict=True)
    ]
    kept = [True] * len(columns)
    for number in reversed(range(len(columns))):
        if columns[number].fit == "drop" and _sum_widths(least, kept) > room:
            kept[number] = False
    widths = [wide if keep else 0 for wide, keep in zip(natural, kept, strict=True)]
    while _sum_widths(widths, kept) > room:
        slack = [
            wide if wide > shortest and keep else 0
            for wide, shortest, keep in zip(widths, least, kept, strict=True)
        ]
        if not any(slack):
            break
        widths[slack.index(max(slack))] -= 1
    return widths


def _sum_widths(widths: Sequence[int], kept: Sequence[bool]) -> int:
    return sum(wide for wide, keep in zip(widths, kept, strict=True) if keep) + COLUMN_GAP * (
        sum(kept) - 1
    )


def _draw_cells(
    cells: Sequence[str],
    columns: Sequence[Column[Any]],
    widths: Sequence[int],
    glyphs: Glyphs,
    styles: Sequence[str],
) -> Line:
    words: Line = []
    for cell, column, wide, style in zip(cells, columns, widths, styles, strict=True):
        if wide:
            gap = " " * COLUMN_GAP if words else ""
            blanks = " " * (wide - get_cwidth(cell)) if column.right else ""
            line = [("", blanks), (style, cell)]
            words += [("", gap), *pad(line, wide, ellipsis=glyphs.ellipsis)]
    return words
