"""The draft of a position: guesses and answers while the user types them, as an immutable value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import label_key_pegs
from mastermind_client.messages.failures import describe_failure, write_sentence
from mastermind_client.messages.solving.notation import Position
from mastermind_client.screen.scene.entry import Entry
from mastermind_protocol.code import check_feedback
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.requests import MAX_GIVEN_TURNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import Correction
    from mastermind_protocol.rules import Rules

MAX_UNDONE_CHANGES = 100  # more than anyone takes back


@dataclass(frozen=True, slots=True)
class Draft:
    """The lines of a position. The user fills one line.

    `turns` are the complete lines. The user fills the line at the index `line`: the guess `entry`,
    and then the `digits` of its answer, black before white. The filled line replaces a turn, unless
    it is after the last one or `inserts` a turn. If `locked`, a bot makes the guesses, and the user
    types only answers. `notice` is the reason why the last input had no effect, or empty.
    `earlier` has the turns before each change. `begun` is the guess that the user has begun after
    the last turn, while another line is filled.
    """

    rules: Rules
    entry: Entry
    turns: tuple[Turn, ...] = ()
    line: int = 0
    inserts: bool = False
    locked: bool = False
    digits: tuple[int, ...] = ()
    notice: str = ""
    earlier: tuple[tuple[Turn, ...], ...] = ()
    begun: Entry | None = None

    @classmethod
    def begin(cls, rules: Rules, turns: tuple[Turn, ...] = (), *, locked: bool = False) -> Draft:
        """Return a draft with these turns. The user fills the line after the last turn."""
        return cls(rules, Entry.empty(rules), turns, len(turns), locked=locked)

    @property
    def is_new_line(self) -> bool:
        """Whether the user fills the line after the last turn."""
        return self.line == len(self.turns)

    @property
    def replaced(self) -> Turn | None:
        """The turn that the filled line replaces, or None if the line is a new one."""
        return None if self.inserts or self.is_new_line else self.turns[self.line]

    @property
    def has_pegs(self) -> bool:
        """Whether the filled line has a peg."""
        return any(peg is not None for peg in self.entry.pegs)

    @property
    def is_answering(self) -> bool:
        """Whether the row is full and the cursor is after it, so that digits are the answer."""
        return self.entry.code is not None and self.entry.cursor == len(self.entry.pegs)

    @property
    def is_solved(self) -> bool:
        """Whether the last guess is the code, by its answer."""
        return Position(self.rules, self.turns).is_solved

    @property
    def has_ended(self) -> bool:
        """Whether the code is found, and no line is being edited."""
        return self.is_solved and self.is_new_line

    @property
    def is_waiting(self) -> bool:
        """Whether the line needs a guess of the bot."""
        return self.locked and self.is_new_line and not self.is_solved and self.entry.code is None

    # The filled line.

    def change_entry(self, change: Callable[[Entry], Entry]) -> Draft:
        """Return the draft with a changed guess. The bot's guesses cannot be changed."""
        if self.has_ended:
            return replace(self, notice=_("The code is found. F6 begins a new game."))
        if self.locked:
            return replace(
                self, notice=_("The bot makes the guesses. Type the answer to its guess.")
            )
        changed = self.entry.accept(change(self.entry), self.rules)
        digits = self.digits if changed.pegs == self.entry.pegs else ()
        return replace(self, entry=changed, digits=digits, notice=changed.notice)

    def type(self, symbol: str) -> Draft:
        """Return the draft with a typed peg, or behind a full row with a digit of the answer.

        The second digit completes the line.
        """
        if not self.is_answering:
            return self.change_entry(lambda entry: entry.type(symbol, self.rules))
        key = read_keys(symbol)
        if key.isspace() or key in ",;-":
            return replace(self, notice="")
        if not key.isdecimal():
            return replace(self, notice=self._explain_answer())
        digits = (*self.digits, int(key))
        if len(digits) > 1:
            return self.answer(Feedback(*digits))
        if digits[0] > self.rules.pegs:
            return self._refuse(Feedback(digits[0], 0))
        return replace(self, digits=digits, notice="")

    def answer(self, feedback: Feedback) -> Draft:
        """Return the draft with the line completed by its answer, or with the reason why not."""
        code = self.entry.code
        if code is None:
            return replace(self, notice=_("The row is not full yet."))
        if (refused := self._refuse(feedback)).notice:
            return refused
        turn, after = Turn(code, feedback), self.line + (self.replaced is not None)
        return self._change_line((*self.turns[: self.line], turn, *self.turns[after:]))

    def _change_line(self, turns: tuple[Turn, ...]) -> Draft:
        """Return the draft with these turns and, after them, the guess that the user has begun."""
        changed = self.replace_turns(turns)
        if changed.notice or self.begun is None or self.locked:  # refused, or the bot guesses anew
            return changed
        return replace(changed, entry=self.begun)

    def _refuse(self, feedback: Feedback) -> Draft:
        """Return the draft without digits, and with the reason why the feedback cannot be."""
        try:
            check_feedback(feedback, self.rules)
        except MastermindError as error:
            return replace(self, digits=(), notice=describe_failure(error))
        return replace(self, notice="")

    def enter(self) -> Draft:
        """Return the draft after Enter: the next step of the filled line."""
        missing = self.entry.pegs.count(None)
        if missing:
            told = ngettext(
                "The guess needs {number} more peg.", "The guess needs {number} more pegs.", missing
            )
            return replace(self, notice=told.format(number=missing))
        if not self.is_answering:
            return replace(self, entry=self.entry.move_to(len(self.entry.pegs)), notice="")
        if self.replaced is not None and not self.digits:
            return self.answer(self.replaced.feedback)
        if self.digits == (self.rules.pegs,):  # no other answer begins like this
            return self.answer(Feedback(self.rules.pegs, 0))
        return replace(self, notice=self._explain_answer())

    def _explain_answer(self) -> str:
        black, white = label_key_pegs(self.rules)
        told = _("The answer is two digits: {black}, then {white}.")
        return told.format(black=black, white=white)

    def offer(self, code: Code) -> Draft:
        """Return the draft with this code as the guess. The user types its answer."""
        return replace(self, entry=self.entry.fill(code), digits=(), notice="")

    # The lines.

    def go(self, line: int) -> Draft:
        """Return the draft with another filled line, at most the line after the last turn."""
        line = max(0, min(line, len(self.turns)))
        begun = self.entry if self.is_new_line else self.begun
        if line < len(self.turns):
            entry = Entry.empty(self.rules).fill(self.turns[line].code)
        else:
            entry, begun = begun or Entry.empty(self.rules), None
        return replace(
            self, entry=entry, line=line, inserts=False, digits=(), notice="", begun=begun
        )

    def insert(self) -> Draft:
        """Return the draft with a new filled line before the present one."""
        return replace(
            self, entry=Entry.empty(self.rules), inserts=True, digits=(), notice=""
        )  # fmt: skip

    def delete(self) -> Draft:
        """Return the draft without the present line."""
        if self.replaced is None:
            return self.go(self.line)
        kept = (*self.turns[: self.line], *self.turns[self.line + 1 :])
        return self._change_line(kept).go(min(self.line, len(kept)))

    def correct(self, correction: Correction) -> Draft:
        """Return the draft with the feedback of one turn replaced by that of the correction."""
        return self.replace_turns(Position(self.rules, self.turns).correct(correction).turns)

    def replace_turns(self, turns: tuple[Turn, ...]) -> Draft:
        """Return the draft with other turns. The user fills the line after the last turn."""
        if len(turns) > MAX_GIVEN_TURNS:
            told = _("at most {most} guesses").format(most=MAX_GIVEN_TURNS)
            return replace(self, notice=write_sentence(told))
        earlier = (*self.earlier, self.turns)[-MAX_UNDONE_CHANGES:]
        return replace(Draft.begin(self.rules, turns, locked=self.locked), earlier=earlier)

    def undo(self) -> Draft:
        """Return the draft before its last change.

        If the change was the last turn, its guess is in the row, and its answer can be typed anew.
        """
        if not self.earlier:
            return replace(self, notice=_("There is nothing to undo."))
        *earlier, turns = self.earlier
        before = replace(Draft.begin(self.rules, turns, locked=self.locked), earlier=tuple(earlier))
        if self.turns[:-1] == turns and self.turns:
            return before.offer(self.turns[-1].code)
        return before
