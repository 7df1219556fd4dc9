"""What reaches a line game: what happens is told, bots' guesses at a pace; what is typed waits."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from mastermind_client.clock import LoopClock
from mastermind_client.net.updates import Announced, ConnectionUpdate, Moved, PutOff, Reconnected
from mastermind_client.pace import Pacer, Playback
from mastermind_client.words.presence import describe_connection
from mastermind_protocol.events import Guessed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from mastermind_client.clock import TimerClock
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.session import Session
    from mastermind_client.net.updates import Update
    from mastermind_protocol.match import Match


class Inbox:
    """Updates of a session and lines of a terminal: what happened goes before what was typed.

    Without a subscriber the updates of matches are kept, and what becomes of the connection goes to
    standard error. `connected` tells whether what is typed can be sent at once: nothing is asked
    while it cannot. Before a bot's guess is told, what was told last is there to be read for `pace`
    seconds of the `clock`.
    """

    def __init__(
        self, session: Session, terminal: LineTerminal, pace: float, clock: TimerClock
    ) -> None:
        self.session, self.terminal = session, terminal
        self.connected = True
        self._subscriber: Callable[[Update], None] | None = None
        self._untold: deque[Update] = deque()
        self._pacer = Pacer(
            Playback(pace, playing=False), self._find_stay, self._tell, clock
        )  # it plays while somebody is subscribed
        self._mistake: Exception | None = None  # of the subscriber
        self._news = False  # whether anything was told since `next` has returned
        self._listening = asyncio.create_task(self._listen(), name="updates")
        self._listening.add_done_callback(lambda _: terminal.activity.set())

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        session: Session,
        terminal: LineTerminal,
        pace: float = 0.0,
        clock: TimerClock | None = None,
    ) -> AsyncIterator[Inbox]:
        """Be the reader of a session while the block lasts."""
        inbox = cls(session, terminal, pace, clock or LoopClock())
        await asyncio.sleep(0)  # take what has happened already
        try:
            yield inbox
        finally:
            inbox.close()
            await asyncio.gather(inbox._listening, return_exceptions=True)

    def close(self) -> None:
        """Read the session no further."""
        self._listening.cancel()
        self._pacer.close()

    def find_told(self, mirror: Mirror) -> Match:
        """Return a match as far as it has been told: it may be further on by now.

        The answer to a request and a move can arrive at once. Whoever asked then runs before the
        listener, and the move is still among the session's unread updates.
        """
        for update in chain(self._untold, self.session.unread):
            if isinstance(update, Moved) and update.mirror is mirror and update.before is not None:
                return update.before
        return mirror.state

    @contextmanager
    def subscribed(
        self, subscriber: Callable[[Update], None], *, paced: bool = False
    ) -> Iterator[None]:
        """Give every update to the subscriber while the block lasts, those that were kept first.

        These are given at once, unless they are to be `paced` as those that come.
        """
        self._subscriber = subscriber
        playback = self._pacer.playback
        self._pacer.change(
            replace(playback, playing=True) if paced else playback.last(self._pacer.now)
        )
        try:
            yield
        finally:
            self._subscriber = None
            self._pacer.change(replace(self._pacer.playback, playing=False))

    async def next(self, *, lines: bool = True) -> str | None:
        """Wait for a line, if `lines` are wanted, or until something was told, which is None.

        Raises InputEnded and, when all that happened before has been told, what ended the session.
        """
        while not self._news:
            if self._mistake is not None:
                raise self._mistake
            if self._listening.done() and not (self._subscriber and self._untold):
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
                self._hand_over(update)
                continue
            if isinstance(update, PutOff | Announced):
                self._hand_over(update)
                continue
            if self._subscriber is None:
                self._wake()
            self._untold.append(update)
            self._pacer.learn(self._pacer.playback.known + 1)

    def _find_stay(self, _moment: int) -> float:
        """Return for how many seconds nothing is told before the next update."""
        return self._pacer.playback.seconds if _is_bots_guess(self._untold[0]) else 0.0

    def _tell(self) -> None:
        """Tell all that is shown and has not been told."""
        playback = self._pacer.playback
        for _update in range(len(self._untold) - (playback.known - 1 - playback.shown)):
            self._hand_over(self._untold.popleft())

    def _hand_over(self, update: Update) -> None:
        if self._subscriber is None:
            tell_connection(update, self.terminal.complain)
        elif self._mistake is None:
            try:
                self._subscriber(update)
            except Exception as error:
                self._mistake = error
                self.terminal.activity.set()
                return
        self._wake()

    def _wake(self) -> None:
        self._news = True
        self.terminal.activity.set()


def _is_bots_guess(update: Update) -> bool:
    if not isinstance(update, Moved) or update.before is None or update.before.breaker is None:
        return False
    guessed = any(isinstance(event, Guessed) for event in update.events)
    return guessed and update.before.breaker.is_bot


def tell_connection(update: Update, write: Callable[[str], None]) -> None:
    """Write what became of a connection, if that is what the update is about."""
    if line := describe_connection(update):
        write(line)
