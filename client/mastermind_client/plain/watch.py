"""Looking on: a match told line by line; and the lists of matches that one is picked from."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from mastermind_client.plain.inbox import Inbox, tell_connection
from mastermind_client.plain.wording import describe
from mastermind_client.trouble import sanitise
from mastermind_client.updates import Moved
from mastermind_protocol.events import Seat
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
            terminal.write(f"No public match is {what}.")
        for number, listed in enumerate(found, start=1):
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
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(found):
            return found[int(line) - 1].match
        if line:
            terminal.write(f"There is no match {sanitise(line)} in the list.")


def _write_listed(number: int, listed: Listed) -> str:
    rounds = f", {listed.rounds} rounds" if listed.rounds > 1 else ""
    rated = ", rated" if listed.rated else ""
    maker, breaker = _name(listed, Seat.MAKER), _name(listed, Seat.BREAKER)
    if listed.phase is Phase.GATHERING:
        seats = f"{maker} sets, you break" if listed.maker else f"{breaker} breaks, you set"
    else:
        seats = f"{maker} sets, {breaker} breaks ({listed.phase})"
    return f"{number:2}  {listed.match}  {sanitise(listed.rules)}{rounds}{rated}: {seats}"


def _name(listed: Listed, seat: Seat) -> str:
    name = sanitise((listed.maker if seat is Seat.MAKER else listed.breaker) or "?")
    return f"{name} (bot)" if seat in listed.bots else name
