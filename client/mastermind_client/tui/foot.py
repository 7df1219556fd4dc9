"""The last rows of every screen, which the face draws: what is said or asked, and what keys do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import pgettext
from mastermind_client.tui.keys import hint_keys
from mastermind_client.tui.lines import Extent, Line, text, width, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.tui.keys import Binding
    from mastermind_client.tui.lines import Click
    from mastermind_client.tui.look import Look


def draw_question(words: str) -> Line:
    """Return a question with the letters that answer it."""
    letters = "/".join(pgettext("answer", letter).upper() for letter in "yn")
    return text(f" {words} ({letters}) ", "class:banner")


def draw_hints(
    own: Sequence[Binding],
    everywhere: Sequence[Binding],
    columns: int,
    look: Look,
    press: Callable[[Click], Click],
) -> Line:
    """Return what the keys do; the mouse presses them too. Those of all screens are kept whole.

    `press` makes of a key's action what a click on its hint does.
    """
    kept = _draw_keys(everywhere, columns, look, press)
    line = _draw_keys(own, columns - width(kept) - 2, look, press)
    return [*line, ("", "  "), *kept] if line and kept else line or kept


def draw_too_small(window: Extent, needed: Extent) -> list[Line]:
    """Say how large the window is, and how large it has to be."""
    words = _(
        "This window is too small: it is {has_columns} x {has_rows}, "
        "and {columns} x {rows} are needed."
    )
    return wrap(
        words.format(
            has_columns=window.columns, has_rows=window.rows,
            columns=needed.columns, rows=needed.rows,
        ),
        window.columns,
        "class:strong",
    )  # fmt: skip


def _draw_keys(
    table: Sequence[Binding], columns: int, look: Look, press: Callable[[Click], Click]
) -> Line:
    """Return as many hints as there is room for."""
    line: Line = []
    ellipsis = f" {look.glyphs.ellipsis}"
    hints = hint_keys(table)
    for number, (label, does, act) in enumerate(hints, start=1):
        hint: Line = [("class:key", f"  {label}" if line else label), ("", f" {does}")]
        rest = width([("", ellipsis)]) if number < len(hints) else 0
        if width(line) + width(hint) + rest > columns:
            return [*line, ("", ellipsis)]
        line += hint if act is None else [(*part[:2], press(act)) for part in hint]
    return line
