"""The texts beside the board: the talk, the history, the number of candidates, and advice.

The talk is chat and actions. The history has all notes, with complete commitments and their checks,
and can be scrolled. A candidate is a code that agrees with all answers. The codebreaker does not
see the number of candidates, which would be advice.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import format_count, format_mean_count
from mastermind_client.messages.failures import write_sentence
from mastermind_client.screen.match.rows import draw_small_code
from mastermind_client.screen.scene.feed import NoteKind
from mastermind_client.screen.toolkit.lines import Extent, Line, crop, text, width, wrap
from mastermind_protocol.events import Seat
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.scene.feed import Note
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import Advice, GuessMeasures
    from mastermind_protocol.rules import Rules

HANGING_INDENT = 2  # columns of a hanging indent, and between a name and its words
_NO_BREAK_SPACE = "\u00a0"  # a blank without a line break
_TALK_KINDS = (NoteKind.CHAT, NoteKind.ACTION)


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
    line = [*_draw_author(note), *text(note.words or note.text)]
    return crop(line, columns, look.glyphs.ellipsis)


def draw_last_chat(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return the last line of chat in at most LAST_CHAT_ROWS, or no lines without chat."""
    chat = [note for note in scene.visible_notes if note.kind is NoteKind.CHAT]
    return _draw_note(chat[-1], columns, look)[:LAST_CHAT_ROWS] if chat else []


def draw_phrases(phrases: Sequence[str], extent: Extent, look: Look) -> list[Line]:
    """Return the numbered canned phrases, one per line, in the last rows of the extent."""
    columns, ellipsis = extent.columns - 1, look.glyphs.ellipsis
    shown = [crop(text(phrase.strip()), columns, ellipsis) for phrase in phrases[: extent.rows]]
    return [*([] for _ in range(extent.rows - len(shown))), *shown]


def list_talk(scene: Scene) -> list[Note]:
    """Return the visible notes that are chat or actions."""
    return [note for note in scene.visible_notes if note.kind in _TALK_KINDS]


def _draw_author(note: Note) -> Line:
    return [("class:strong", note.name), ("", " " * HANGING_INDENT)] if note.name else []


def _draw_note(note: Note, columns: int, look: Look) -> list[Line]:
    """Return the lines of a note. All lines but the first are indented."""
    begin, words = _draw_author(note), note.words or note.text
    if width(begin) > columns // 2:  # a long name has a line of its own
        name = crop(begin[:1], columns, look.glyphs.ellipsis)
        return [
            name,
            *(
                [("", " " * HANGING_INDENT), *line]
                for line in wrap(words, columns - HANGING_INDENT)
            ),
        ]
    filler = _NO_BREAK_SPACE * max(0, width(begin) - HANGING_INDENT)  # as wide as the name
    first, *rest = wrap(filler + words, columns - HANGING_INDENT)
    ((style, words, *_click),) = first
    started: Line = [*begin, (style, words.removeprefix(filler))]
    return [started, *([("", " " * HANGING_INDENT), *line] for line in rest)]


def name_history(*, muted: bool = False) -> str:
    """Return the heading of the history. If `muted`, it mentions that chat is muted."""
    return _("What happened (others muted)") if muted else _("What happened")


def draw_history(notes: Sequence[Note], back: int, extent: Extent) -> list[Line]:
    """Return the last lines of the history that fit, or the lines that end `back` lines earlier."""
    lines = _wrap_notes(notes, extent.columns)
    last = len(lines) - min(back, count_scrollable_lines(notes, extent))
    return lines[max(0, last - extent.rows) : last]


def count_scrollable_lines(notes: Sequence[Note], extent: Extent) -> int:
    """Return the number of lines above the last page of the history."""
    return max(0, len(_wrap_notes(notes, extent.columns)) - extent.rows)


def _wrap_notes(notes: Sequence[Note], columns: int) -> list[Line]:
    return [
        line
        for note in notes
        for line in wrap(note.text, columns, "class:strong" if note.kind is NoteKind.CHAT else "")
    ]


MAX_COUNTED_CODES = 5040  # in larger games than bulls counting would delay a redraw
CACHED_COUNTS = 32  # cached counts, for steps through the guesses of a round


def draw_candidates(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return lines with the number of candidates and a bar, or no lines for the codebreaker."""
    rules = scene.match.rules
    allowed = scene.seat is not Seat.BREAKER and scene.match.allows_aids
    hidden = scene.round is not None and scene.match.phase is not Phase.SETTING
    if not allowed or not hidden or rules.codes > MAX_COUNTED_CODES:
        return []
    left = count_candidates(rules, tuple(scene.turns))
    if left == rules.codes:
        words = _("all {all} codes fit")
    else:
        words = ngettext("{number} of {all} codes fits", "{number} of {all} codes fit", left)
    done = round(columns * math.log(left) / math.log(rules.codes)) if left > 1 else 0
    bar: Line = [
        ("", look.glyphs.bar_done * done),
        ("class:dim", look.glyphs.bar_left * (columns - done)),
    ]
    counts = {"number": format_count(left), "all": format_count(rules.codes)}
    line = text(words.format(**counts), "class:strong")
    return [crop(line, columns, look.glyphs.ellipsis), bar]


@lru_cache(maxsize=CACHED_COUNTS)
def count_candidates(rules: Rules, turns: tuple[Turn, ...]) -> int:
    """Return the number of codes that agree with the feedback of these guesses."""
    fitting = list(rules.space.iterate_codes())
    for turn in turns:
        fitting = [secret for secret in fitting if score(secret, turn.code) == turn.feedback]
    return len(fitting)


LAST_CHAT_ROWS = 3  # beside advice, which needs the other rows
ADVISED_GUESSES = 3  # displayed guesses of the advice


def draw_advice(advice: Advice, scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the lines of the advice for the side column."""
    lines = [
        [("", " "), *line]
        for heading in (_describe_candidates(advice), _("Best next guesses:"))
        for line in wrap(heading, extent.columns - 1, "class:strong")
    ]
    for guess in advice.guesses[:ADVISED_GUESSES]:
        lines.append([])
        entered = guess.code == scene.entry.code
        left = _write_codes_left(guess, advice)
        lines += draw_guess_measures(
            guess, left, scene.match.rules, extent.columns, look, marked=entered
        )
    return [crop(line, extent.columns, look.glyphs.ellipsis) for line in lines]


def draw_advice_line(advice: Advice, scene: Scene, columns: int, look: Look) -> Line:
    """Return one line of the advice, about the entered guess or, without it, the best guess.

    Before the guess is the number of candidates, if there is room.
    """
    guesses = advice.guesses
    found = next((guess for guess in guesses if guess.code == scene.entry.code), None)
    line = text(_describe_candidates(advice), "class:strong")
    if guess := found or next(iter(guesses), None):
        best = [
            *draw_small_code(guess.code, scene.match.rules, look),
            ("", f" {_write_codes_left(guess, advice)}"),
        ]
        whole: Line = [*line, ("", "  "), *best]
        line = whole if width(whole) <= columns else best
    return crop(line, columns, look.glyphs.ellipsis)


def _describe_candidates(advice: Advice) -> str:
    left = advice.left
    template = ngettext("{number} code fits.", "{number} codes fit.", left)
    count = format_count(left, estimated=advice.estimated)  # "about 41,000" can begin the sentence
    return write_sentence(template.format(number=count))


def _write_codes_left(guess: GuessMeasures, advice: Advice) -> str:
    size = format_mean_count(guess.size, estimated=advice.estimated)
    return _("{number} left").format(number=size)


def draw_guess_measures(
    guess: GuessMeasures, measure: str, rules: Rules, columns: int, look: Look, *, marked: bool
) -> list[Line]:
    """Return a guess, its `measure` as a text, and whether it is a candidate, in up to three lines.

    The guess that the user has entered is `marked`.
    """
    mark = look.glyphs.selected if marked else " "
    code: Line = [("class:strong", mark), *draw_small_code(guess.code, rules, look)]
    may = _("may be the code") if guess.possible else _("cannot be it")
    if width(code) + 1 + width(text(measure)) <= columns:
        return [[*code, ("", f" {measure}")], text(f" {may}")]
    short = _("may be it") if guess.possible else may  # at 80 columns, beside "188.2 left"
    beside = text(f" {measure}, {short}")
    if width(beside) <= columns:
        return [code, beside]
    return [code, text(f" {measure}"), text(f" {may}")]
