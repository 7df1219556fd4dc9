"""A page: a screen with a title, a form and perhaps a list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.screen import back_key
from mastermind_client.screen.toolkit.keys import Key, Typing
from mastermind_client.screen.toolkit.lines import Extent, Line, draw_title, fit_parts, stack, wrap
from mastermind_client.screen.toolkit.list_drawing import (
    draw_about,
    draw_form,
    draw_table,
    is_about_cut,
    measure_columns,
    measure_form,
)
from mastermind_client.screen.toolkit.list_view import ListView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.columns import Column
    from mastermind_client.screen.app import App
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.rules import Rules

STAGE_COLUMNS = 60  # of a page: longer rows are hard to read
STAGE_MARGIN = 2  # columns on either side
MAX_ABOUT_ROWS = 3  # rows for the `about` of the selected item, if it is cut
MAX_PART_GAP = 2  # rows between the parts of a page
FOOT_GAP = 3  # rows between a list and the block below it
LEAST_TABLE_ROWS = 5  # rows of the smallest list, with the column titles
ROOMY_STAGE_ROWS = 26  # rows of a stage with blank rows above a form without a list


@dataclass(slots=True)
class Sheet:
    """A description of a page, which `draw_sheet` draws.

    It has a title with a `note` at its right, the form of the `view`, and a list.

    One block is above the form, and one is below the form. `above` and `below` are the versions of
    these blocks, the largest first. The largest version that fits is drawn, first of `above`, then
    of `below`. If no version fits, the block is omitted.

    A page without `columns` has no list. `heading` is above the list. The `message` replaces an
    empty list. On a page without a list, the message is above the form. The `pinned` row of the
    list is always visible. `foot` is a block below the list.
    """

    title: str
    view: ListView
    note: str = ""
    above: Sequence[Sequence[Line]] = ()
    below: Sequence[Sequence[Line]] = ()
    heading: str = ""
    columns: Sequence[Column[Any]] = ()
    message: str = ""
    pinned: Item | None = None
    foot: Sequence[Line] = ()


def draw_sheet(sheet: Sheet, extent: Extent, look: Look) -> list[Line]:
    """Return the lines of a page, at most `extent.rows`."""
    columns, title = extent.columns, draw_title([sheet.title], sheet.note, extent.columns)
    message = wrap(sheet.message, columns) if sheet.message else []
    view, items = sheet.view, sheet.view.form
    about = _count_about_rows(items, columns)
    listed = 1 + LEAST_TABLE_ROWS if sheet.columns else 0
    room = extent.rows - 2 - listed
    parts: list[list[Line]] = []
    if not sheet.columns and message:
        parts.append(message)
        room -= len(message) + 1
    form_rows = measure_form(items) + about
    above, below = fit_parts(room - form_rows, [(2, sheet.above), (1, sheet.below)], gap=1)
    room -= sum(len(part) + 1 for part in (above, below) if part)
    form = draw_form(view, Extent(columns, max(1, room - about)), look.glyphs)
    told = draw_about(view, columns, about)
    form += [*told, *([] for _row in range(about - len(told)))]
    parts += [list(part) for part in (above, form, below) if part]
    body = stack(parts, extent.rows - 2 - listed, MAX_PART_GAP)
    if sheet.columns:
        body += [[], [("class:heading", sheet.heading)]] if sheet.heading else []
        foot = [*([] for _row in range(FOOT_GAP)), *sheet.foot] if sheet.foot else []
        left = Extent(columns, extent.rows - 2 - len(body) - len(foot))
        table = draw_table(view, sheet.columns, left, look.glyphs, sheet.pinned)
        body += [*(table if view.rows else message), *foot]
    elif extent.rows >= ROOMY_STAGE_ROWS:
        body = [*([] for _row in range((extent.rows - 2 - len(body)) // 3)), *body]
    return [title, [], *body]


def _count_about_rows(items: Sequence[Item], columns: int) -> int:
    """Return the number of rows below the form for an explanation, at most MAX_ABOUT_ROWS.

    An explanation (`about`) is drawn there if it does not fit into its item's row. The longest of
    these explanations determines the number.
    """
    room = measure_columns(items, columns)
    cut = [
        wrap(item.about, columns - 4) for item in items if item.about and is_about_cut(item, room)
    ]
    return min(MAX_ABOUT_ROWS, max(map(len, cut), default=0))


class Page(AppScreen):
    """A screen with a form, and with a list if it has `columns`.

    `enter_hint` explains Enter, and `paging_hint` the keys that turn pages. Subclasses implement
    `sheet` and `items`.
    """

    max_columns = STAGE_COLUMNS
    margin = STAGE_MARGIN
    enter_hint = N_("go")  # the hint of Enter
    paging_hint = ""  # the hint of PageDown
    columns: Sequence[Column[Any]] = ()

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.stage = Extent(STAGE_COLUMNS, 0)  # of the last drawing
        self.view = ListView(self.items, self.on_last_row)
        self.keys = (*self._common_keys(), *self.own_keys(), self.escape_key())

    def items(self) -> Sequence[Item]:
        """Return the current items of the form."""
        raise NotImplementedError

    def sheet(self) -> Sheet:
        """Return the description of the page for the next drawing."""
        raise NotImplementedError

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that only this page has."""
        return ()

    def escape_key(self) -> Binding:
        """Return the key that closes the page."""
        return back_key(self)

    def on_last_row(self) -> None:
        """React to the selection of the list's last row."""

    @property
    def explained_rules(self) -> Rules | None:
        """The rules that the help of this page explains, or None."""
        return None

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the page."""
        self.rules, self.stage = self.explained_rules, extent
        return draw_sheet(self.sheet(), extent, self.app.look)

    def scroll(self, rows: int) -> None:
        """Move the selection by a number of rows."""
        self.view.scroll(rows)

    def _common_keys(self) -> tuple[Binding, ...]:
        view = self.view
        keys: list[Binding] = [
            Key(
                ("enter",), N_("do it, choose it or type it"), self._press_selected,
                short=self.enter_hint, when=self._has_rows,
            ),
            Key(("up",), N_("one row up"), partial(view.move, -1)),
            Key(
                ("down", "tab"), N_("one row down"), partial(view.move, 1),
                short=N_("choose"), hinted=("up", "down"), when=self._has_rows,
            ),
            Key(("home",), N_("to the first row"), view.select_first),
            Key(("end",), N_("to the last row"), view.select_last),
            Key(
                ("left",), N_("the value before"), partial(view.change, -1),
                when=self._can_change,
            ),
            Key(
                ("right",), N_("the next value"), partial(view.change, 1),
                short=N_("change"), hinted=("left", "right"), when=self._can_change,
            ),
            Key(
                ("f2",), N_("change the text of a value"), partial(view.edit, ""),
                when=self._can_edit,
            ),
            Typing(
                N_("letters, digits"), N_("type a value anew"), view.edit, view.edit,
                when=self._can_edit,
            ),
        ]  # fmt: skip
        if self.columns:
            keys += [
                Key(("pageup",), N_("a screenful up"), partial(view.move_by_page, -1)),
                Key(
                    ("pagedown",),
                    N_("a screenful down"),
                    partial(view.move_by_page, 1),
                    short=self.paging_hint,
                    when=self._has_rows,
                ),
            ]
        return tuple(keys)

    def _has_rows(self) -> bool:
        return bool(self.view.items)

    def _press_selected(self) -> None:
        if not self.view.press():
            self.app.notify(_("The selected row is no longer in the list."))

    def _can_edit(self) -> bool:
        """Return whether the user can type the value of the selected item."""
        return self.view.selected.edit is not None

    def _can_change(self) -> bool:
        return self.view.selected.change is not None
