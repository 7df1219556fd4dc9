"""The drawing of a puzzle: its guesses and answers, the user's row, and the result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import prefer_letters_in
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.solving.sentences import (
    describe_puzzle_record,
    describe_puzzle_task,
    describe_solution,
    describe_surrender,
    name_puzzle_rules,
)
from mastermind_client.screen.match.layout import SIDE_GAP, TEXT_INSET
from mastermind_client.screen.match.side import inset_line
from mastermind_client.screen.match.turn_line import TurnText
from mastermind_client.screen.pages.solving.board import DrawRow, SolvingBoard
from mastermind_client.screen.pages.solving.drawing import draw_label_line, draw_solving_title
from mastermind_client.screen.pages.solving.layout import ROWS_BELOW
from mastermind_client.screen.pages.solving.side import draw_parts, wrap_part
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    fit,
    indent,
    side_by_side,
    text,
    wrap,
)
from mastermind_protocol.match import find_excluded_colours, find_excluding_guess

if TYPE_CHECKING:
    from mastermind_client.config.options import PuzzleOptions
    from mastermind_client.config.puzzle_record import PuzzleRecord
    from mastermind_client.screen.match.board import RowClicks
    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.pages.solving.side import Part
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.code import Code
    from mastermind_protocol.errors import MastermindError
    from mastermind_protocol.match import Turn


class PuzzleState(Enum):
    """The state of a puzzle: made, open, solved, or given up."""

    LOADING = auto()
    OPEN = auto()
    SOLVED = auto()
    GIVEN_UP = auto()


@dataclass(frozen=True, slots=True)
class PuzzleScene:
    """A puzzle as a value. `options` have its number.

    `answered` is the last answer of the user, or the code after the end, or None. `record` is that
    of this computer, or None while it is unknown. `error` is why the puzzle is missing, or None.
    """

    options: PuzzleOptions
    turns: tuple[Turn, ...]
    entry: Entry
    state: PuzzleState = PuzzleState.LOADING
    answered: Code | None = None
    record: PuzzleRecord | None = None
    error: MastermindError | None = None
    marks_excluded: bool = True

    @property
    def is_over(self) -> bool:
        """Whether the code is known."""
        return self.state in (PuzzleState.SOLVED, PuzzleState.GIVEN_UP)


def draw_puzzle(scene: PuzzleScene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the lines of a puzzle, in the size of the layout's room."""
    columns, options = layout.columns, scene.options
    shown = _draw_board(scene, layout, look, clicks)
    if layout.side is not None:
        beside = _draw_beside(scene, layout.side, look)
        shown = side_by_side(shown, beside, layout.board.columns, " " * SIDE_GAP)
    else:
        room = Extent(columns - 2 * TEXT_INSET, ROWS_BELOW)
        task = describe_puzzle_task(scene.turns) if scene.turns else ""
        below = wrap(_describe_outcome(scene) or task, room.columns)
        if scene.is_over and scene.record is not None:
            below += wrap(" ".join(describe_puzzle_record(scene.record)), room.columns)
        shown += [inset_line(line, columns) for line in fit(below, room)]
    terms = [_("puzzle"), name_puzzle_rules(options.rules)]
    terms.append(_("level {level}").format(level=options.level))
    number = "" if options.seed is None else _("number {seed}").format(seed=options.seed)
    lines: list[Line] = [
        *([] for _row in range(layout.top)),
        draw_solving_title(terms, number, columns, look),
        *shown,
        draw_label_line(describe_puzzle_step(scene), columns, look),
    ]
    return indent(fit(lines, Extent(columns, layout.room.rows)), layout.left)


def _draw_board(scene: PuzzleScene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    rules = scene.options.rules
    board = SolvingBoard(rules, layout, look, clicks)
    wrong = None
    if scene.state is PuzzleState.OPEN and scene.answered is not None:
        wrong = find_excluding_guess(scene.answered, scene.turns)
    rows: list[DrawRow] = [
        partial(board.draw_turn, number, turn, look.glyphs.cross if number == wrong else "")
        for number, turn in enumerate(scene.turns, start=1)
    ]
    number = len(rows) + 1
    filled: list[Line] = []
    if scene.state is PuzzleState.OPEN:
        marked = find_excluded_colours(scene.turns, rules) if scene.marks_excluded else ()
        filled = board.draw_filled(number, scene.entry, None, marked)
    elif scene.answered is not None:
        entry = Entry.empty(rules).fill(scene.answered)
        filled = board.draw_filled(number, entry, [text(_("the code"), "class:strong")])
    rows.append(lambda _arrow: filled)
    doubted = None if wrong is None else wrong - 1
    return board.draw(_("Which code fits all answers?"), rows, len(rows) - 1, doubted)


def _draw_beside(scene: PuzzleScene, side: Extent, look: Look) -> list[Line]:
    columns = side.columns
    parts: list[Part] = []
    if outcome := _describe_outcome(scene):
        parts.append((3, [wrap_part(outcome, columns, "class:strong")]))
    elif scene.turns:
        parts.append((3, [wrap_part(describe_puzzle_task(scene.turns), columns)]))
    if scene.record is not None and (record := " ".join(describe_puzzle_record(scene.record))):
        parts.append((2, [wrap_part(record, columns)]))
    return draw_parts(parts, side, look)


def _describe_outcome(scene: PuzzleScene) -> str:
    """Return whether the last answer is right, and if not why, or the code after giving up.

    Without a puzzle, return the reason.
    """
    if scene.error is not None:
        return describe_failure(scene.error)
    if scene.answered is None:
        return ""
    rules = prefer_letters_in(scene.options.rules)
    if scene.state is PuzzleState.GIVEN_UP:
        return describe_surrender(scene.answered, rules)
    return describe_solution(scene.answered, scene.turns, rules)


def describe_puzzle_step(scene: PuzzleScene) -> TurnText:
    """Return the label and the sentence of the turn line: the next step of the user."""
    match scene.state:
        case PuzzleState.LOADING:
            told = _("One moment ...") if scene.error is None else _("F4 chooses other rules.")
            return TurnText(_("Puzzle"), told)
        case PuzzleState.SOLVED:
            return TurnText(_("Solved"), _("Enter shows the next one, s shares this one."))
        case PuzzleState.GIVEN_UP:
            return TurnText(_("Given up"), _("Enter shows the next one."))
        case PuzzleState.OPEN:
            entry = scene.entry
            if entry.notice:
                words = entry.notice[:1].upper() + entry.notice[1:]
                return TurnText(_("Your answer"), words, can_act=True)
            if scene.answered is not None and entry.code == scene.answered:
                return TurnText(
                    _("Wrong"), _("Change the row, and press Enter again."), can_act=True
                )
            if entry.code is None:
                words = _("Type the one code that fits, then Enter.")
            else:
                words = _("Enter checks it.")
            return TurnText(_("Your answer"), words, can_act=True)
