"""Forms: a list of things to do, to choose and to type in; the one that all screens use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import Extent, Line, crop, pad, wrap
from mastermind_client.screen.kit.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.kit.lines import Glyphs

LONGEST_LINE = 200  # characters that are typed, where nothing else limits them
LABEL_LEAST = 10  # columns: a column of labels is no narrower
_GAP = 2  # columns between a label and what stands beside it


@dataclass(frozen=True, slots=True)
class LinePrompt:
    """A line that is to be typed, of at most `limit` characters, beginning with `text`.

    `accept` is given it without blanks around it, and returns why it cannot be, or nothing;
    `decline` is done when it is given up. `explanation` is shown meanwhile.
    """

    label: str
    accept: Callable[[str], str | None]
    text: str = ""
    limit: int = LONGEST_LINE
    explanation: Sequence[str] = ()
    decline: Callable[[], None] = lambda: None

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
    value means. Enter does `press`; Left and Right do `change` by -1 and +1.
    """

    name: str
    label: str
    about: str = ""
    value: str | None = None
    press: Callable[[], None] | None = None
    change: Callable[[int], None] | None = None


def action(name: str, label: str, act: Callable[[], None], about: str = "") -> Item:
    """Return an item that does something."""
    return Item(name, label, about, press=act)


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
    asked = LinePrompt(f"{label}:", accept, value)
    return Item(name, label, about, shown, lambda: edit(asked))


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


def draw_form(form: Form, extent: Extent, glyphs: Glyphs, *, inline: bool = True) -> list[Line]:
    """Return the rows of a form; without the focus no item is shown as selected.

    What an action does stands `inline`; otherwise `draw_about` tells it of the selected one.
    """
    items = form.items
    seen = form.selection.see(extent.rows)
    labels = max([LABEL_LEAST, *(get_cwidth(item.label) for item in items)])
    left = min(labels, extent.columns // 2)
    lines = []
    for index in seen:
        selected = form.focused and index == form.selection.index
        line = _draw_item(form, items[index], left, glyphs, selected=selected, inline=inline)
        lines.append(crop(line, extent.columns, glyphs.ellipsis))
    return lines


def fits_inline(items: Sequence[Item], columns: int) -> bool:
    """Tell whether what each action does can be said beside it, in so many columns."""
    labels = max([LABEL_LEAST, *(get_cwidth(item.label) for item in items)])
    room = columns - labels - 2 * _GAP
    return all(get_cwidth(item.about) <= room for item in items if item.value is None)


def draw_about(form: Form, columns: int, rows: int) -> list[Line]:
    """Return what the selected item does or means, in at most so many rows."""
    return [[("class:dim", "  "), *line] for line in wrap(form.selected.about, columns - 4)][:rows]


def _draw_item(
    form: Form, item: Item, left: int, glyphs: Glyphs, *, selected: bool, inline: bool
) -> Line:
    def press() -> None:
        form.click(item.name)
        form.press()

    def change(step: int) -> None:
        form.click(item.name)
        form.change(step)

    style = "class:selected" if selected else ""
    mark: Line = [("class:key", glyphs.selected if selected else " "), ("", " ")]
    label = crop([(style, item.label, press)], left, glyphs.ellipsis)
    line: Line = [*mark, *pad(label, left, style)]
    if item.value is None:
        return [*line, ("", " " * _GAP), ("class:dim", item.about, press)] if inline else line
    less, more = (glyphs.left, glyphs.right) if selected and item.change else (" ", " ")
    value: Line = [("class:strong" if selected else "", item.value, press)]
    return [
        *line,
        ("", " " * _GAP),
        ("class:key", f"{less} ", partial(change, -1)),
        *value,
        ("class:key", f" {more}", partial(change, 1)),
    ]
