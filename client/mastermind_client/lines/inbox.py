"""What reaches a line game: what happens is told as it comes, what is typed waits to be read."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from mastermind_client.net.updates import ConnectionUpdate, Reconnected
from mastermind_client.words.presence import describe_connection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.net.session import Session
    from mastermind_client.net.updates import Update


class Inbox:
    """Updates of a session and lines of a terminal: what happened goes before what was typed.

    Without a subscriber the updates of matches are kept, and what becomes of the connection goes to
    standard error. `connected` tells whether what is typed can be sent at once: nothing is asked
    while it cannot.
    """

    def __init__(self, session: Session, terminal: LineTerminal) -> None:
        self.session, self.terminal = session, terminal
        self.connected = True
        self._subscriber: Callable[[Update], None] | None = None
        self._backlog: list[Update] = []
        self._news = False  # whether anything was told since `next` has returned
        self._listening = asyncio.create_task(self._listen(), name="updates")
        self._listening.add_done_callback(lambda _: terminal.activity.set())

    @classmethod
    @asynccontextmanager
    async def open(cls, session: Session, terminal: LineTerminal) -> AsyncIterator[Inbox]:
        """Be the reader of a session while the block lasts."""
        inbox = cls(session, terminal)
        await asyncio.sleep(0)  # take what has happened already
        try:
            yield inbox
        finally:
            inbox.close()
            await asyncio.gather(inbox._listening, return_exceptions=True)

    def close(self) -> None:
        """Read the session no further."""
        self._listening.cancel()

    @contextmanager
    def subscribed(self, subscriber: Callable[[Update], None]) -> Iterator[None]:
        """Give every update to the subscriber while the block lasts, those that were kept first."""
        backlog, self._backlog = self._backlog, []
        for update in backlog:
            subscriber(update)
        self._subscriber = subscriber
        try:
            yield
        finally:
            self._subscriber = None

    async def next(self, *, lines: bool = True) -> str | None:
        """Wait for a line, if `lines` are wanted, or until something was told, which is None.

        Raises InputEnded and, when all that happened before has been told, what ended the session.
        """
        while not self._news:
            if self._listening.done():
                self._listening.result()
            if lines and self.terminal.has_line:
                return self.terminal.take_line()
            self.terminal.activity.clear()
            await self.terminal.activity.wait()
        self._news = False
        return None

    async def read_line(self, prompt: str = "") -> str:
        """Wait for a line; the prompt is printed again below what is told meanwhile."""
        line = None
        while line is None:
            if prompt and self.connected:
                self.terminal.prompt(prompt)
            line = await self.next()
        return line

    async def _listen(self) -> None:
        async for update in self.session.updates():
            if isinstance(update, ConnectionUpdate):
                self.connected = isinstance(update, Reconnected)
            if self._subscriber is not None:
                self._subscriber(update)
            elif isinstance(update, ConnectionUpdate):
                tell_connection(update, self.terminal.complain)
            else:
                self._backlog.append(update)
            self._news = True
            self.terminal.activity.set()


def tell_connection(update: Update, write: Callable[[str], None]) -> None:
    """Write what became of a connection, if that is what the update is about."""
    if line := describe_connection(update):
        write(line)
