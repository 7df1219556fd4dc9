"""The drawing of a form: labels, values and explanations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.utils import get_cwidth

from mastermind_client.screen.kit.lines import Extent, Line, crop, pad, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.lines import Fragment, Glyphs
    from mastermind_client.screen.kit.list_view import Item, ListView

LABEL_LEAST = 12  # columns of the labels in a form with values
ACTION_LEAST = 20  # columns of the labels in a form without values
VALUE_COLUMNS = 14  # of a value that an explanation follows
_GAP = 2  # columns between labels, values and meanings
_MARK = 2  # columns of the mark of the selected item


def measure_form(items: Sequence[Item]) -> int:
    """Return the rows of a form with headings, and with blank lines between groups."""
    return len(_lay_out(items, headed=True, parted=True, airy=False))


def draw_form(view: ListView, extent: Extent, glyphs: Glyphs, *, airy: bool = False) -> list[Line]:
    """Return the lines of a form; the selected item is marked.

    If rows are short, it drops the headings, then the blank lines, then items. An `airy` form has a
    blank line after every two items, if there is room.
    """
    room = extent.rows
    items, visible, selected = view.see(room, listed=False)
    plans = (
        _lay_out(items, headed=True, parted=True, airy=airy),
        _lay_out(items, headed=True, parted=True, airy=False),
        _lay_out(items, headed=False, parted=True, airy=False),
        _lay_out(items, headed=False, parted=False, airy=False),
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
    return lines


class FormColumns(NamedTuple):
    """The first column of the values and of their meanings, and the width of the form."""

    value: int
    about: int
    whole: int


def measure_columns(items: Sequence[Item], columns: int) -> FormColumns:
    """Return the columns of a form of this width."""
    valued = any(item.value is not None for item in items)
    least = LABEL_LEAST if valued else ACTION_LEAST
    labels = max([least, *(get_cwidth(item.label) for item in items)])
    value = min(_MARK + labels, columns // 2) + _GAP
    return FormColumns(value, value + VALUE_COLUMNS + 2 * _GAP if valued else value, columns)


def is_cut(item: Item, columns: FormColumns) -> bool:
    """Return whether the `about` of an item does not fit into its row."""
    if item.value is None:
        begin = columns.value
    elif item.beside:
        return False
    else:
        begin = max(columns.about, columns.value + get_cwidth(item.value) + 2 * _GAP)
    return begin + get_cwidth(item.about) > columns.whole


def draw_about(view: ListView, columns: int, rows: int) -> list[Line]:
    """Return the `about` of the selected item, in at most `rows` rows, if it is cut."""
    item = view.selected
    if not is_cut(item, measure_columns(view.form, columns)):
        return []
    return [[("", " " * _MARK), *line] for line in wrap(item.about, columns - 2 * _MARK)][:rows]


def _lay_out(items: Sequence[Item], *, headed: bool, parted: bool, airy: bool) -> list[int | str]:
    """Return each line of a form: the index of an item, a heading, or an empty text."""
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
    """Return the line of an item; the selected one is marked over its whole width."""

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
    if item.value is None:
        label = crop([("", item.label, act)], columns.value - _MARK - 1, glyphs.ellipsis)
        line = [*pad([*head, *label], columns.value), ("class:dim", item.about, act)]
    else:
        less, more = (glyphs.left, glyphs.right) if selected and item.change else (" ", " ")
        label = crop([("", item.label, select)], columns.value - 2 * _MARK, glyphs.ellipsis)
        line = [
            *pad([*head, *label], columns.value - _MARK),
            ("class:key", f"{less} ", partial(change, -1)),
            ("class:strong", item.value, act),
            ("class:key", f" {more}", partial(change, 1)),
        ]
        line = [*pad(line, max(columns.about - _GAP, width(line))), ("", " " * _GAP)]
        beside = item.beside or (
            [] if is_cut(item, columns) else [("class:dim", item.about, select)]
        )
        line += beside if width(line) + width(beside) <= columns.whole else []
    line = crop(line, columns.whole, glyphs.ellipsis)
    if not selected:
        return line
    return [_select(part) for part in pad(line, columns.whole)]


def _select(part: Fragment) -> Fragment:
    """Return a fragment in the style of the selected item; tiles keep their colours."""
    style = part[0] if "peg." in part[0] or "ink." in part[0] else "class:selected class:strong"
    return (style, *part[1:])
