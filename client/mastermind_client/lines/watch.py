"""Looking on: a match told line by line; and the lists of matches that one is picked from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.lines.commands import Command, find_command
from mastermind_client.lines.inbox import Inbox, read_choice, tell_connection
from mastermind_client.lines.onlooker import Onlooker
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net.updates import Moved
from mastermind_client.words.foreign import sanitise
from mastermind_client.words.listings import describe_listed
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.lines.terminal import Terminal
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.session import Session


class Watcher(Onlooker):
    """Looks on at a match, from its beginning until it is finished or has been watched enough."""

    def __init__(self, session: Session, terminal: Terminal, mirror: Mirror) -> None:
        super().__init__(session, terminal, mirror)
        self._enough = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """What can be typed."""
        return (*super().commands, Command("q", ("quit",), N_("watch no more"), self._quit))

    async def watch(self) -> None:
        """Tell the match. Raises InputEnded when a person's input ends; a script's may."""
        self._terminal.write(_("You watch match {match}.").format(match=self.mirror.code))
        told, lines = 0, True
        while not self._enough and (
            told < self.mirror.version or self.mirror.state.phase is not Phase.FINISHED
        ):
            try:
                got = await self._inbox.next(lines=lines and told >= self.mirror.version)
            except InputEnded:
                if self._terminal.interactive:
                    raise
                lines = False
                continue
            if isinstance(got, str):
                await self._take_line(got)
                continue
            told += isinstance(got, Moved)
            self.show(got)

    async def _take_line(self, line: str) -> None:
        self._terminal.echo(line)
        if found := find_command(line, self.commands):
            command, name, argument = found
            await command.run(name, argument)
        elif line.strip():
            self._terminal.write(_("You watch, and play no code. Type ? for what can be typed."))

    async def _quit(self, _argument: str) -> None:
        self._enough = True


async def watch(session: Session, terminal: Terminal, mirror: Mirror) -> None:
    """Tell a match from its beginning until it is finished."""
    await Watcher(session, terminal, mirror).watch()


async def pick_match(
    session: Session, terminal: Terminal, what: Literal["waiting", "running"]
) -> str | None:
    """List the public matches that wait or run; return the code of the one picked, None for none.

    Raises InputEnded, and what ended the session.
    """
    inbox = Inbox(session, terminal)
    tell = partial(tell_connection, write=terminal.write)
    while True:
        found = await inbox.perform(session.list_matches(what), tell)
        if not found:
            terminal.write(
                _("No public match is waiting.") if what == "waiting"
                else _("No public match is running.")
            )  # fmt: skip
        for number, listed in enumerate(found, start=1):
            terminal.write(f"{number:2}  {listed.match}  {describe_listed(listed)}")
        question = _("Which one? (number, Enter to look again, q to quit)")
        line = await read_choice(inbox, terminal, question)
        if line in ("q", "quit"):
            return None
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(found):
            return found[int(line) - 1].match
        if line:
            terminal.write(
                _("There is no match {number} in the list.").format(number=sanitise(line))
            )
