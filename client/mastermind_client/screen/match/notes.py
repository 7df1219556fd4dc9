"""The drawing of notes: the talk, which is chat and actions, and the history, which is all notes.

The history has the commitments and their checks in full. It can be scrolled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.scene.feed import NoteKind
from mastermind_client.screen.toolkit.lines import Extent, Line, crop, text, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.scene.feed import Note
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Extent

HANGING = 2  # columns of a hanging indent, and between a name and its words
_NO_BREAK = "\u00a0"  # a blank without a line break
_TALK = (NoteKind.CHAT, NoteKind.ACTION)


def draw_talk(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the last lines of the talk that fit into the extent."""
    lines: list[Line] = []
    for note in reversed(list_talk(scene)):
        if len(lines) >= extent.rows:
            break
        lines = [*_draw_note(note, extent.columns, look), *lines]
    return lines[-extent.rows :] if extent.rows > 0 else []


def draw_last_line(scene: Scene, columns: int, look: Look) -> Line:
    """Return the last note of the talk in one line, cropped to `columns`."""
    notes = list_talk(scene)
    if not notes:
        return []
    note = notes[-1]
    line = [*_begin(note), *text(note.words or note.text)]
    return crop(line, columns, look.glyphs.ellipsis)


def draw_phrases(phrases: Sequence[str], extent: Extent, look: Look) -> list[Line]:
    """Return the canned phrases, one per line, in the last rows of the extent."""
    columns, ellipsis = extent.columns - 1, look.glyphs.ellipsis
    shown = [crop(text(phrase.strip()), columns, ellipsis) for phrase in phrases[: extent.rows]]
    return [*([] for _ in range(extent.rows - len(shown))), *shown]


def list_talk(scene: Scene) -> list[Note]:
    """Return the visible notes of chat and actions."""
    return [note for note in scene.visible_notes if note.kind in _TALK]


def _begin(note: Note) -> Line:
    return [("class:strong", note.name), ("", " " * HANGING)] if note.name else []


def _draw_note(note: Note, columns: int, look: Look) -> list[Line]:
    """Return the lines of a note. Continued lines are indented."""
    begin, words = _begin(note), note.words or note.text
    if width(begin) > columns // 2:  # a long name has a line of its own
        name = crop(begin[:1], columns, look.glyphs.ellipsis)
        return [name, *([("", " " * HANGING), *line] for line in wrap(words, columns - HANGING))]
    filler = _NO_BREAK * max(0, width(begin) - HANGING)  # as wide as the name
    first, *rest = wrap(filler + words, columns - HANGING)
    ((style, words, *_click),) = first
    started: Line = [*begin, (style, words.removeprefix(filler))]
    return [started, *([("", " " * HANGING), *line] for line in rest)]


def name_history(*, muted: bool = False) -> str:
    """Return the heading of the history."""
    return _("What happened (others muted)") if muted else _("What happened")


def draw_history(notes: Sequence[Note], back: int, extent: Extent) -> list[Line]:
    """Return the last lines of the history, or the lines that end `back` lines earlier."""
    lines = _wrap_all(notes, extent.columns)
    last = len(lines) - min(back, count_back(notes, extent))
    return lines[max(0, last - extent.rows) : last]


def count_back(notes: Sequence[Note], extent: Extent) -> int:
    """Return the largest number of lines that the history can be scrolled back."""
    return max(0, len(_wrap_all(notes, extent.columns)) - extent.rows)


def _wrap_all(notes: Sequence[Note], columns: int) -> list[Line]:
    return [
        line
        for note in notes
        for line in wrap(note.text, columns, "class:strong" if note.kind is NoteKind.CHAT else "")
    ]
