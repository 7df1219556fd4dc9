"""What reaches a line game: updates of the session and lines of the player, in one place."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from mastermind_client.net.updates import Moved, Update
from mastermind_client.words.connection import describe_connection

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from mastermind_client.lines.terminal import Terminal
    from mastermind_client.net.session import Session

_T = TypeVar("_T")


class Inbox:
    """Waits for whichever comes first; what happened goes before what was typed."""

    def __init__(self, session: Session, terminal: Terminal) -> None:
        self._session, self._terminal = session, terminal

    async def next(self, *, lines: bool) -> Update | str:
        """Return the next update or, if `lines` are wanted, line.

        Raises InputEnded, and what ended the session.
        """
        while True:
            self._session.activity.clear()
            self._terminal.activity.clear()
            if update := self._session.poll():
                return update
            if lines and self._terminal.has_line:
                return self._terminal.take_line()
            await _first(self._session.activity.wait(), self._terminal.activity.wait())

    async def perform(
        self,
        request: Coroutine[object, object, _T],
        show: Callable[[Update], None],
        *,
        entering: bool = False,
    ) -> _T:
        """Await a request's answer, showing meanwhile what happens. Raises what it raises.

        On `entering` a match, what happened in it is left for whoever leads it then.
        """
        task = asyncio.ensure_future(request)
        try:
            while not task.done():
                self._session.activity.clear()
                while self._session.has_update:
                    if entering and isinstance(self._session.peek(), Moved):
                        break
                    if update := self._session.poll():
                        show(update)
                if not task.done():
                    activity = asyncio.ensure_future(self._session.activity.wait())
                    await asyncio.wait({task, activity}, return_when=asyncio.FIRST_COMPLETED)
                    activity.cancel()
            return task.result()
        finally:
            task.cancel()


def tell_connection(update: Update, write: Callable[[str], None]) -> None:
    """Write what became of a connection, if that is what the update is about."""
    if line := describe_connection(update):
        write(line)


async def read_choice(inbox: Inbox, terminal: Terminal, question: str) -> str:
    """Ask until a line is typed, telling meanwhile what becomes of the connection.

    Returns it in small letters. Raises InputEnded, and what ended the session.
    """
    while True:
        terminal.prompt(f"{question} ")
        got = await inbox.next(lines=True)
        if isinstance(got, str):
            line = got.strip().lower()
            terminal.echo(line)
            return line
        tell_connection(got, terminal.write)


async def _first(*waits: Coroutine[object, object, object]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
