"""The dialogue with a codebreaker, who types guesses and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client import solver
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.lines.solving.dialogue import PositionDialogue, read_number
from mastermind_client.lines.solving.report import list_analysis, list_codes, list_knowledge
from mastermind_client.messages.analysis import MEASURES, find_next_measure
from mastermind_client.messages.codes import format_pegs, format_turn, label_key_pegs
from mastermind_client.messages.solving.notation import (
    InvalidNotation,
    check_room,
    read_feedback,
    read_guess,
    read_turn,
    write_example,
)
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import MAX_ANALYSED_CODES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.config.options import SolveOptions
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.rules import Rules

_SHOWN_GUESSES = 5


class BreakerDialogue(PositionDialogue):
    """Prints the number of remaining codes and the best guesses after each turn."""

    def __init__(self, terminal: LineTerminal, options: SolveOptions) -> None:
        super().__init__(terminal, options)
        self._by = options.by
        self._guess: Code | None = None  # typed without its answer
        self._place: int | None = None  # the index of the turn to type, if it is not the next one
        self._replaces = False  # whether the turn at `_place` is replaced

    def _write_introduction(self) -> None:
        black, white = label_key_pegs(self._rules)
        text = _("Type each guess with its answer in {black} and {white}: {example}.")
        example = write_example(self._rules)
        self._terminal.write(text.format(black=black, white=white, example=example))

    async def _think(self) -> PositionAnalysis:
        return await solver.analyse(self._rules, self._turns, self._by, _SHOWN_GUESSES)

    def _write_analysis(self, analysis: PositionAnalysis) -> None:
        if analysis.left and self._position.is_solved:
            number = len(self._turns)
            text = ngettext(
                "You broke the code in {number} guess.",
                "You broke the code in {number} guesses.",
                number,
            )
            self._terminal.write(text.format(number=number))
            self._terminal.write(_("Type new for another game."))
            return
        self._write_all(list_analysis(analysis, self._rules, self._by))
        if not analysis.left:
            self._write_contradiction(analysis)

    @property
    def _prompt(self) -> str:
        if self._guess is not None:
            code = format_pegs(self._guess, self._shown_rules)
            return _("Answer to {code}:").format(code=code)
        place = len(self._turns) if self._place is None else self._place
        return _("Guess {number}:").format(number=place + 1)

    async def _take_line(self, line: str) -> None:
        if not line:
            await self._take_empty_line()
        elif self._guess is not None:
            if not await self._perform(line):
                self._put(Turn(self._guess, read_feedback(line, self._rules)))
        else:
            try:
                turn = read_turn(line, self._rules)
            except InvalidNotation as error:
                if not await self._perform(line):
                    self._take_part(line, error)
            else:
                self._put(turn)

    async def _take_empty_line(self) -> None:
        """Cancel a guess without an answer, or an edit. Without these, take the best correction."""
        if self._guess is not None or self._place is not None:
            self._guess = self._place = None
        elif self._analysis is not None and self._analysis.corrections:
            self._take_correction(1)

    def _take_part(self, line: str, error: InvalidNotation) -> None:
        """Take a guess without its answer, or the new answer to an edited guess. Or raise error."""
        if self._place is not None and self._replaces:
            try:
                feedback = read_feedback(line, self._rules)
            except InvalidNotation:
                pass
            else:
                self._put(Turn(self._turns[self._place].code, feedback))
                return
        code, end = read_guess(line, self._rules)
        if line[end:].strip():
            raise error
        self._guess = code

    def _put(self, turn: Turn) -> None:
        """Add a turn at the end, insert it at `_place`, or replace the turn there."""
        turns = list(self._turns)
        place = len(turns) if self._place is None else self._place
        if self._replaces and self._place is not None:
            turns[place] = turn
        else:
            check_room(turns)
            turns.insert(place, turn)
        is_last = place == len(turns) - 1
        self._change(turns)
        if is_last:
            self._terminal.write(format_turn(place + 1, turn, self._shown_rules))
        else:
            self._write_board()

    def _change(self, turns: Iterable[Turn], rules: Rules | None = None) -> None:
        super()._change(turns, rules)
        self._guess = self._place = None

    async def do_undo(self, argument: str) -> None:
        """Cancel a guess without an answer, or restore the position before the last change."""
        if self._guess is not None:
            self._guess = None
        else:
            self._place = None
            await super().do_undo(argument)

    async def do_take(self, argument: str) -> None:
        """Take a correction, or a best guess, by its number."""
        number = read_number(argument or "1") or 0
        analysis = self._analysis
        if analysis is None or not analysis.left:
            self._take_correction(number)
        elif not 1 <= number <= len(analysis.guesses):
            self._terminal.write(_("There is no guess {number}.").format(number=argument))
        else:
            self._guess = analysis.guesses[number - 1].code

    async def do_codes(self, argument: str) -> None:
        """Print a page of the remaining codes."""
        page = read_number(argument or "1")
        if page is None:
            self._terminal.write(_("There is no such page."))
            return
        after = (page - 1) * MAX_ANALYSED_CODES
        with self._terminal.announce_if_slow(_("Thinking ...")):
            found = await solver.analyse(self._rules, self._turns, self._by, 1, after)
        self._write_all(list_codes(found, self._rules, page))

    async def do_known(self, _argument: str) -> None:
        """Print what is known of each place and colour."""
        if self._analysis is not None:
            self._write_all(list_knowledge(self._analysis, self._rules))

    async def do_by(self, argument: str) -> None:
        """Rank the best guesses by the measure that `argument` names, or by the next one."""
        measure = argument.lower() or find_next_measure(self._by)
        found = next((known for known in MEASURES if known == measure), None)
        if found is None:
            text = _("Type by, or by and a measure: {measures}.")
            self._terminal.write(text.format(measures=", ".join(MEASURES)))
            return
        self._by, self._analysis = found, None

    async def do_edit(self, argument: str) -> None:
        """Type a turn again: its number, and at once or later the turn or its answer."""
        self._begin_typing(argument, replaces=True)

    async def do_insert(self, argument: str) -> None:
        """Type a turn before another one, at once or later."""
        self._begin_typing(argument, replaces=False)

    def _begin_typing(self, argument: str, *, replaces: bool) -> None:
        typed, _blank, rest = argument.partition(" ")
        if (number := self._read_turn_number(typed)) is None:
            return
        self._place, self._replaces, self._guess = number - 1, replaces, None
        if rest:
            try:
                turn = read_turn(rest, self._rules)
            except InvalidNotation as error:
                self._take_part(rest, error)
            else:
                self._put(turn)
