"""What can be typed beside codes: one table that dispatches the lines and makes the help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

HELP_WIDTH = 18  # columns for the names of most commands


@dataclass(frozen=True, slots=True)
class Command:
    """A command by its `letter` or one of its `words`, the first of which the help names.

    `takes` names what may follow it, and nothing else may. `meaning` and `takes` are marked for
    translation and translated where they are shown. `by_letter` is done instead of `do` where a
    slip of one key must not do harm.
    """

    letter: str
    words: tuple[str, ...]
    meaning: str
    do: Callable[[str], Awaitable[None]]
    takes: str = ""
    by_letter: Callable[[str], Awaitable[None]] | None = None

    async def run(self, name: str, argument: str) -> None:
        """Do it, as it was called."""
        await (self.by_letter or self.do if name == self.letter else self.do)(argument)


def find_command(line: str, commands: Sequence[Command]) -> tuple[Command, str, str] | None:
    """Return the command that a line is, the name that it was called by and what follows it."""
    name, _blank, argument = line.strip().partition(" ")
    name, argument = name.lower(), argument.strip()
    for command in commands:
        called = name and name in (command.letter, *command.words)
        if called and (command.takes or not argument):
            return command, name, argument
    return None


def write_help(commands: Sequence[Command]) -> list[str]:
    """Return a line for each command: how it is typed, and what it does."""
    lines = []
    for command in commands:
        names = ", ".join(filter(None, (command.letter, *command.words[:1])))
        typed = f"{names} {_(command.takes)}" if command.takes else names
        lines.append(f"  {typed:<{HELP_WIDTH}} {_(command.meaning)}")
    return lines
