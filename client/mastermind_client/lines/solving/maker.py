"""The dialogue with a codemaker, who answers the guesses of a bot to a code that it never sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client import solver
from mastermind_client.config.options import DEFAULT_BOT
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.lines.prompts import read_answer
from mastermind_client.lines.solving.dialogue import PositionDialogue, read_number
from mastermind_client.lines.solving.report import list_analysis
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.codes import describe_feedback, format_pegs, format_turn
from mastermind_client.messages.solving.notation import check_room, read_feedback
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.config.options import SolveOptions
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.rules import Rules


class MakerDialogue(PositionDialogue):
    """Prints the guesses of a bot, and takes the user's answers until the code is found."""

    omitted = frozenset({"codes", "known", "by", "insert"})

    def __init__(self, terminal: LineTerminal, options: SolveOptions) -> None:
        super().__init__(terminal, options)
        self._bot = options.bot or DEFAULT_BOT
        self._edited: int | None = None  # the index of the turn with the answer to type again

    def _write_introduction(self) -> None:
        text = _("Hide a code: on paper, or in your head. {bot} guesses, and you type each answer.")
        self._terminal.write(text.format(bot=self._bot))
        answer = describe_feedback(Feedback(1, 2), self._rules)
        text = _("For {answer}, type 1b2w or 12; for none, type - or 00.")
        self._terminal.write(text.format(answer=answer))

    async def _think(self) -> PositionAnalysis:
        return await solver.analyse(self._rules, self._turns, most=0, bot=self._bot)

    def _write_analysis(self, analysis: PositionAnalysis) -> None:
        number = len(self._turns)
        if analysis.choice is None:
            self._write_all(list_analysis(analysis, self._rules, "bits"))
            self._write_contradiction(analysis)
        elif self._position.is_solved:
            text = ngettext(
                "{name} broke the code in {number} guess.",
                "{name} broke the code in {number} guesses.",
                number,
            )
            self._terminal.write(text.format(name=self._bot, number=number))
        else:
            code = format_pegs(analysis.choice, self._shown_rules)
            text = _("Guess {number}: {code}")
            self._terminal.write(text.format(number=number + 1, code=code))

    @property
    def _prompt(self) -> str:
        if self._edited is not None:
            return _("Answer to guess {number}:").format(number=self._edited + 1)
        if self._analysis is not None and self._analysis.choice is None:
            return _("Correction:")
        return _("Play again? (Y/N)") if self._position.is_solved else _("Your answer:")

    async def _take_line(self, line: str) -> None:
        if await self._perform(line):
            return
        if self._edited is not None:
            self._take_edited(line)
        elif self._analysis is None or (choice := self._analysis.choice) is None:
            self._take_number(line)
        elif self._position.is_solved:
            if (again := read_answer(self._terminal, line)) is not None:
                if not again:
                    raise InputEnded
                self._change(())
        else:
            check_room(self._turns)
            turn = Turn(choice, read_feedback(line, self._rules))
            self._change((*self._turns, turn))
            self._terminal.write(format_turn(len(self._turns), turn, self._shown_rules))

    def _take_number(self, line: str) -> None:
        """Take the best correction for an empty line, or a correction by its typed number."""
        number = read_number(line or "1")
        if number is not None:
            self._take_correction(number)
        elif self._analysis is not None:
            self._write_contradiction(self._analysis)

    def _take_edited(self, line: str) -> None:
        """Take the new answer to the edited guess. An empty line keeps the old one."""
        place, turns = self._edited or 0, list(self._turns)
        if line:
            turns[place] = Turn(turns[place].code, read_feedback(line, self._rules))
            self._change(turns)
            self._write_board()
        self._edited = None

    def _change(self, turns: Iterable[Turn], rules: Rules | None = None) -> None:
        super()._change(turns, rules)
        self._edited = None

    async def do_undo(self, argument: str) -> None:
        """Restore the position before the last change."""
        self._edited = None
        await super().do_undo(argument)

    async def do_take(self, argument: str) -> None:
        """Take a correction by its number."""
        self._take_correction(read_number(argument or "1") or 0)

    async def do_edit(self, argument: str) -> None:
        """Type an answer again: the number of its guess, and at once or later the answer."""
        typed, _blank, rest = argument.partition(" ")
        if (number := self._read_turn_number(typed)) is not None:
            self._edited = number - 1
            if rest:
                self._take_edited(rest)
