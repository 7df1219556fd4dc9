"""The keys of the helper."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.screen.row_keys import make_row_keys
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.toolkit.keys import Key, Typing

if TYPE_CHECKING:
    from mastermind_client.screen.pages.solving.actions import SolveActions
    from mastermind_client.screen.toolkit.keys import Binding


def make_solve_keys(page: SolveActions) -> tuple[Binding, ...]:
    """Return the keys of the helper, but not its key to leave."""
    new_game = Key(
        ("f6",), N_("a new game"), page.clear, short=N_("new game"), when=page.has_ended,
    )  # fmt: skip
    rules = Key(
        ("f4",), N_("other rules, or a bot that breaks your code"), page.open_form,
        short=N_("rules"), when=lambda: page.is_filling() and not page.draft.turns,
    )  # fmt: skip
    return (
        *_make_entry_keys(page),
        new_game,
        rules,
        *_make_advice_keys(page),
        *_make_line_keys(page),
        Key(
            ("f2",), N_("the next measure of guesses"), page.change_measure,
            short=N_("measure"), when=lambda: page.has_advice() and not page.is_stopped(),
        ),
        Key(
            ("f2",), N_("continue the stopped search"), page.analyse_anew,
            short=N_("search"), when=page.is_stopped,
        ),
        replace(new_game, when=lambda: page.has_turns() and not page.has_ended()),
        replace(rules, when=page.has_turns),
        Key(
            ("f7",), N_("load guesses from a file; they can also be pasted"), page.load,
            when=lambda: page.is_filling() and page.app.context.local,
        ),
        *_make_closing_keys(page),
    )  # fmt: skip


def _make_entry_keys(page: SolveActions) -> tuple[Binding, ...]:
    """Return the keys that fill the row and its answer."""
    filling = page.is_filling
    enter = Key(
        ("enter",), N_("the guess is complete: type its answer"), page.enter, short=N_("next")
    )
    return (
        Key(
            ("enter",), N_("change the marked answer"), page.take_correction,
            short=N_("take it"), when=page.can_correct,
        ),
        replace(enter, short="", when=lambda: page.can_enter() and not page.draft.has_pegs),
        replace(enter, when=lambda: page.can_enter() and page.draft.has_pegs),
        Typing(
            N_("letters, digits"), N_("put this colour at the cursor, then the answer"),
            page.type, page.paste, filling,
        ),
        *make_row_keys(page.edit, filling),
        Key(
            ("backspace",), N_("remove the first digit of the answer"), page.remove_digit,
            when=lambda: filling() and bool(page.draft.digits), first=True,
        ),
        Key(
            ("delete", "c-u"), N_("clear the row"), partial(page.edit, Entry.clear), when=filling,
        ),
    )  # fmt: skip


def _make_advice_keys(page: SolveActions) -> tuple[Binding, ...]:
    """Return the keys of the best guesses, the corrections and the codes."""
    return (
        Key(
            ("f3",), N_("put the best guess into the row; again, the next one"),
            page.take_advice, short=N_("take it"), when=page.has_advice,
        ),
        Key(
            ("tab",), N_("the next of the possible corrections"), page.next_correction,
            short=N_("next change"), when=page.has_corrections,
        ),
        Key(
            ("tab",), N_("show or hide the codes that are left"), page.toggle_codes,
            short=N_("codes"), when=page.has_codes,
        ),
        Key(
            ("pagedown",), N_("the next codes"), partial(page.turn_page, 1), short=N_("more"),
            when=page.has_more_codes,
        ),
        Key(
            ("pageup",), N_("the codes before"), partial(page.turn_page, -1),
            when=page.shows_codes,
        ),
    )  # fmt: skip


def _make_line_keys(page: SolveActions) -> tuple[Binding, ...]:
    """Return the keys of whole lines."""
    filling = page.is_filling
    return (
        Key(
            ("i",), N_("insert a guess before this one"),
            lambda: page.change(page.draft.insert()), short=N_("insert"),
            when=lambda: page.is_editing() and not page.draft.locked,
        ),
        Key(
            ("d",), N_("delete this guess"), lambda: page.change(page.draft.delete()),
            short=N_("delete"), when=page.is_editing,
        ),
        Key(
            ("u",), N_("take back the last change"), lambda: page.change(page.draft.undo()),
            short=N_("undo"), when=lambda: filling() and bool(page.draft.earlier),
        ),
        Key(
            ("e",), N_("edit the guess before; with Up and Down, any guess"),
            partial(page.go_by, -1), short=N_("edit"), when=page.has_turns,
        ),
        Key(("up",), N_("one guess back"), partial(page.go_by, -1), when=filling),
        Key(("down",), N_("one guess on"), partial(page.go_by, 1), when=filling),
        Key(
            ("s",), N_("save the guesses as text, or copy them"), page.save,
            short=N_("save"), when=page.has_turns,
        ),
    )  # fmt: skip


def _make_closing_keys(page: SolveActions) -> tuple[Binding, ...]:
    """Return the keys that end something before Esc leaves the page."""
    return (
        Key(
            ("escape",), N_("close what is open"), page.toggle_codes, short=N_("close"),
            when=page.shows_codes,
        ),
        Key(("escape",), N_("stop the search"), page.stop, short=N_("stop"), when=page.can_stop),
        Key(
            ("escape",), N_("back to the next guess"), page.go_to_end, short=N_("done"),
            when=lambda: page.is_editing() and not page.can_stop(),
        ),
    )  # fmt: skip
