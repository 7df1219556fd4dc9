"""A page: a title, a form, and a table below it if there is one. Most screens are pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.forms import Form, draw_about, draw_form, fits_inline
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, Line, draw_title, wrap
from mastermind_client.screen.kit.tables import DataTable, draw_table
from mastermind_client.screen.screen import Screen, back_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.forms import Item
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.look import Look
    from mastermind_protocol.rules import Rules

MOST_COLUMNS = 110  # a page is no wider: the eye does not follow longer rows
MOST_ABOUT = 3  # rows for what the selected item does
LEAST_TABLE = 5  # rows that are kept for a table, with its heading and its titles


@dataclass(slots=True)
class Sheet:
    """What is on a page: `note` beside the title, what is `above` the form, and `below` it.

    `message` stands where a table has no rows; or comes first, if there is no table.
    """

    title: str
    form: Form
    note: str = ""
    above: Sequence[Line] = ()
    below: Sequence[Line] = ()
    heading: str = ""
    table: DataTable | None = None
    message: str = ""


def draw_sheet(sheet: Sheet, extent: Extent, look: Look) -> list[Line]:
    """Return a page. What is above the form is left out where there is no room for it."""
    inner = min(extent.columns, MOST_COLUMNS)
    title = draw_title([sheet.title], sheet.note, extent.columns)
    head: list[Line] = [title, []]
    items = sheet.form.items
    inline = all(item.value is None for item in items) and fits_inline(items, inner)
    about = 0 if inline else min(MOST_ABOUT, max(_count_about(item, inner) for item in items))
    message: list[Line] = [
        [("", "  "), *line] for line in wrap(sheet.message, inner - 4) if sheet.message
    ]
    if sheet.table is None and message:
        head += [*message, []]
    tail = 1 + LEAST_TABLE if sheet.table is not None else 0
    room = extent.rows - len(head) - about - len(sheet.below) - tail
    rows = max(1, min(len(items), room))
    spare = room - rows
    body: list[Line] = [*sheet.above, []] if sheet.above and spare > len(sheet.above) else []
    body += draw_form(sheet.form, Extent(inner, rows), look.glyphs, inline=inline)
    if about:
        told = draw_about(sheet.form, inner, about) if sheet.form.focused else []
        gap: list[Line] = [[]] if spare > 0 else []
        body += [*gap, *told, *([] for _row in range(about - len(told)))]
    if sheet.below:
        body += [*([[]] if spare > 1 else []), *sheet.below]
    if sheet.table is not None:
        body += [[], [("class:heading", f"  {sheet.heading}")]]
        left = extent.rows - len(head) - len(body)
        rowed = bool(sheet.table.rows)
        body += draw_table(sheet.table, Extent(inner, left), look.glyphs) if rowed else message
    indent = " " * ((extent.columns - inner) // 2)
    return [*head, *([("", indent), *line] if indent and line else line for line in body)]


def _count_about(item: Item, columns: int) -> int:
    return len(wrap(item.about, columns - 4)) if item.about else 0


class Page(Screen):
    """A screen that is a form and perhaps a table; `sheet` and `items` say what is on it."""

    def __init__(self, app: App, table: DataTable | None = None) -> None:
        super().__init__(app)
        self.form = Form(self.items, self.focus_form)
        self.table = table
        self.keys = (*self._moving_keys(), *self.own_keys(), self.escape_key())

    def items(self) -> Sequence[Item]:
        """Return the items of the form as they are now."""
        raise NotImplementedError

    def sheet(self) -> Sheet:
        """Return what is on the page now."""
        raise NotImplementedError

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that this page has besides those of all pages."""
        return ()

    def escape_key(self) -> Binding:
        """Return what Esc does: it goes back."""
        return back_key(self)

    @property
    def explained(self) -> Rules | None:
        """The rules that the help of this page explains."""
        return None

    def draw(self, extent: Extent) -> list[Line]:
        """Return the page."""
        if self.table is not None and self.table.focused:
            if self.table.rows:
                self.form.focused = False
            else:  # what was listed is gone
                self.focus_form()
        self.rules = self.explained
        return draw_sheet(self.sheet(), extent, self.app.look)

    def scroll(self, rows: int) -> None:
        """Go through the table, or through the form."""
        if self.table is not None and self.table.rows:
            self._focus_table(self.table)
            self.table.move(rows)
        else:
            self.form.move(rows)

    def focus_form(self) -> None:
        """Let keys go to the form."""
        self.form.focused = True
        if self.table is not None:
            self.table.focused = False

    def _focus_table(self, table: DataTable) -> None:
        self.form.focused, table.focused = False, True

    @property
    def _in(self) -> DataTable | None:
        """The table, if keys go to it."""
        return self.table if self.table is not None and self.table.focused else None

    def _moving_keys(self) -> tuple[Binding, ...]:
        keys = [
            Key(("up",), N_("one row up"), self._up),
            Key(("down", "tab"), N_("one row down"), self._down),
            Key(("home",), N_("to the first row"), self._first),
            Key(("end",), N_("to the last row"), self._last),
            Key(("enter",), N_("do it, choose it or type it"), self._press, short=N_("choose")),
            Key(("left",), N_("the value before"), partial(self._step, -1), when=self._changes),
            Key(
                ("right",),
                N_("the next value"),
                partial(self._step, 1),
                short=N_("change"),
                when=self._changes,
            ),
        ]
        if self.table is not None:
            keys += [
                Key(("pageup",), N_("a screenful up"), partial(self._page, -1)),
                Key(("pagedown",), N_("a screenful down"), partial(self._page, 1)),
            ]
        return tuple(keys)

    def _up(self) -> None:
        if (table := self._in) is None:
            self.form.move(-1)
        elif not table.move(-1):
            self.focus_form()
            self.form.last()
        self._moved()

    def _down(self) -> None:
        if (table := self._in) is not None:
            table.move(1)
        elif not self.form.move(1):
            self._enter_table()
        self._moved()

    def _first(self) -> None:
        (self._in or self.form).first()
        self._moved()

    def _last(self) -> None:
        (self._in or self.form).last()
        self._moved()

    def _page(self, by: int) -> None:
        if (table := self._in) is not None:
            if not table.page(by) and by < 0:
                self.focus_form()
        elif by > 0:
            self._enter_table()
        self._moved()

    def _enter_table(self) -> None:
        if self.table is not None and self.table.rows:
            self._focus_table(self.table)
            self.table.first()

    def _moved(self) -> None:
        if self.table is not None:
            self.table.lost = False
        self.app.redraw()

    def _press(self) -> None:
        if self.table is not None and self.table.lost:  # Enter chooses no other row
            self.table.lost = False
            self.app.notify(_("What was selected has gone from the list."))
        else:
            (self._in or self.form).press()
        self.app.redraw()

    def _changes(self) -> bool:
        return self._in is None and self.form.selected.change is not None

    def _step(self, by: int) -> None:
        self.form.change(by)
        self.app.redraw()
