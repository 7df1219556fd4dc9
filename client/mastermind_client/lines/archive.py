"""Reviews on the line interface: one's own matches in a list, of which one is picked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.lines.inbox import Inbox, read_choice, tell_connection
from mastermind_client.words.archive import describe_archived
from mastermind_client.words.foreign import sanitise

if TYPE_CHECKING:
    from mastermind_client.lines.terminal import Terminal
    from mastermind_client.net.session import Session
    from mastermind_protocol.messages import ArchivedMatch


async def pick_archived(session: Session, terminal: Terminal) -> str | None:
    """List one's own matches that are over, the newest first, a page at a time.

    Returns the code of the one picked, None for none. Raises InputEnded, Refused, and what ended
    the session.
    """
    inbox = Inbox(session, terminal)
    tell = partial(tell_connection, write=terminal.write)
    found: list[ArchivedMatch] = []
    while True:
        before = found[-1].match if found else None
        page = await inbox.perform(session.list_archive(before), tell)
        for number, archived in enumerate(page.matches, start=len(found) + 1):
            terminal.write(f"{number:2}  {archived.match}  {describe_archived(archived)}")
        found += page.matches
        if not found:
            terminal.write(_("You have finished no match on this server yet."))
            return None
        more = page.more and bool(page.matches)
        question = (
            _("Which one? (number, Enter for older ones, q to quit)")
            if more
            else _("Which one? (number, q to quit)")
        )
        while (line := await read_choice(inbox, terminal, question)) or not more:
            if line in ("q", "quit"):
                return None
            if line.isascii() and line.isdigit() and 1 <= int(line) <= len(found):
                return found[int(line) - 1].match
            if line:
                terminal.write(
                    _("There is no match {number} in the list.").format(number=sanitise(line))
                )
