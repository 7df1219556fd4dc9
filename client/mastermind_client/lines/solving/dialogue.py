"""The base class of the dialogues about a position, with the commands to change its turns."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from mastermind_client.actions import Action, index_actions
from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lines.styles import find_action, write_help, write_help_hint
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.codes import format_board, prefer_letters_in
from mastermind_client.messages.failures import describe_failure, describe_refusal, write_sentence
from mastermind_client.messages.rules import describe_rules, format_how_to_play
from mastermind_client.messages.solving.notation import (
    InvalidNotation,
    Position,
    find_path,
    load_position,
    save_position,
)
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from pathlib import Path

    from mastermind_client.config.options import SolveOptions
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.rules import Rules

MAX_UNDONE = 100  # changes: more than a game has guesses, in little memory

ACTIONS: Mapping[str, Action] = index_actions(
    (
        Action(
            "take", N_("take a correction or a best guess, the first or by its number"),
            takes=N_("[NUMBER]"),
        ),
        Action("board", N_("every guess so far")),
        Action("codes", N_("the codes that fit, or a later page of them"), takes=N_("[PAGE]")),
        Action("known", N_("the colours that each place can have")),
        Action(
            "by", N_("rank guesses by bits, size, worst or parts, or by the next of these"),
            takes=N_("[MEASURE]"),
        ),
        Action("undo", N_("undo the last change"), letter="u"),
        Action("edit", N_("type a guess or its answer again"), takes=N_("NUMBER")),
        Action("insert", N_("type a guess that was made before this one"), takes=N_("NUMBER")),
        Action("delete", N_("delete a guess"), takes=N_("NUMBER")),
        Action("new", N_("begin a new game")),
        Action("rules", N_("how to play, or begin a game by other rules"), takes=N_("[RULES]")),
        Action("save", N_("save the guesses as text"), takes=N_("[FILE]")),
        Action("load", N_("load saved guesses"), takes=N_("[FILE]")),
        Action("help", N_("this help"), letter="?"),
        Action("quit", N_("end the program"), letter="q"),
    )
)  # fmt: skip
"""The actions of both dialogues by name, in the order of the help."""


class PositionDialogue(ABC):
    """The common base class of the dialogues about a position.

    A subclass has a method `do_NAME` for each of its actions. The method takes the argument.
    """

    omitted: ClassVar[frozenset[str]] = frozenset()  # actions of the other dialogue

    def __init__(self, terminal: LineTerminal, options: SolveOptions) -> None:
        self._terminal, self._path = terminal, options.path
        self._position = Position(options.rules, options.turns)
        self._undone: list[Position] = []  # earlier positions, the oldest first
        self._analysis: PositionAnalysis | None = None  # of the position, if it is printed

    @property
    def actions(self) -> list[Action]:
        """The available actions, in the order of the help."""
        return [action for action in ACTIONS.values() if action.name not in self.omitted]

    @property
    def _rules(self) -> Rules:
        return self._position.rules

    @property
    def _shown_rules(self) -> Rules:
        """The rules with codes in letters, as they are printed."""
        return prefer_letters_in(self._rules)

    @property
    def _turns(self) -> tuple[Turn, ...]:
        return self._position.turns

    async def run(self) -> None:
        """Run the dialogue. Raises InputEnded."""
        self._write_all(describe_rules(self._rules))
        self._write_introduction()
        if self._terminal.interactive:
            self._terminal.write(write_help_hint())
        self._write_board()
        while True:
            if self._analysis is None:
                with self._terminal.announce_if_slow(_("Thinking ...")):
                    self._analysis = await self._think()
                self._write_analysis(self._analysis)
            self._terminal.prompt(f"{self._prompt} ")
            line = await self._terminal.read_line()
            self._terminal.echo(line)
            if line.lstrip().startswith("#"):  # a comment of a pasted game
                continue
            try:
                await self._take_line(line.strip())
            except InvalidNotation as error:
                self._terminal.write(write_sentence(error.reason))

    @abstractmethod
    def _write_introduction(self) -> None:
        """Print what the user does here."""

    @abstractmethod
    async def _think(self) -> PositionAnalysis:
        """Return the analysis of the position."""

    @abstractmethod
    def _write_analysis(self, analysis: PositionAnalysis) -> None:
        """Print the analysis of the position."""

    @property
    @abstractmethod
    def _prompt(self) -> str:
        """The question to the user."""

    @abstractmethod
    async def _take_line(self, line: str) -> None:
        """Take a typed line. Raises InvalidNotation for an unreadable line."""

    def _write_contradiction(self, analysis: PositionAnalysis) -> None:
        """Print how the user can change a position that no code fits."""
        if len(analysis.corrections) > 1:
            text = _("Press Enter to take the first, or type take 2, edit, delete or undo.")
        elif analysis.corrections:
            text = _("Press Enter to take it, or type edit, delete or undo.")
        else:
            text = _("Type edit, delete or undo to change a guess.")
        self._terminal.write(text)

    async def _perform(self, line: str) -> bool:
        """Run the action that a line names. Return False if it names none."""
        found = find_action(line, self.actions)
        if found is None:
            return False
        action, _name, argument = found
        method: Callable[[str], Awaitable[None]] = getattr(self, f"do_{action.name}")
        await method(argument)
        return True

    def _change(self, turns: Iterable[Turn], rules: Rules | None = None) -> None:
        """Change the position, so that `undo` can restore the present one."""
        self._undone = [*self._undone, self._position][-MAX_UNDONE:]
        self._position = Position(rules or self._rules, tuple(turns))
        self._analysis = None

    def _read_turn_number(self, argument: str) -> int | None:
        """Return the number of a turn, from 1. For another text, print a message, return None."""
        number = read_number(argument)
        if number is not None and number <= len(self._turns):
            return number
        self._terminal.write(_("There is no guess {number}.").format(number=argument or "?"))
        return None

    def _take_correction(self, number: int) -> None:
        """Change an answer as correction `number`, from 1, of the analysis."""
        found = self._analysis.corrections if self._analysis is not None else ()
        if not 1 <= number <= len(found):
            self._terminal.write(_("There is no correction {number}.").format(number=number))
            return
        self._change(self._position.correct(found[number - 1]).turns)
        self._write_board()

    def _write_board(self) -> None:
        self._write_all(format_board(self._turns, self._shown_rules, whole=False))

    def _write_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._terminal.write(line)

    async def do_board(self, _argument: str) -> None:
        """Print all guesses."""
        self._write_board()
        if not self._turns:
            self._terminal.write(_("No guess yet."))

    async def do_undo(self, _argument: str) -> None:
        """Restore the position before the last change."""
        if not self._undone:
            self._terminal.write(_("There is nothing to undo."))
            return
        self._position, self._analysis = self._undone.pop(), None
        await self.do_board("")

    async def do_delete(self, argument: str) -> None:
        """Delete a turn by its number."""
        if (number := self._read_turn_number(argument)) is not None:
            self._change((*self._turns[: number - 1], *self._turns[number:]))
            await self.do_board("")

    async def do_new(self, _argument: str) -> None:
        """Delete all turns."""
        self._change(())

    async def do_rules(self, argument: str) -> None:
        """Print how to play, or begin a game by the rules that `argument` names."""
        if not argument:
            self._write_all(format_how_to_play(self._rules))
            return
        try:
            rules = find_rules(argument)
        except InvalidRules as error:
            self._terminal.write(describe_refusal(error))
            return
        self._change((), rules)
        self._write_all(describe_rules(rules))

    async def do_save(self, argument: str) -> None:
        """Save the position in a file: by default the last file that was loaded or saved."""
        if (path := self._choose_path("save", argument)) is None:
            return
        try:
            await asyncio.to_thread(save_position, path, *self._position)
        except OSError as error:
            self._terminal.write(describe_failure(error))
            return
        self._path = path
        self._terminal.write(_("Saved: {file}.").format(file=path))

    async def do_load(self, argument: str) -> None:
        """Load a position: by default, from the last file that was loaded or saved.

        It is by the present rules if the file names none.
        """
        if (path := self._choose_path("load", argument)) is None:
            return
        try:
            loaded = await asyncio.to_thread(load_position, path, self._rules)
        except OSError as error:
            self._terminal.write(describe_failure(error))
        except InvalidNotation as error:
            self._terminal.write(f"{path}, {error}.")
        else:
            self._path = path
            self._change(loaded.turns, loaded.rules)
            self._write_all(describe_rules(self._rules))
            self._write_board()

    def _choose_path(self, action: str, argument: str) -> Path | None:
        """Return the path in `argument`, by default the last path. Without one, ask for a name."""
        path = find_path(argument) if argument else self._path
        if path is None:
            text = _("Type {action} and the name of a file: {action} game.txt.")
            self._terminal.write(text.format(action=action))
        return path

    async def do_help(self, _argument: str) -> None:
        """Print the actions."""
        self._write_introduction()
        self._write_all(write_help(self.actions))

    async def do_quit(self, _argument: str) -> None:
        """End the dialogue."""
        raise InputEnded


def read_number(text: str) -> int | None:
    """Return the number in a typed text, from 1, or None."""
    typed = read_keys(text)
    return int(typed) if typed.isascii() and typed.isdigit() and int(typed) else None
