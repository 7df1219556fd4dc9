"""The dialogue with a user who solves puzzles."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client import solver
from mastermind_client.actions import Action, index_actions
from mastermind_client.config.puzzle_record import name_puzzle, record_answer, record_surrender
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lines.prompts import read_answer
from mastermind_client.lines.styles import find_action, write_help, write_help_hint
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.messages.codes import format_board, prefer_letters_in, read_code
from mastermind_client.messages.failures import describe_failure, describe_refusal
from mastermind_client.messages.rules import describe_rules, format_how_to_play
from mastermind_client.messages.solving.sentences import (
    describe_puzzle,
    describe_puzzle_record,
    describe_puzzle_task,
    describe_solution,
    describe_surrender,
    write_puzzle_command,
)
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.match import find_excluding_guess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mastermind_client.config.options import PuzzleOptions
    from mastermind_client.config.puzzle_record import PuzzleRecord
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn

ACTIONS: Mapping[str, Action] = index_actions(
    (
        Action("board", N_("every guess so far")),
        Action("resign", N_("give this puzzle up, and see its code")),
        Action("share", N_("the command that shows this puzzle to a friend")),
        Action("next", N_("another puzzle")),
        Action("rules", N_("how to play, and how colours are typed")),
        Action("help", N_("this help"), letter="?"),
        Action("quit", N_("end the program"), letter="q"),
    )
)
"""The actions by name, in the order of the help. The dialogue has a method `do_NAME` for each."""


class PuzzleDialogue:
    """Asks a puzzle until it is solved or given up, and then others if the user wants."""

    def __init__(self, terminal: LineTerminal, options: PuzzleOptions) -> None:
        self._terminal, self._level = terminal, options.level
        self._seed = solver.draw_seed() if options.seed is None else options.seed
        self._rules = prefer_letters_in(options.rules)
        self._turns: tuple[Turn, ...] = ()
        self._is_over = False  # solved or given up

    async def run(self) -> None:
        """Ask puzzles. Raises InputEnded, and Refused for rules with too many codes."""
        self._write_all(describe_rules(self._rules))
        if self._terminal.interactive:
            self._terminal.write(write_help_hint())
        await self._begin()
        while True:
            question = _("Another puzzle? (Y/N)") if self._is_over else _("The code:")
            self._terminal.prompt(f"{question} ")
            line = (await self._terminal.read_line()).strip()
            self._terminal.echo(line)
            if found := find_action(line, ACTIONS.values()):
                await getattr(self, f"do_{found[0].name}")()
            elif self._is_over:
                if (again := read_answer(self._terminal, line)) is not None:
                    await (self.do_next if again else self.do_quit)()
            elif line:
                await self._take_answer(line)

    async def _begin(self) -> None:
        with self._terminal.announce_if_slow(_("Thinking ...")):
            self._turns = await solver.make_puzzle(self._rules, self._level, self._seed)
        self._is_over = False
        self._terminal.write(f"{describe_puzzle(self._rules, self._level, self._seed)}.")
        await self.do_board()

    async def _take_answer(self, line: str) -> None:
        try:
            code = read_code(line, self._rules)
        except InvalidCode as error:
            self._terminal.write(describe_refusal(error))
            return
        right = find_excluding_guess(code, self._turns) is None
        self._terminal.write(describe_solution(code, self._turns, self._rules))
        await self._record(partial(record_answer, right=right))
        if right:
            self._is_over = True
            await self.do_share()

    async def _record(self, record: Callable[..., PuzzleRecord]) -> None:
        """Store the result. Print the record if the puzzle is solved, or why it is not kept."""
        name = name_puzzle(self._rules, self._level, self._seed)
        try:
            found = await asyncio.to_thread(record, self._terminal.context.folder, name)
        except OSError as error:
            self._terminal.write(describe_failure(error))
            return
        if name in found.finished:
            self._write_all(describe_puzzle_record(found))

    def _write_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._terminal.write(line)

    async def do_board(self) -> None:
        """Print the guesses of the puzzle, and the task."""
        self._write_all(format_board(self._turns, self._rules, whole=False))
        self._terminal.write(describe_puzzle_task(self._turns))

    async def do_resign(self) -> None:
        """Give the puzzle up, and print its code."""
        if not self._is_over:
            self._terminal.write(describe_surrender(await self._find_code(), self._rules))
            self._is_over = True
            await self._record(record_surrender)

    async def _find_code(self) -> Code:
        found = await solver.analyse(self._rules, self._turns, most=1)
        return found.codes[0]

    async def do_share(self) -> None:
        """Print the command that shows the puzzle."""
        command = write_puzzle_command(self._rules, self._level, self._seed)
        self._terminal.write(_("A friend gets this puzzle by: {command}").format(command=command))

    async def do_next(self) -> None:
        """Ask another puzzle of this level."""
        self._seed = solver.draw_seed()
        await self._begin()

    async def do_rules(self) -> None:
        """Print how to play."""
        self._write_all(format_how_to_play(self._rules))

    async def do_help(self) -> None:
        """Print the actions."""
        self._terminal.write(describe_puzzle_task(self._turns))
        self._write_all(write_help(ACTIONS.values()))

    async def do_quit(self) -> None:
        """End the dialogue."""
        raise InputEnded
