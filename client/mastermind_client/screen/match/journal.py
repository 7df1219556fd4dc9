"""All that has happened in a match, with the seals and their checks in full, to be scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Line, wrap
from mastermind_client.screen.match.feed import Kind

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Extent
    from mastermind_client.screen.match.scene import Scene


def name_journal(scene: Scene) -> str:
    """Return the heading of all that has happened."""
    return _("What happened (others muted)") if scene.muted else _("What happened")


def draw_journal(scene: Scene, extent: Extent) -> list[Line]:
    """Return the last of what has happened, or what is scrolled back to, in so many rows."""
    lines = _wrap_all(scene, extent.columns)
    back = min(scene.back or 0, max(0, len(lines) - extent.rows))
    last = len(lines) - back
    return lines[max(0, last - extent.rows) : last]


def count_back(scene: Scene, extent: Extent) -> int:
    """Return by how many lines what has happened can be scrolled back in this extent."""
    return max(0, len(_wrap_all(scene, extent.columns)) - extent.rows)


def _wrap_all(scene: Scene, columns: int) -> list[Line]:
    return [
        line
        for note in scene.visible_notes
        for line in wrap(note.text, columns, "class:strong" if note.kind is Kind.CHAT else "")
    ]
