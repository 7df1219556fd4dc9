"""All that has happened in a match, with the seals and their checks in full, to be scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Line, wrap
from mastermind_client.screen.scene.feed import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.lines import Extent
    from mastermind_client.screen.scene.feed import Note


def name_journal(*, muted: bool = False) -> str:
    """Return the heading of all that has happened."""
    return _("What happened (others muted)") if muted else _("What happened")


def draw_journal(notes: Sequence[Note], back: int, extent: Extent) -> list[Line]:
    """Return the last of what has happened, or what is so many lines back, in so many rows."""
    lines = _wrap_all(notes, extent.columns)
    last = len(lines) - min(back, count_back(notes, extent))
    return lines[max(0, last - extent.rows) : last]


def count_back(notes: Sequence[Note], extent: Extent) -> int:
    """Return by how many lines what has happened can be scrolled back in this extent."""
    return max(0, len(_wrap_all(notes, extent.columns)) - extent.rows)


def _wrap_all(notes: Sequence[Note], columns: int) -> list[Line]:
    return [
        line
        for note in notes
        for line in wrap(note.text, columns, "class:strong" if note.kind is Kind.CHAT else "")
    ]
