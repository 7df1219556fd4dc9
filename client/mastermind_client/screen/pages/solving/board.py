"""The board of given guesses with their answers, and with the row that the user fills."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import label_key_pegs
from mastermind_client.screen.match.board import RowClicks, draw_in_frame
from mastermind_client.screen.match.rows import (
    draw_answer,
    draw_code,
    draw_entry,
    draw_label,
    draw_palette,
    draw_places,
    draw_row,
)
from mastermind_client.screen.toolkit.lines import Line, text

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.pages.solving.draft import Draft
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules

_MISSING_DIGIT = "_"

DrawRow: TypeAlias = Callable[[str], list[Line]]
"""Draws a row. It receives an arrow, or "", for the place in front of the number."""


class SolvingBoard:
    """Draws the rows of one board by `rules`. `clicks` are the callbacks of its filled row."""

    def __init__(self, rules: Rules, layout: Layout, look: Look, clicks: RowClicks) -> None:
        self._rules, self._layout, self._look = rules, layout, look
        self._clicks = clicks

    def draw(
        self, title: str, rows: Sequence[DrawRow], current: int, marked: int | None = None
    ) -> list[Line]:
        """Return the frame with the visible rows: the last is the row at `current`.

        If the row at `marked` is above them, it is the first instead. At the ends, arrows mark that
        there are more rows.
        """
        layout, shown, glyphs = self._layout, self._layout.visible_guesses, self._look.glyphs
        first = max(0, current + 1 - shown)
        if marked is not None:
            first = min(first, marked)
        last = min(first + shown, len(rows)) - 1
        lines: list[Line] = [[] for _row in range(layout.vertical.blank)]
        for index in range(first, last + 1):
            is_cut_above, is_cut_below = index == first > 0, index == last < len(rows) - 1
            lines += rows[index](glyphs.up if is_cut_above else glyphs.down if is_cut_below else "")
        return draw_in_frame(title, lines, layout, self._look)

    def draw_turn(self, number: int, turn: Turn, mark: str, arrow: str) -> list[Line]:
        """Return the row of a guess with its answer.

        With a `mark` its number is bold. Without one it has the `arrow`, if there is one.
        """
        layout, look = self._layout, self._look
        pegs = draw_code(turn.code, self._rules, layout.tile, layout.horizontal, look)
        answer = draw_answer(turn, self._rules, layout.horizontal, look)
        style = "class:strong" if mark else ""
        label = draw_label(number, mark or arrow or " ", layout.horizontal, style)
        return draw_row(pegs, layout.horizontal, label=label, right=[answer])

    def draw_filled(
        self, number: int, entry: Entry, right: Sequence[Line] | None, excluded: Container[int] = ()
    ) -> list[Line]:
        """Return the row that the user fills. At its right are the lines `right` or the palette."""
        layout, look, rules = self._layout, self._look, self._rules
        pegs = draw_entry(entry, rules, layout.tile, layout.horizontal, look, self._clicks.on_place)
        if right is None:
            rows, used = layout.tile.rows, () if rules.repeats else entry.pegs
            right = draw_palette(
                rules, rows, look, self._clicks.on_colour, excluded=excluded, used=used
            )
        return draw_row(pegs, layout.horizontal, label=self._draw_current(number), right=right)

    def draw_waiting(self, number: int, words: str) -> list[Line]:
        """Return the row that a bot fills, with `words` beside it."""
        pegs = draw_places(self._layout.tile, self._layout.horizontal, self._look)
        label = self._draw_current(number)
        return draw_row(pegs, self._layout.horizontal, label=label, right=[text(words)])

    def _draw_current(self, number: int) -> Line:
        mark = self._look.glyphs.selected
        return draw_label(number, mark, self._layout.horizontal, "class:strong")


def draw_answer_fields(draft: Draft) -> list[Line]:
    """Return the fields of the answer. The field to type next is in reverse video."""
    given = draft.digits
    if not given and draft.replaced is not None:
        given = tuple(draft.replaced.feedback)
    line: Line = []
    for place, name in enumerate(label_key_pegs(draft.rules)):
        digit = str(given[place]) if place < len(given) else _MISSING_DIGIT
        style = "class:turn" if place == len(draft.digits) else "class:strong"
        line += [("", "   " * place + f"{name} "), (style, digit)]
    return [line]


def draw_draft(
    board: SolvingBoard,
    draft: Draft,
    doubted: int | None,
    doubted_mark: str,
    excluded: Container[int],
    bot_words: str,
) -> list[Line]:
    """Return the board of a draft. The turn at the index `doubted` has the `doubted_mark`.

    It is in sight unless the user fills another line.
    """
    rows: list[DrawRow] = []
    for index, turn in enumerate(draft.turns):
        number = index + 1 + (draft.inserts and index >= draft.line)
        mark = doubted_mark if index == doubted else ""
        rows.append(partial(board.draw_turn, number, turn, mark))
    if not draft.has_ended:
        if draft.is_waiting:
            filled = board.draw_waiting(draft.line + 1, bot_words)
        else:
            fields = draw_answer_fields(draft) if draft.is_answering else None
            filled = board.draw_filled(draft.line + 1, draft.entry, fields, excluded)
        end = draft.line + (draft.replaced is not None)
        rows[draft.line : end] = [lambda _arrow: filled]
    marked = doubted if draft.is_new_line and not draft.has_pegs else None
    title = (
        _("The guesses, and your answers") if draft.locked else _("Your guesses and their answers")
    )
    return board.draw(title, rows, min(draft.line, len(rows) - 1), marked)
