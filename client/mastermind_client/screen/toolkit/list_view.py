"""The items of a page with one selection: first the items of a form, then the rows of a list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mastermind_client.screen.toolkit.overlays import LinePrompt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.toolkit.lines import Fragment


@dataclass(frozen=True, slots=True)
class Item:
    """One item, made by `action`, `choice`, `field` or `row`.

    `name` identifies the item while the list changes. `about` explains the item or its value. If
    `beside` is not empty, its fragments are drawn instead of `about`. Enter calls `press`. Left and
    Right call `change` with -1 and +1. `edit` opens a prompt for the value, and receives the text
    typed so far. `key` is drawn in front of the label. Neighbours with the same `heading` are a
    group, and an empty heading is not drawn. A row has `cells`. A `live` item is listed by a
    server, and can disappear at any time.
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
    cells: tuple[str, ...] = ()
    live: bool = False

    def is_same(self, other: Item) -> bool:
        """Return whether the items have the same name, and both or neither are rows of the list."""
        return self.name == other.name and bool(self.cells) is bool(other.cells)


_T = TypeVar("_T")

NO_ITEM = Item("", "")


def action(
    name: str,
    label: str,
    act: Callable[[], None],
    about: str = "",
    *,
    key: str = "",
    heading: str | None = None,
    live: bool = False,
) -> Item:
    """Return an item that calls `act`. Neighbours with the same `heading` are a group."""
    return Item(name, label, about, press=act, key=key, heading=heading, live=live)


def choice(
    name: str,
    label: str,
    value: _T,
    options: Sequence[tuple[_T, str, str]],
    take: Callable[[_T], object],
) -> Item:
    """Return an item that chooses one of several values. After the last value comes the first.

    An option is a value, the word displayed for it, and an explanation. `take` receives the chosen
    value. Enter chooses the next value.
    """
    values, words, abouts = zip(*options, strict=True)
    index = values.index(value)

    def change(step: int) -> None:
        take(values[(index + step) % len(values)])

    return Item(name, label, abouts[index], words[index], partial(change, 1), change)


def bind_choice(
    form: object, attribute: str, label: str, options: Sequence[tuple[object, str, str]]
) -> Item:
    """Return a choice that sets an attribute of the form. The item has the attribute's name."""
    value, take = getattr(form, attribute), partial(setattr, form, attribute)
    return choice(attribute, label, value, options, take)


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
    """Return an item whose value is typed, and displayed as `shown`.

    `edit` opens the prompt. `accept` receives the typed text, and returns None or the reason why
    the text is invalid.
    """
    begin = _make_prompt_opener(label, value, edit, accept)
    return Item(name, label, about, shown, partial(begin, ""), edit=begin)


def add_typing(
    item: Item,
    value: str,
    edit: Callable[[LinePrompt], None],
    accept: Callable[[str], str | None],
) -> Item:
    """Return the item with a value that can also be typed, as in a `field`."""
    return replace(item, edit=_make_prompt_opener(item.label, value, edit, accept))


def _make_prompt_opener(
    label: str,
    value: str,
    edit: Callable[[LinePrompt], None],
    accept: Callable[[str], str | None],
) -> Callable[[str], None]:
    def begin(typed: str) -> None:
        edit(LinePrompt(f"{label}:", accept, typed or value, begun=bool(typed)))

    return begin


def row(name: str, cells: tuple[str, ...], act: Callable[[], None]) -> Item:
    """Return a row of a list. `cells` has the text for each column."""
    return Item(name, "", press=act, cells=cells, live=True)


class Visible(NamedTuple):
    """The items of a form or a list. `visible` are the indices of the visible items.

    `selected` is the index of the selected item, or None.
    """

    items: Sequence[Item]
    visible: range
    selected: int | None


class ListView:
    """The items of a form, followed by the `rows` of a list, with one selection.

    `build` returns the current items of the form. `on_last_row` is called when the last row is
    selected. If the selected item is `live` and disappears, `is_lost` is True. Then no item is
    selected until a key or a click selects one, so that Enter does not press another item.
    """

    def __init__(
        self,
        build: Callable[[], Sequence[Item]],
        on_last_row: Callable[[], None] = lambda: None,
    ) -> None:
        self._build, self._on_last_row = build, on_last_row
        self.rows: Sequence[Item] = ()
        self.is_lost = False
        self._index = 0
        self._last_selected = NO_ITEM  # the item that was selected
        self._tops = {False: 0, True: 0}  # first visible item of the form, and of the rows
        self._page_rows = 1  # visible rows

    @property
    def items(self) -> list[Item]:
        """All current items. The selected item stays selected while it exists."""
        items = [*self._build(), *self.rows]
        if not (self._index < len(items) and items[self._index].is_same(self._last_selected)):
            same = [index for index, item in enumerate(items) if item.is_same(self._last_selected)]
            self.is_lost = self.is_lost or (self._last_selected.live and not same)
            self._index = same[0] if same else max(0, min(self._index, len(items) - 1))
            self._last_selected = items[self._index] if items else NO_ITEM
        return items

    @property
    def form(self) -> Sequence[Item]:
        """The current items of the form."""
        return self._build()

    @property
    def selected(self) -> Item:
        """The selected item, or NO_ITEM."""
        items = self.items
        return items[self._index] if items and not self.is_lost else NO_ITEM

    def select(self, name: str, *, listed: bool = False) -> None:
        """Select the item with this name, in the form or, if `listed`, among the rows."""
        for index, item in enumerate(self.items):
            if item.name == name and bool(item.cells) is listed:
                self._select_index(index)

    def move(self, step: int) -> None:
        """Move the selection down by `step` items, or up if it is negative."""
        _begin, _end = self._bounds  # selects a neighbour of a vanished item
        self._select_index(self._index + step)

    def move_by_page(self, direction: int) -> None:
        """Move the selection by a page of rows, down for 1 and up for -1.

        From the first row it moves up to the form, and from the form down to the first row.
        """
        begin, end = self._bounds
        step = direction * max(1, self._page_rows - 1)
        if self._index >= begin:
            above = self._index == begin and direction < 0
            self._select_index(begin - 1 if above else max(begin, min(self._index + step, end)))
        elif direction > 0 and self.rows:
            self._select_index(begin)

    def scroll(self, step: int) -> None:
        """Move the selection by `step` rows.

        A selection in the form moves as if it were at the first row, and a selection in the list
        stays in the list. Without rows, the selection moves in the form.
        """
        begin, end = self._bounds
        least = begin if self.rows else 0
        self._select_index(max(least, min(max(least, self._index) + step, end)))

    def select_first(self) -> None:
        """Select the first row, or the first item if the selection is in the form."""
        begin, _end = self._bounds
        self._select_index(begin if self._index >= begin else 0)

    def select_last(self) -> None:
        """Select the last item."""
        self._select_index(self._bounds[1])

    def replace_lost_selection(self) -> bool:
        """If the selected item has disappeared, select a neighbour and return True."""
        lost = self.selected is NO_ITEM and self.is_lost
        self.is_lost = False
        return lost

    def press(self) -> bool:
        """Press the selected item. If it has disappeared, select a neighbour and return False."""
        if self.replace_lost_selection():
            return False
        if (press := self.selected.press) is not None:
            press()
        return True

    def change(self, step: int) -> None:
        """Choose the previous (-1) or the next (+1) value of the selected item."""
        if (change := self.selected.change) is not None:
            change(step)

    def edit(self, typed: str) -> None:
        """Open the prompt for the value of the selected item, with the text typed so far."""
        if (edit := self.selected.edit) is not None:
            edit(typed)

    def click(self, item: Item) -> None:
        """Select a row. If it is selected already, press it."""
        if self.selected.is_same(item):
            self.press()
        else:
            self.select(item.name, listed=True)

    def find_visible(self, rows: int, *, listed: bool) -> Visible:
        """Return the items of the form, or if `listed` the rows, and which of them are visible.

        At most `rows` items are visible. The selected item always is.
        """
        items = self.items
        begin = len(items) - len(self.rows)
        part, at = (self.rows, self._index - begin) if listed else (items[:begin], self._index)
        rows, top = max(1, rows), self._tops[listed]
        here = 0 <= at < len(part)
        if here:
            top = min(max(top, at - rows + 1), at)
        top = self._tops[listed] = max(0, min(top, len(part) - rows))
        if listed:
            self._page_rows = rows
        seen = range(top, min(len(part), top + rows))
        return Visible(part, seen, at if here and not self.is_lost else None)

    @property
    def _bounds(self) -> tuple[int, int]:
        """The indices of the first row of the list and of the last item."""
        last = len(self.items) - 1
        return last + 1 - len(self.rows), last

    def _select_index(self, index: int) -> None:
        items = self.items
        self.is_lost = False
        self._index = max(0, min(index, len(items) - 1))
        self._last_selected = items[self._index] if items else NO_ITEM
        if self.rows and self._index == len(items) - 1:
            self._on_last_row()
