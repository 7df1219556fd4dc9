"""Looking on: a match told line by line, and the list of those that are running."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.plain.inbox import Inbox, tell_connection
from mastermind_client.plain.wording import describe
from mastermind_client.trouble import sanitise
from mastermind_client.updates import Moved
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.mirror import Mirror
    from mastermind_client.plain.terminal import Terminal
    from mastermind_client.session import Session
    from mastermind_protocol.messages import Listed


async def watch(session: Session, terminal: Terminal, mirror: Mirror) -> None:
    """Tell a match from its beginning until it is finished; input is not read."""
    inbox = Inbox(session, terminal)
    terminal.write(f"You watch match {mirror.code}.")
    told = 0
    while told < mirror.version or mirror.state.phase is not Phase.FINISHED:
        update = await inbox.next(lines=False)
        if isinstance(update, Moved):
            told += 1
            for line in describe(update.events, update.before, None):
                terminal.write(line)
        elif not isinstance(update, str):
            tell_connection(update, terminal.write)


async def pick_match(session: Session, terminal: Terminal) -> str | None:
    """List the running public matches and return the code of the one picked, None for none.

    Raises InputEnded, and what ended the session.
    """
    inbox = Inbox(session, terminal)
    tell = partial(tell_connection, write=terminal.write)
    while True:
        running = await inbox.perform(session.list_matches("running"), tell)
        if not running:
            terminal.write("No public match is running.")
        for number, listed in enumerate(running, start=1):
            terminal.write(_write_listed(number, listed))
        while True:
            terminal.prompt("Which one? (number, Enter to look again, q to quit) ")
            if isinstance(got := await inbox.next(lines=True), str):
                break
            tell(got)
        line = got.strip().lower()
        terminal.echo(line)
        if line in ("q", "quit"):
            return None
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(running):
            return running[int(line) - 1].match
        if line:
            terminal.write(f"There is no match {sanitise(line)} in the list.")


def _write_listed(number: int, listed: Listed) -> str:
    rounds = f", {listed.rounds} rounds" if listed.rounds > 1 else ""
    maker, breaker = sanitise(listed.maker or "?"), sanitise(listed.breaker or "?")
    return (
        f"{number:2}  {listed.match}  {sanitise(listed.rules)}{rounds}: "
        f"{maker} sets, {breaker} breaks ({listed.phase})"
    )
