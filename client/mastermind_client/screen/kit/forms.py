"""Forms: a list of things to do, to choose and to type in; the one that all screens use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    crop,
    join_items,
    pad,
    text,
    width,
    wrap,
)
from mastermind_client.screen.kit.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.kit.lines import Fragment, Glyphs

LONGEST_LINE = 200  # characters that are typed, where nothing else limits them
LABEL_LEAST = 12  # columns: a column of labels is no narrower beside values
ACTION_LEAST = 20  # columns: nor one of actions
VALUE_COLUMNS = 14  # for a value, beside which its meaning stands
_GAP = 2  # columns between what stands side by side
_BETWEEN = 3  # columns between what explains a line that is typed
_MARK = 2  # columns of the mark of the selected item


@dataclass(frozen=True, slots=True)
class LinePrompt:
    """A line that is to be typed, of at most `limit` characters, beginning with `text`.

    What is typed takes the place of the text, unless that was `begun` by typing already.
    `accept` is given it without blanks around it, and returns why it cannot be, or nothing;
    `decline` is done when it is given up. `explanation` is shown meanwhile.
    """

    label: str
    accept: Callable[[str], str | None]
    text: str = ""
    limit: int = LONGEST_LINE
    explanation: Sequence[str] = ()
    decline: Callable[[], None] = lambda: None
    begun: bool = False

    def explain(self, columns: int) -> list[Line]:
        """Return the explanation in few rows, where it lies over what is looked at."""
        return [text(line) for line in join_items(self.explanation, columns, " " * _BETWEEN)]

    def take(self, words: str) -> str | None:
        """Give the line that was typed; returns why it cannot be, or nothing."""
        line = "".join(letter if letter.isprintable() else " " for letter in words).strip()
        if len(line) <= self.limit:
            return self.accept(line)
        return ngettext(
            "That has {length} characters, and {limit} is the most.",
            "That has {length} characters, and {limit} are the most.",
            self.limit,
        ).format(length=len(line), limit=self.limit)


@dataclass(frozen=True, slots=True)
class Item:
    """One row of a form, made by `action`, `choice` or `field`.

    `name` is what it is known by while the form changes. `about` says what it does, or what its
    value means; what is `beside` it may be drawn in its place. Enter does `press`; Left and Right
    do `change` by -1 and +1; `edit` lets the value be typed, and is given what was typed already.
    A `key` stands before the label. Items with the same `heading` that follow one another are a
    group, which an empty heading is not written above.
    """

    name: str
    label: str
    about: str = ""
    value: str | None = None
    press: Callable[[], None] | None = None
    change: Callable[[int], None] | None = None
    edit: Callable[[str], None] | None = None
    beside: Sequence[Fragment] = ()
    key: str = ""
    heading: str | None = None


def action(
    name: str,
    label: str,
    act: Callable[[], None],
    about: str = "",
    *,
    key: str = "",
    heading: str | None = None,
) -> Item:
    """Return an item that does something; those with one `heading` are a group."""
    return Item(name, label, about, press=act, key=key, heading=heading)


def choice(
    name: str,
    label: str,
    words: Sequence[str],
    index: int,
    choose: Callable[[int], object],
    *,
    about: str = "",
    press: Callable[[], None] | None = None,
) -> Item:
    """Return an item whose value is one of several, shown as `words`; after the last, the first.

    `choose` is given the index of the one that is chosen. Enter goes on to the next one, unless
    there is something better to `press`.
    """

    def change(step: int) -> None:
        choose((index + step) % len(words))

    return Item(name, label, about, words[index], press or partial(change, 1), change)


def field(
    name: str,
    label: str,
    value: str,
    shown: str,
    edit: Callable[[LinePrompt], None],
    accept: Callable[[str], str | None],
    *,
    about: str = "",
) -> Item:
    """Return an item whose value is typed; `shown` is what stands there otherwise.

    `accept` takes what was typed, or returns why it cannot be.
    """

    def begin(typed: str) -> None:
        edit(LinePrompt(f"{label}:", accept, typed or value, begun=bool(typed)))

    return Item(name, label, about, shown, lambda: begin(""), edit=begin)


class Form:
    """A form: `build` returns its items as they are now, as often as it is asked.

    `focused` tells whether keys go to the form; `clicked` is called when an item is clicked on.
    """

    def __init__(
        self, build: Callable[[], Sequence[Item]], clicked: Callable[[], None] | None = None
    ) -> None:
        self._build, self._clicked = build, clicked
        self.focused = True
        self._name = ""
        self.selection = Selection()

    @property
    def items(self) -> Sequence[Item]:
        """The items as they are now; the one that was selected still is, if it is there."""
        items = self._build()
        names = [item.name for item in items]
        self.selection.resize(len(items))
        if self._name in names:
            self.selection.select(names.index(self._name))
        elif items:
            self._name = items[self.selection.index].name
        return items

    @property
    def selected(self) -> Item:
        """The item that is selected."""
        return self.items[self.selection.index]

    def select(self, name: str) -> None:
        """Select the item with this name, if there is one."""
        for index, item in enumerate(self.items):
            if item.name == name:
                self._take(index)

    def move(self, step: int) -> bool:
        """Select another item, so many rows down; tell whether there is one."""
        before = self.selection.index
        self._take(before + step)
        return self.selection.index != before

    def first(self) -> None:
        """Select the first item."""
        self._take(0)

    def last(self) -> None:
        """Select the last item."""
        self._take(len(self.items) - 1)

    def press(self) -> None:
        """Do what Enter does to the selected item."""
        if (act := self.selected.press) is not None:
            act()

    def change(self, step: int) -> None:
        """Do what Left (-1) and Right (+1) do to the selected item."""
        if (change := self.selected.change) is not None:
            change(step)

    def click(self, name: str) -> None:
        """Select the item with this name, and let keys go to the form."""
        self.focused = True
        if self._clicked is not None:
            self._clicked()
        self.select(name)

    def _take(self, index: int) -> None:
        items = self.items
        self.selection.select(index)
        self._name = items[self.selection.index].name


def measure_form(items: Sequence[Item]) -> int:
    """Return how many rows a form takes with its headings, and with blank lines between groups."""
    return len(_lay_out(items, headed=True, parted=True, airy=False))


def draw_form(form: Form, extent: Extent, glyphs: Glyphs, *, airy: bool = False) -> list[Line]:
    """Return the rows of a form; without the focus no item is shown as selected.

    Where there is too little room, headings are left out first, then blank lines, then items. An
    `airy` one has a blank line after every two items, if there is room.
    """
    items = form.items
    room = extent.rows
    plans = (
        _lay_out(items, headed=True, parted=True, airy=airy),
        _lay_out(items, headed=True, parted=True, airy=False),
        _lay_out(items, headed=False, parted=True, airy=False),
        _lay_out(items, headed=False, parted=False, airy=False),
    )
    plan = next((plan for plan in plans if len(plan) <= room), None)
    if plan is None:
        plan = list(form.selection.see(room))
    columns = measure_columns(items, extent.columns)
    lines: list[Line] = []
    for part in plan:
        if isinstance(part, int):
            selected = form.focused and part == form.selection.index
            lines.append(_draw_item(form, items[part], columns, glyphs, selected=selected))
        else:
            lines.append([("class:heading", part)] if part else [])
    return lines


class FormColumns(NamedTuple):
    """Where what stands beside labels begins: values, and what is said about them."""

    value: int
    about: int
    whole: int


def measure_columns(items: Sequence[Item], columns: int) -> FormColumns:
    """Return where each column of a form begins that is so wide as a whole."""
    valued = any(item.value is not None for item in items)
    least = LABEL_LEAST if valued else ACTION_LEAST
    labels = max([least, *(get_cwidth(item.label) for item in items)])
    value = min(_MARK + labels, columns // 2) + _GAP
    return FormColumns(value, value + VALUE_COLUMNS + 2 * _GAP if valued else value, columns)


def is_cut(item: Item, columns: FormColumns) -> bool:
    """Tell whether there is too little room for what is said about an item."""
    if item.value is None:
        begin = columns.value
    elif item.beside:
        return False
    else:
        begin = max(columns.about, columns.value + get_cwidth(item.value) + 2 * _GAP)
    return begin + get_cwidth(item.about) > columns.whole


def draw_about(form: Form, columns: int, rows: int) -> list[Line]:
    """Return what the selected item does or means, in at most so many rows, if it is cut."""
    item = form.selected
    if not is_cut(item, measure_columns(form.items, columns)):
        return []
    return [[("", " " * _MARK), *line] for line in wrap(item.about, columns - 2 * _MARK)][:rows]


def _lay_out(items: Sequence[Item], *, headed: bool, parted: bool, airy: bool) -> list[int | str]:
    """Return what each row of a form shows: the item of an index, or a heading, or nothing."""
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
    form: Form, item: Item, columns: FormColumns, glyphs: Glyphs, *, selected: bool
) -> Line:
    """Return one row; the selected one is marked over its whole width."""

    def select() -> None:
        form.click(item.name)

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
        form.change(step)

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
    """Return a fragment as one of the selected row; tiles keep their colours."""
    style = part[0] if "peg." in part[0] or "ink." in part[0] else "class:selected class:strong"
    return (style, *part[1:])
