"""The last rows of every screen, which the app draws: what is said or asked, and what keys do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.keys import hint_keys
from mastermind_client.screen.kit.lines import Extent, Line, crop, make_clickable, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.lines import Glyphs

MAX_NOTICE_ROWS = 6  # rows for what is told: the longest reason there is, in the smallest window


def draw_notice(words: str, style: str, columns: int, glyphs: Glyphs) -> list[Line]:
    """Return what is told as one row, or as many as it takes; one row for nothing, too."""
    rows = wrap(words, columns, style)
    if len(rows) > MAX_NOTICE_ROWS:
        last = [*rows[MAX_NOTICE_ROWS - 1], (style, " "), *rows[MAX_NOTICE_ROWS]]
        rows[MAX_NOTICE_ROWS - 1 :] = [crop(last, columns, glyphs.ellipsis)]
    return rows


def draw_hints(
    own: Sequence[Binding],
    everywhere: Sequence[Binding],
    columns: int,
    glyphs: Glyphs,
) -> Line:
    """Return what the keys do; the mouse presses them too. Those of all screens are kept whole."""
    kept = _draw_keys(everywhere, columns, glyphs)
    line = _draw_keys(own, columns - width(kept) - 2, glyphs)
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


def _draw_keys(table: Sequence[Binding], columns: int, glyphs: Glyphs) -> Line:
    """Return as many hints as there is room for."""
    line: Line = []
    ellipsis = f" {glyphs.ellipsis}"
    hints = hint_keys(table)
    for number, (label, does, act) in enumerate(hints, start=1):
        hint: Line = [("class:key", f"  {label}" if line else label), ("", f" {does}")]
        rest = width([("", ellipsis)]) if number < len(hints) else 0
        if width(line) + width(hint) + rest > columns:
            return [*line, ("", ellipsis)]
        line += hint if act is None else make_clickable(hint, act)
    return line
