"""A page: a title, a form, and a table below it if there is one. Most screens are pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.forms import (
    Form,
    draw_about,
    draw_form,
    is_cut,
    measure_columns,
    measure_form,
)
from mastermind_client.screen.kit.keys import Key, Typing
from mastermind_client.screen.kit.lines import Extent, Line, draw_title, stack, wrap
from mastermind_client.screen.kit.tables import DataTable, draw_table
from mastermind_client.screen.screen import Screen, back_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.forms import Item
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.look import Look
    from mastermind_protocol.rules import Rules

STAGE_COLUMNS = 60  # of a page: the eye does not follow longer rows
MARGIN = 2  # columns on either side: nothing hugs a corner
MOST_ABOUT = 3  # rows for what the selected item does, where there is no room for it beside it
MOST_GAP = 2  # rows between the parts of a page
LEAST_TABLE = 5  # rows that are kept for a table, with its titles
ROOMY = 26  # rows of a stage from which on what is on a page is in its middle


@dataclass(slots=True)
class Sheet:
    """What is on a page: `note` beside the title; the form, with more above and below it.

    `above` and `below` are blocks to choose from, the largest first: what there is room for is
    shown, and what is below is left out first. `message` stands where a table has no rows; or
    comes first, if there is no table.
    """

    title: str
    form: Form
    note: str = ""
    above: Sequence[Sequence[Line]] = ()
    below: Sequence[Sequence[Line]] = ()
    heading: str = ""
    table: DataTable | None = None
    message: str = ""


def draw_sheet(sheet: Sheet, extent: Extent, look: Look) -> list[Line]:
    """Return a page."""
    columns, title = extent.columns, draw_title([sheet.title], sheet.note, extent.columns)
    message = wrap(sheet.message, columns) if sheet.message else []
    items = sheet.form.items
    about = _count_about(items, columns)
    listed = 1 + LEAST_TABLE if sheet.table is not None else 0
    room = extent.rows - 2 - listed
    parts: list[list[Line]] = []
    if sheet.table is None and message:
        parts.append(message)
        room -= len(message) + 1
    form_rows = measure_form(items) + about
    above, below = _choose(sheet, room - form_rows)
    room -= sum(len(part) + 1 for part in (above, below) if part)
    form = draw_form(sheet.form, Extent(columns, max(1, room - about)), look.glyphs)
    told = draw_about(sheet.form, columns, about) if sheet.form.focused else []
    form += [*told, *([] for _row in range(about - len(told)))]
    parts += [list(part) for part in (above, form, below) if part]
    body = stack(parts, extent.rows - 2 - listed, MOST_GAP)
    if sheet.table is not None:
        body += [[], [("class:heading", sheet.heading)]]
        left = Extent(columns, extent.rows - 2 - len(body))
        body += draw_table(sheet.table, left, look.glyphs) if sheet.table.rows else message
    elif extent.rows >= ROOMY:
        body = [*([] for _row in range((extent.rows - 2 - len(body)) // 3)), *body]
    return [title, [], *body]


def _choose(sheet: Sheet, room: int) -> tuple[Sequence[Line], Sequence[Line]]:
    """Return what is above and below the form, in so many rows with a blank one between each."""
    wishes = ((above, below) for above in (*sheet.above, ()) for below in (*sheet.below, ()))
    for wish in wishes:
        if sum(len(block) + 1 for block in wish if block) <= room:
            return wish
    return (), ()


def _count_about(items: Sequence[Item], columns: int) -> int:
    """Return how many rows are kept for what there is too little room for beside the items."""
    room = measure_columns(items, columns)
    cut = [wrap(item.about, columns - 4) for item in items if item.about and is_cut(item, room)]
    return min(MOST_ABOUT, max(map(len, cut), default=0))


class Page(Screen):
    """A screen that is a form and perhaps a table; `sheet` and `items` say what is on it."""

    widest = STAGE_COLUMNS
    margin = MARGIN
    chooses = N_("go")  # what Enter does, in a word for the hints

    def __init__(self, app: App, table: DataTable | None = None) -> None:
        super().__init__(app)
        self.stage = Extent(STAGE_COLUMNS, 0)  # as it was drawn on last
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
        self.rules, self.stage = self.explained, extent
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
        keys: list[Binding] = [
            Key(("enter",), N_("do it, choose it or type it"), self._press, short=self.chooses),
            Key(("up",), N_("one row up"), self._up),
            Key(
                ("down", "tab"), N_("one row down"), self._down,
                short=N_("choose"), hinted=("up", "down"),
            ),
            Key(("home",), N_("to the first row"), self._first),
            Key(("end",), N_("to the last row"), self._last),
            Key(("left",), N_("the value before"), partial(self._step, -1), when=self._changes),
            Key(
                ("right",), N_("the next value"), partial(self._step, 1),
                short=N_("change"), hinted=("left", "right"), when=self._changes,
            ),
            Key(
                ("f2",), N_("change the text of a value"), partial(self._edit, ""),
                short=N_("edit"), when=self.edits,
            ),
            Typing(
                N_("letters, digits"), N_("type a value anew"), self._edit, self._edit,
                when=self.edits,
            ),
        ]  # fmt: skip
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
        if self.table is not None and self.table.rows:
            self._focus_table(self.table)
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

    def edits(self) -> bool:
        """Tell whether what is selected has a value that can be typed."""
        return self._in is None and self.form.selected.edit is not None

    def _edit(self, typed: str) -> None:
        if (edit := self.form.selected.edit) is not None:
            edit(typed)
        self.app.redraw()

    def _changes(self) -> bool:
        return self._in is None and self.form.selected.change is not None

    def _step(self, by: int) -> None:
        self.form.change(by)
        self.app.redraw()
