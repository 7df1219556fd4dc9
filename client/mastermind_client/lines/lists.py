"""Lists of matches, to pick one: those that wait or run, and one's own that are over."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

from mastermind_client.language import gettext as _
from mastermind_client.lines.ask import read_answer
from mastermind_client.lines.inbox import tell_connection
from mastermind_client.net.lookup import look_up
from mastermind_client.net.running import sort_seats
from mastermind_client.words.listings import describe_archived, describe_listed
from mastermind_client.words.running import describe_running, describe_seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.lines.inbox import Inbox
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.net.running import OwnSeat
    from mastermind_protocol.messages import ArchivedMatch, Listed


async def pick_match(inbox: Inbox, what: Literal["waiting", "running"]) -> str | None:
    """List the public matches that wait or run; return the code of the one picked, None for none.

    Raises InputEnded, and what ended the session.
    """
    write = inbox.terminal.write
    with inbox.subscribed(partial(tell_connection, write=write)):
        while True:
            found = await inbox.session.list_matches(what)
            if not found:
                write(
                    _("No public match is waiting.") if what == "waiting"
                    else _("No public match is running.")
                )  # fmt: skip
            for number, listed in enumerate(found, start=1):
                write(f"{number:2}  {listed.match}  {describe_listed(listed)}")
            question = _("Which one? (number, Enter to look again, q to quit)")
            line = await _read_choice(inbox, question)
            if _ends(line):
                return None
            if picked := line and _find(inbox, line, found):
                return picked


async def pick_archived(inbox: Inbox) -> str | None:
    """List one's own matches that are over, the newest first, a page at a time.

    Returns the code of the one picked, None for none. Raises InputEnded, Refused, and what ended
    the session.
    """
    write = inbox.terminal.write
    found: list[ArchivedMatch] = []
    with inbox.subscribed(partial(tell_connection, write=write)):
        while True:
            page = await inbox.session.list_archive(found[-1].match if found else None)
            for number, archived in enumerate(page.matches, start=len(found) + 1):
                write(f"{number:2}  {archived.match}  {describe_archived(archived)}")
            found += page.matches
            if not found:
                write(_("You have finished no match on this server yet."))
                return None
            more = page.more and bool(page.matches)
            question = (
                _("Which one? (number, Enter for older ones, q to quit)")
                if more
                else _("Which one? (number, q to quit)")
            )
            while (line := await _read_choice(inbox, question)) or not more:
                if _ends(line):
                    return None
                if picked := line and _find(inbox, line, found):
                    return picked


async def offer_way_back(terminal: LineTerminal) -> OwnSeat | None:
    """Return the match that a person wants to go on with, which waits first; None if none is.

    Raises InputEnded.
    """
    if not terminal.interactive:
        return None
    seats = sort_seats(chain.from_iterable((await look_up()).values()))
    if not seats:
        return None
    question = _("Go on with {match}? (Y/N)").format(match=describe_running(seats[0].match))
    while True:
        terminal.prompt(f"{question} ")
        line = await terminal.read_line()
        terminal.echo(line)
        if (wanted := read_answer(line)) is not None:
            return seats[0] if wanted else None


async def pick_running(terminal: LineTerminal, seats: Sequence[OwnSeat]) -> OwnSeat | None:
    """List our own matches that are not over; return the one picked, None for none.

    Raises InputEnded.
    """
    for number, seat in enumerate(seats, start=1):
        terminal.write(f"{number:2}  {seat.match.code}  {describe_seat(seat)}")
    while True:
        terminal.prompt(_("Which one? (number, q to quit)") + " ")
        line = await terminal.read_line()
        terminal.echo(line)
        line = line.strip()
        if _ends(line):
            return None
        if line.isascii() and line.isdigit() and 1 <= int(line) <= len(seats):
            return seats[int(line) - 1]
        if line:
            told = _("There is no match {number} in the list.")
            terminal.write(told.format(number=sanitise(line)))


async def _read_choice(inbox: Inbox, question: str) -> str:
    """Ask until a line is typed; return it without blanks around it."""
    line = await inbox.read_line(f"{question} ")
    inbox.terminal.echo(line)
    return line.strip()


def _ends(line: str) -> bool:
    """Return whether a line is the command to pick nothing."""
    return line.lower() in ("q", "quit")


def _find(inbox: Inbox, line: str, found: Sequence[Listed | ArchivedMatch]) -> str | None:
    """Return the code of the match with the number that was typed; None, and say so, of none."""
    if line.isascii() and line.isdigit() and 1 <= int(line) <= len(found):
        return found[int(line) - 1].match
    told = _("There is no match {number} in the list.")
    inbox.terminal.write(told.format(number=sanitise(line)))
    return None
