"""The updates of a session and the typed lines, in order; bots' guesses at a pace."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.clock import LoopClock
from mastermind_client.messages.players import describe_connection
from mastermind_client.net.updates import (
    Announced,
    ConnectionLost,
    Heard,
    Moved,
    PresenceChanged,
    PutOff,
    Reconnected,
    Reconnecting,
    SessionEnded,
    SpectatorsChanged,
)
from mastermind_client.pace import Pacer, Playback
from mastermind_protocol.events import Guessed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mastermind_client.clock import TimerClock
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.session import Session
    from mastermind_client.net.updates import Update
    from mastermind_protocol.match import Match


class Inbox:
    """The updates of a session, followed by the lines of a terminal.

    Without a subscriber, updates of matches are queued, and texts about the connection go to
    standard error. A bot's guess follows `pace` seconds of the `clock` after the update before it.
    """

    def __init__(
        self, session: Session, terminal: LineTerminal, pace: float, clock: TimerClock
    ) -> None:
        self.session, self.terminal = session, terminal
        self._subscriber: Callable[[Update], None] | None = None
        self._untold: deque[Update] = deque()
        self._pacer = Pacer(
            Playback(pace, playing=False), self._find_stay, self._tell, clock
        )  # it plays while there is a subscriber
        self._mistake: Exception | None = None  # of the subscriber
        self._news = False  # an update was delivered since `next` returned
        session.subscribe(self._receive, self._fail)

    @classmethod
    @contextmanager
    def open(
        cls,
        session: Session,
        terminal: LineTerminal,
        pace: float = 0.0,
        clock: TimerClock | None = None,
    ) -> Iterator[Inbox]:
        """Subscribe to a session for the duration of the block."""
        inbox = cls(session, terminal, pace, clock or LoopClock())
        try:
            yield inbox
        finally:
            inbox.close()

    def close(self) -> None:
        """Unsubscribe from the session."""
        self.session.unsubscribe()
        self._pacer.close()

    def find_told(self, mirror: Mirror) -> Match:
        """Return the displayed state of a match, which may be behind the received one."""
        for update in self._untold:
            if isinstance(update, Moved) and update.mirror is mirror and update.before is not None:
                return update.before
        return mirror.state

    @contextmanager
    def subscribed(
        self, subscriber: Callable[[Update], None], *, paced: bool = False
    ) -> Iterator[None]:
        """Deliver every update to the subscriber within the block, the queued ones first.

        The queued ones are delivered at once, or `paced` like the later ones.
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
        """Return the next line, if `lines` are wanted, or None after the next update.

        Raises InputEnded and, after the last update, the failure that ended the session.
        """
        while not self._news:
            if self._mistake is not None:
                raise self._mistake
            ended = self.session.connection.ended
            if ended is not None and not (self._subscriber and self._untold):
                raise ended
            if lines and self.terminal.has_line:
                return self.terminal.take_line()
            self.terminal.activity.clear()
            await self.terminal.activity.wait()
        self._news = False
        return None

    async def read_line(self, prompt: str = "") -> str:
        """Return the next line. The prompt is printed again below each update."""
        line = None
        while line is None:
            if prompt and self.session.connected:
                self.terminal.prompt(prompt)
            line = await self.next()
        return line

    def _receive(self, update: Update) -> None:
        match update:
            case SessionEnded():
                self.terminal.activity.set()
            case ConnectionLost() | Reconnecting() | Reconnected() | PutOff() | Announced():
                self._hand_over(update)
            case Moved() | Heard() | PresenceChanged() | SpectatorsChanged():
                if self._subscriber is None:
                    self._wake()
                self._untold.append(update)
                self._pacer.learn(self._pacer.playback.known + 1)

    def _find_stay(self, _moment: int) -> float:
        """Return the seconds before the next update."""
        return self._pacer.playback.seconds if _is_bots_guess(self._untold[0]) else 0.0

    def _tell(self) -> None:
        """Deliver the updates that the playback has reached."""
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
                self._fail(error)
                return
        self._wake()

    def _fail(self, error: Exception) -> None:
        self._mistake = error
        self.terminal.activity.set()

    def _wake(self) -> None:
        self._news = True
        self.terminal.activity.set()


def _is_bots_guess(update: Update) -> bool:
    if not isinstance(update, Moved) or update.before is None or update.before.breaker is None:
        return False
    guessed = any(isinstance(event, Guessed) for event in update.events)
    return guessed and update.before.breaker.is_bot


def tell_connection(update: Update, write: Callable[[str], None]) -> None:
    """Write the text of an update about the connection."""
    if line := describe_connection(update):
        write(line)
