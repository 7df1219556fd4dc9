"""What is said at a match, and what a person did: the newest is last, and nearest to the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import Extent, Line, crop, text, width, wrap
from mastermind_client.screen.scene.feed import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.feed import Note
    from mastermind_client.screen.scene.scene import Scene

HANGING = 2  # columns by which a line that goes on is indented; and between a name and its words
_NO_BREAK = "\u00a0"  # a blank at which no line is broken
_TALK = (Kind.CHAT, Kind.DEED)


def draw_talk(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the last of the talk, in at most so many rows."""
    lines: list[Line] = []
    for note in reversed(list_talk(scene)):
        if len(lines) >= extent.rows:
            break
        lines = [*_draw_note(note, extent.columns, look), *lines]
    return lines[-extent.rows :] if extent.rows > 0 else []


def draw_last_line(scene: Scene, columns: int, look: Look) -> Line:
    """Return the last line of the talk, cut to so many columns."""
    notes = list_talk(scene)
    if not notes:
        return []
    note = notes[-1]
    line = [*_begin(note), *text(note.words or note.text)]
    return crop(line, columns, look.glyphs.ellipsis)


def draw_phrases(phrases: Sequence[str], extent: Extent, look: Look) -> list[Line]:
    """Return what can be said by a digit, a line each, at the lower end of the extent."""
    columns, ellipsis = extent.columns - 1, look.glyphs.ellipsis
    shown = [crop(text(phrase.strip()), columns, ellipsis) for phrase in phrases[: extent.rows]]
    return [*([] for _ in range(extent.rows - len(shown))), *shown]


def list_talk(scene: Scene) -> list[Note]:
    """Return what belongs to the talk, of what has happened and may be seen."""
    return [note for note in scene.visible_notes if note.kind in _TALK]


def _begin(note: Note) -> Line:
    return [("class:strong", note.name), ("", " " * HANGING)] if note.name else []


def _draw_note(note: Note, columns: int, look: Look) -> list[Line]:
    """Return a note as lines, of which all but the first are indented."""
    begin, words = _begin(note), note.words or note.text
    if width(begin) > columns // 2:  # a long name has a line of its own
        name = crop(begin[:1], columns, look.glyphs.ellipsis)
        return [name, *([("", " " * HANGING), *line] for line in wrap(words, columns - HANGING))]
    filler = _NO_BREAK * max(0, width(begin) - HANGING)  # where the name stands
    first, *rest = wrap(filler + words, columns - HANGING)
    ((style, told, *_click),) = first
    started: Line = [*begin, (style, told.removeprefix(filler))]
    return [started, *([("", " " * HANGING), *line] for line in rest)]
