"""Questions for an entry of a list."""

from __future__ import annotations

from argparse import ArgumentTypeError
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mastermind_client.config.values import parse_match_code
from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.lines.inbox import write_session_update
from mastermind_client.messages.listings import describe_seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.lists import PrintedList
    from mastermind_client.network.running import OwnSeat


_Entry = TypeVar("_Entry")


async def pick_entry(inbox: Inbox, listed: PrintedList[Any]) -> str | None:
    """Print a list of matches and ask for one. Returns its code, or None if the player picks none.

    The player can also type the code of a match that is not in the list. Raises InputEnded,
    Refused, and the failure that ended the session.
    """
    write, found = inbox.terminal.write, list[Any]()
    with inbox.subscribed(partial(write_session_update, write=write)):
        while True:
            last = listed.key(found[-1]) if found else None
            entries, more = await listed.load(inbox.session, last)
            for number, entry in enumerate(entries, start=len(found) + 1):
                described = listed.describe(entry, inbox.terminal.context.zone)
                write(f"{number:2}  {listed.key(entry)}  {described}")
            found += entries
            if not found:
                write(_(listed.printed_if_empty))
                if not listed.refresh:
                    return None
            if listed.refresh:
                question = _("Which one? (number, Enter to refresh, q to quit)")
            elif more:
                question = _("Which one? (number, Enter for older ones, q to quit)")
            else:
                question = _("Which one? (number, q to quit)")
            while (line := await _read_choice(inbox, question)) or not (more or listed.refresh):
                if _quits(line):
                    return None
                if code := _read_code(line):
                    return code
                if line and (picked := _find_entry(inbox.terminal, line, found)) is not None:
                    return listed.key(picked)
                if listed.refresh:
                    break
            if listed.refresh:
                found.clear()


async def pick_unfinished(terminal: LineTerminal, seats: Sequence[OwnSeat]) -> OwnSeat | None:
    """Print the player's running matches and ask for one. Returns None if none is picked.

    Raises InputEnded.
    """
    for number, seat in enumerate(seats, start=1):
        text = describe_seat(seat, terminal.context.zone)
        terminal.write(f"{number:2}  {seat.match.code}  {text}")
    while True:
        terminal.prompt(_("Which one? (number, q to quit)") + " ")
        line = await terminal.read_line()
        terminal.echo(line)
        line = line.strip()
        if _quits(line):
            return None
        if line and (picked := _find_entry(terminal, line, seats)) is not None:
            return picked


async def _read_choice(inbox: Inbox, question: str) -> str:
    """Ask a question and return the typed line, without blanks around it."""
    line = await inbox.read_line(f"{question} ")
    inbox.terminal.echo(line)
    return line.strip()


def _read_code(line: str) -> str:
    """Return the match code in a line, or "" if the line is none."""
    try:
        return parse_match_code(line)
    except ArgumentTypeError:
        return ""


def _quits(line: str) -> bool:
    """Return whether a line is the answer that quits a list."""
    return read_keys(line) in ("q", "quit")


def _find_entry(terminal: LineTerminal, line: str, found: Sequence[_Entry]) -> _Entry | None:
    """Return the entry with the typed number. For a wrong number, print a message, return None."""
    number = read_keys(line)
    if number.isascii() and number.isdigit() and 1 <= int(number) <= len(found):
        return found[int(number) - 1]
    message = _("There is no match {number} in the list.")
    terminal.write(message.format(number=sanitise(line)))
    return None
