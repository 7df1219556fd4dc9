"""The queue of a session's updates and of typed lines, which delays the guesses of bots."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.clock import DelayTimer, LoopClock
from mastermind_client.language import gettext as _
from mastermind_client.messages.clocks import (
    RunningClock,
    find_clock_phase,
    find_running_clock,
    find_threshold_seconds,
    speak_time,
)
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.updates import (
    Announced,
    ChallengeClosed,
    ChallengeReceived,
    ChatReceived,
    CodeRevealed,
    ConnectionLost,
    MatchKept,
    MatchLost,
    MatchRestored,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    RequestDelayed,
    SessionEnded,
    SpectatorsChanged,
)
from mastermind_client.playback import Pacer, Playback
from mastermind_protocol.clock import MINUTE, SECOND
from mastermind_protocol.events import Guessed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mastermind_client.clock import TimerClock
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_client.messages.clocks import ClockPhase
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_client.network.updates import Update
    from mastermind_protocol.match import Match


class Inbox:
    """The updates of a session and the lines of a terminal, in the order to handle them.

    Waiting updates come before lines. Without a subscriber, updates of matches and challenges are
    queued, and messages about the connection are printed to standard error. A bot's guess is
    delivered `pace` seconds after the previous update.
    """

    def __init__(
        self, session: Session, terminal: LineTerminal, pace: float, clock: TimerClock
    ) -> None:
        self.session, self.terminal, self.clock = session, terminal, clock
        self._subscriber: Callable[[Update], None] | None = None
        self._queued: deque[Update] = deque()
        self._pacer = Pacer(
            Playback(pace, playing=False), self._find_delay, self._deliver_due, clock
        )  # running while there is a subscriber
        self._failure: Exception | None = None  # raised by the subscriber or the terminal
        self._updated = False  # an update was delivered since `next` returned
        session.updates.subscribe(self._receive, self._fail)

    @classmethod
    @contextmanager
    def open(
        cls,
        session: Session,
        terminal: LineTerminal,
        pace: float = 0.0,
        clock: TimerClock | None = None,
    ) -> Iterator[Inbox]:
        """Yield an inbox that is subscribed to a session during the block."""
        inbox = cls(session, terminal, pace, clock or LoopClock())
        try:
            yield inbox
        finally:
            inbox.close()

    def close(self) -> None:
        """Unsubscribe from the session."""
        self.session.updates.unsubscribe()
        self._pacer.close()

    def find_displayed(self, mirror: Mirror) -> Match:
        """Return the displayed state of a match, which can be earlier than the received state."""
        for update in self._queued:
            if isinstance(update, Moved) and update.mirror is mirror and update.before is not None:
                return update.before
        return mirror.state

    @contextmanager
    def subscribed(
        self, subscriber: Callable[[Update], None], *, paced: bool = False
    ) -> Iterator[None]:
        """Deliver every update to the subscriber during the block, the queued updates first.

        The queued updates are delivered at once, or with the usual delays if `paced`.
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
        """Wait for a line or an update. Returns the line, or None after a delivered update.

        If `lines` is false, it waits only for an update. Raises InputEnded. After the last
        update it raises the failure that ended the session.
        """
        while not self._updated:
            if self._failure is not None:
                raise self._failure
            ended = self.session.updates.connection.ended
            if ended is not None and not (self._subscriber and self._queued):
                raise ended
            if lines and self.terminal.has_line:
                return self.terminal.take_line()
            self.terminal.activity.clear()
            await self.terminal.activity.wait()
        self._updated = False
        return None

    async def read_line(self, prompt: str = "") -> str:
        """Return the next line. After each update the prompt is printed again."""
        line = None
        while line is None:
            if prompt and self.session.connected:
                self.terminal.prompt(prompt)
            line = await self.next()
        return line

    def print_line(self, text: str) -> None:
        """Print a line at once, before the queued updates. A pending prompt is printed again."""
        try:
            self.terminal.write(text)
        except Exception as error:
            self._fail(error)
            return
        self._wake()

    def _receive(self, update: Update) -> None:
        match update:
            case SessionEnded():
                self.terminal.activity.set()
            case ConnectionLost() | Reconnecting() | Reconnected() | RequestDelayed():
                self._deliver(update)
            case Announced() | MatchKept():
                self._deliver(update)
            case MatchLost(refusal=refusal):
                self._fail(refusal)
            case ChallengeReceived() | ChallengeClosed() if self._subscriber is not None:
                self._deliver(update)
            case (
                Moved()
                | MatchRestored()
                | CodeRevealed()
                | ChatReceived()
                | PresenceChanged()
                | SpectatorsChanged()
                | ChallengeReceived()
                | ChallengeClosed()
            ):
                if self._subscriber is None:
                    self._wake()
                self._queued.append(update)
                self._pacer.set_known(self._pacer.playback.known + 1)

    def _find_delay(self, _moment: int) -> float:
        """Return the seconds before the next update."""
        return self._pacer.playback.seconds if _is_bots_guess(self._queued[0]) else 0.0

    def _deliver_due(self) -> None:
        """Deliver the updates whose delay is over."""
        playback = self._pacer.playback
        for _update in range(len(self._queued) - (playback.known - 1 - playback.shown)):
            self._deliver(self._queued.popleft())

    def _deliver(self, update: Update) -> None:
        if self._subscriber is None:
            write_session_update(update, self.terminal.write_error)
        elif self._failure is None:
            try:
                self._subscriber(update)
            except Exception as error:
                self._fail(error)
                return
        self._wake()

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self.terminal.activity.set()

    def _wake(self) -> None:
        self._updated = True
        self.terminal.activity.set()


def _is_bots_guess(update: Update) -> bool:
    if not isinstance(update, Moved) or update.before is None or update.before.breaker is None:
        return False
    guessed = any(isinstance(event, Guessed) for event in update.events)
    return guessed and update.before.breaker.is_bot


def write_session_update(update: Update, write: Callable[[str], None]) -> None:
    """Write the line of `describe_session_update`, if the update has one."""
    if line := describe_session_update(update):
        write(line)


ANNOUNCED_TIMES_MS = (MINUTE, 30 * SECOND, 10 * SECOND)  # of the time left


class TimeAnnouncer:
    """Prints the time left to the player id `me` when it falls to one of ANNOUNCED_TIMES_MS.

    With an increment, the time can fall to the same value twice in a round. Only the first fall is
    printed. Call `restart` after each change of the match that `find_mirror` returns.
    """

    def __init__(self, inbox: Inbox, find_mirror: Callable[[], Mirror], me: str) -> None:
        self._inbox, self._find_mirror, self._me = inbox, find_mirror, me
        self._phase: ClockPhase | None = None  # in which the announced thresholds were reached
        self._announced: set[int] = set()
        self._timer = DelayTimer(inbox.clock, self._find_delay, self._announce)

    def restart(self) -> None:
        """Restart the timer for the present state of the match."""
        self._timer.restart()

    def close(self) -> None:
        """Cancel the timer."""
        self._timer.close()

    def _find_own_clock(self) -> RunningClock | None:
        running = find_running_clock(self._find_mirror())
        return running if running is not None and running.player == self._me else None

    def _find_delay(self) -> float | None:
        return find_threshold_seconds(self._find_own_clock(), ANNOUNCED_TIMES_MS)

    def _announce(self) -> None:
        running = self._find_own_clock()
        if running is None:
            return
        phase = find_clock_phase(self._find_mirror().state)
        if phase != self._phase:
            self._phase, self._announced = phase, set()
        reached = {each for each in ANNOUNCED_TIMES_MS if running.left <= each < running.total}
        if reached - self._announced:
            self._inbox.print_line(_("You have {time} left.").format(time=speak_time(min(reached))))
        self._announced |= reached
