"""Questions for one entry of a list, of a server or of the player's running matches."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from mastermind_client.language import gettext as _
from mastermind_client.lines.ask import read_answer
from mastermind_client.lines.inbox import tell_connection
from mastermind_client.messages.listings import describe_running, describe_seat
from mastermind_client.net.lookup import look_up
from mastermind_client.net.running import sort_seats
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.lists import ServerList
    from mastermind_client.net.running import OwnSeat

_Entry = TypeVar("_Entry")


async def pick_entry(inbox: Inbox, listed: ServerList[Any]) -> str | None:
    """Print a list and ask for an entry. Returns the key of the picked one, None for none.

    Raises InputEnded, Refused, and the error that ended the session.
    """
    write, found = inbox.terminal.write, list[Any]()
    with inbox.subscribed(partial(tell_connection, write=write)):
        while True:
            last = listed.key(found[-1]) if found else None
            entries, more = await listed.load(inbox.session, last)
            for number, entry in enumerate(entries, start=len(found) + 1):
                write(f"{number:2}  {listed.key(entry)}  {listed.describe(entry)}")
            found += entries
            if not found:
                write(_(listed.none))
                if not listed.refresh:
                    return None
            if listed.refresh:
                question = _("Which one? (number, Enter to refresh, q to quit)")
            elif more:
                question = _("Which one? (number, Enter for older ones, q to quit)")
            else:
                question = _("Which one? (number, q to quit)")
            while (line := await _read_choice(inbox, question)) or not (more or listed.refresh):
                if _ends(line):
                    return None
                if line and (picked := _find(inbox.terminal, line, found)) is not None:
                    return listed.key(picked)
                if listed.refresh:
                    break
            if listed.refresh:
                found.clear()


async def offer_way_back(terminal: LineTerminal) -> OwnSeat | None:
    """Return the first match that waits for the player, or None to start another one.

    Raises InputEnded.
    """
    if not terminal.interactive:
        return None
    seats = sort_seats(chain.from_iterable((await look_up(terminal.context)).values()))
    if not seats:
        return None
    match = describe_running(seats[0].match, terminal.context.zone)
    question = _("Continue {match}? (Y/N)").format(match=match)
    while True:
        terminal.prompt(f"{question} ")
        line = await terminal.read_line()
        terminal.echo(line)
        if (wanted := read_answer(line)) is not None:
            return seats[0] if wanted else None


async def pick_running(terminal: LineTerminal, seats: Sequence[OwnSeat]) -> OwnSeat | None:
    """Print the player's running matches. Returns the picked one, None for none.

    Raises InputEnded.
    """
    for number, seat in enumerate(seats, start=1):
        told = describe_seat(seat, terminal.context.zone)
        terminal.write(f"{number:2}  {seat.match.code}  {told}")
    while True:
        terminal.prompt(_("Which one? (number, q to quit)") + " ")
        line = await terminal.read_line()
        terminal.echo(line)
        line = line.strip()
        if _ends(line):
            return None
        if line and (picked := _find(terminal, line, seats)) is not None:
            return picked


async def _read_choice(inbox: Inbox, question: str) -> str:
    """Return the typed line without blanks around it."""
    line = await inbox.read_line(f"{question} ")
    inbox.terminal.echo(line)
    return line.strip()


def _ends(line: str) -> bool:
    """Return whether a line quits the list."""
    return line.lower() in ("q", "quit")


def _find(terminal: LineTerminal, line: str, found: Sequence[_Entry]) -> _Entry | None:
    """Return the entry with the typed number. A wrong number prints a message."""
    if line.isascii() and line.isdigit() and 1 <= int(line) <= len(found):
        return found[int(line) - 1]
    message = _("There is no match {number} in the list.")
    terminal.write(message.format(number=sanitise(line)))
    return None
