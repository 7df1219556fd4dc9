"""Plays a user's bot on a server: opens lobbies, plays matches and rematches, and may forfeit.

A runner plays several matches at once, each in a task called a slot. A slot opens the lobby that
has been closed longest, waits for an opponent, plays the match and its rematches, and starts again.
If the bot fails, the runner forfeits the match.

A bot can be killed, so the server knows its unfinished matches. The slots resume them before they
open lobbies.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.bot_runner.lobbies import LobbyTerms, list_unfinished
from mastermind_client.bot_runner.player import BotPlayer, Changes, OpponentIdle
from mastermind_client.bot_runner.process import Forfeited
from mastermind_client.bot_runner.refusals import is_temporary, repeat_until_accepted, wait_after
from mastermind_client.bot_runner.report import describe_update
from mastermind_client.config.options import DEFAULT_BOT_MATCHES, BotOptions
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import explain_refusal
from mastermind_client.network.entering import (
    enter_or_leave,
    leave_eventually,
    leave_within_timeout,
)
from mastermind_client.network.updates import Moved
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Forfeit, MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.bot_runner.lobbies import Unfinished
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_client.network.updates import Update

_LOG = logging.getLogger(__name__)
REMATCH_WAIT_SECONDS = 60.0  # for an opponent to offer a rematch; then the slot opens a lobby


class Runner:
    """Plays a bot's matches in one session.

    A slot is a task that resumes unfinished matches, then opens lobbies and plays their matches,
    one after another.
    """

    def __init__(
        self,
        session: Session,
        options: BotOptions,
        seats: list[Seat],
        write: Callable[[str], None],
    ) -> None:
        self._session, self._options, self._seats, self._write = session, options, seats, write
        # The lobbies that no slot has opened, the longest closed first.
        self._closed = deque(LobbyTerms(rules, seat) for rules in options.rules for seat in seats)
        self._refused: set[LobbyTerms] = set()  # could not be opened at the last attempt
        self._unfinished: deque[Unfinished] = deque()  # to resume
        self._joining: set[str] = set()  # codes of unfinished matches
        self._more = False  # the server knows more unfinished matches than it has listed
        self._slot_count = options.games or max(DEFAULT_BOT_MATCHES, len(self._closed))
        self._begun = self._played = 0  # matches, also resumed ones; `_begun` includes lobbies
        self._changes = Changes()
        self._player = BotPlayer(session, options, self._changes)
        self._received = asyncio.Event()  # an update, or a failure
        self._failure: Exception | None = None  # an exception of `_on_update`
        session.updates.subscribe(self._on_update, self._fail)

    async def run(self) -> None:
        """Play all matches. If this task is cancelled, leave every match that has not ended."""
        try:
            async with asyncio.TaskGroup() as group:
                watching = group.create_task(self._wake_slots())
                await self._queue_unfinished()
                slots = [group.create_task(self._run_slot()) for _ in range(self._slot_count)]
                await asyncio.wait(slots)
                watching.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    def _on_update(self, update: Update) -> None:
        """Write the report lines of an update."""
        self._received.set()
        if isinstance(update, Moved) and self._is_reported(update.mirror):
            return
        for line in describe_update(update, self._me):
            self._write(line)

    def _is_reported(self, mirror: Mirror) -> bool:
        """Return whether an earlier run has reported the log that we are receiving."""
        return mirror.code in self._joining and mirror.state.phase is not Phase.GATHERING

    def _fail(self, error: Exception) -> None:
        self._failure = error

    async def _wake_slots(self) -> None:
        """Wake the slots after each update.

        Raises the failure that ended the session, or an exception of `_on_update`, for example
        because the output is closed.
        """
        while (failure := self._failure or self._session.updates.connection.ended) is None:
            await self._received.wait()
            self._received.clear()
            await self._changes.notify()
        raise failure

    @property
    def _me(self) -> str:
        return self._session.player.id

    @property
    def _has_played_all(self) -> bool:
        most = self._options.matches
        return most is not None and self._played >= most and not self._unfinished

    @property
    def _may_begin(self) -> bool:
        """Whether the limit of matches in the options allows another match."""
        return self._options.matches is None or self._begun < self._options.matches

    async def _queue_unfinished(self) -> None:
        """Queue our unfinished matches that no slot plays."""
        try:
            own = await repeat_until_accepted(self._session.list_own)
        except Refused as refusal:
            if refusal.code != ErrorCode.UNKNOWN_MESSAGE:
                raise
            return  # by an older server
        self._more = own.more
        found = (match for match in own.matches if not self._is_taken(match.match))
        self._unfinished += list_unfinished(found, self._closed, self._options)

    def _is_taken(self, code: str) -> bool:
        """Return whether a slot plays the match, or it is queued."""
        queued = any(unfinished.code == code for unfinished in self._unfinished)
        return queued or code in self._joining or code in self._session.followed

    async def _run_slot(self) -> None:
        """Resume matches, or open lobbies and play their matches, one after another."""
        while True:
            await self._changes.wait_until(
                lambda: (
                    self._has_played_all
                    or bool(self._unfinished)
                    or (self._may_begin and bool(self._closed))
                )
            )
            if self._has_played_all:
                return
            if self._unfinished:
                await self._resume(self._unfinished.popleft())
            else:
                await self._open_and_host(self._closed.popleft())
            if self._more:
                await self._queue_unfinished()

    async def _resume(self, unfinished: Unfinished) -> None:
        """Play an unfinished match. A lobby by other terms than ours is closed."""
        code, lobby = unfinished
        self._begun += 1
        self._joining.add(code)
        try:
            mirror = await enter_or_leave(
                self._session, self._leave_on_cancel, self._session.join(code)
            )
        except Refused as refusal:
            self._begun -= 1
            await self._resume_later(unfinished, refusal)
            return
        finally:
            self._joining.remove(code)
        if mirror.state.phase is not Phase.GATHERING:
            text = _("{match}: resumed")
            self._write(text.format(match=code))
        elif lobby is None:
            self._begun -= 1
            await self._leave_eventually(mirror, None)
            self._write(_("{match}: left").format(match=code))
            return
        await self._host(lobby, mirror)

    async def _resume_later(self, unfinished: Unfinished, refusal: Refused) -> None:
        """Wait after a refusal, and queue the match again. If it is permanent, drop the match."""
        if is_temporary(refusal):
            await wait_after(refusal)
            self._unfinished.append(unfinished)
        else:
            _LOG.info("match %s cannot be resumed: %s", unfinished.code, refusal.message)
            if unfinished.lobby is not None:
                self._closed.append(unfinished.lobby)
        await self._changes.notify()

    async def _open_and_host(self, lobby: LobbyTerms) -> None:
        self._begun += 1
        try:
            mirror = await self._open(lobby)
        except Refused as refusal:
            if not is_temporary(refusal):
                raise
            await self._open_later(lobby, refusal)
        else:
            await self._host(lobby, mirror)

    async def _open(self, lobby: LobbyTerms) -> Mirror:
        maker, breaker = SEAT_FOR_ME, SEAT_FOR_ANYONE
        if lobby.seat is not Seat.MAKER:
            maker, breaker = breaker, maker
        mirror = await enter_or_leave(self._session, self._leave_on_cancel, self._session.open(
            lobby.rules.name, maker=maker, breaker=breaker,
            rounds=self._options.rounds, public=True, clock=self._options.clock,
        ))  # fmt: skip
        self._refused.discard(lobby)
        return mirror

    async def _open_later(self, lobby: LobbyTerms, refusal: Refused) -> None:
        """Wait after a refusal, and queue the lobby again. Only the first refusal is reported."""
        if lobby not in self._refused:
            self._refused.add(lobby)
            text = _("no match of {rules} is opened now: {reason}; trying again")
            self._write(text.format(rules=lobby.rules, reason=explain_refusal(refusal)))
        await wait_after(refusal)
        self._closed.append(lobby)
        self._begun -= 1
        await self._changes.notify()

    async def _host(self, lobby: LobbyTerms | None, mirror: Mirror) -> None:
        """Wait for an opponent in an open lobby, then play the match and its rematches."""
        why: Forfeit | None = None
        try:
            await self._changes.wait_until(
                lambda: _is_closed(mirror) or mirror.state.phase is not Phase.GATHERING
            )
            if lobby is not None:
                self._closed.append(lobby)
            if _is_closed(mirror):
                self._begun -= 1
            await self._changes.notify()
            while not _is_closed(mirror):
                try:
                    await self._player.play(mirror)
                finally:
                    self._played += 1
                    await self._changes.notify()
                if (rematch := await self._await_rematch(mirror)) is None:
                    break
                mirror = rematch
        except Forfeited as failure:
            why = failure.why
            text = _("{match}: forfeited: {reason}")
            self._write(text.format(match=mirror.code, reason=failure))
        except OpponentIdle:
            text = _("{match}: no move for a long time; leaving")
            self._write(text.format(match=mirror.code))
        except asyncio.CancelledError:
            await self._leave_on_cancel(mirror)
            raise
        await self._leave_eventually(mirror, why)

    async def _await_rematch(self, mirror: Mirror) -> Mirror | None:
        """Wait for the opponent to offer a rematch, and return it.

        Returns None without an offer, or if the bot cannot play the other seat.
        """
        seat = mirror.state.seat_of(self._me)
        if seat is None or seat.other not in self._seats:
            return None
        with suppress(TimeoutError):
            await self._changes.wait_until(
                lambda: bool(
                    mirror.state.rematch
                    or mirror.state.departed
                    or mirror.lost
                    or not self._may_begin
                ),
                REMATCH_WAIT_SECONDS,
            )
        if mirror.state.rematch is None or not self._may_begin:
            return None
        self._begun += 1
        try:
            rematch = await enter_or_leave(
                self._session, self._leave_on_cancel, self._session.rematch(mirror)
            )
        except Refused as refusal:  # the opponent has withdrawn the offer
            _LOG.debug("no rematch of %s: %s", mirror.code, refusal.message)
            self._begun -= 1
            await self._changes.notify()
            return None
        await leave_eventually(partial(self._session.unfollow, mirror))
        return rematch

    async def _leave_eventually(self, mirror: Mirror, why: Forfeit | None) -> None:
        """Leave a match. While the server refuses that temporarily, the opponent would wait."""
        leave = partial(self._leave, mirror, why)
        await leave_eventually(lambda: repeat_until_accepted(leave))

    async def _leave_on_cancel(self, mirror: Mirror) -> None:
        left = await leave_within_timeout(self._session, partial(self._leave, mirror, None))
        text = _("{match}: left") if left else _("{match}: could not be left")
        self._write(text.format(match=mirror.code))

    async def _leave(self, mirror: Mirror, why: Forfeit | None) -> None:
        if self._me in mirror.state.departed:
            await self._session.unfollow(mirror)
        else:
            await self._session.leave(mirror, why)


def _is_closed(mirror: Mirror) -> bool:
    """Return whether the match was closed before an opponent joined, or is lost."""
    outcome = mirror.state.outcome
    return bool(mirror.lost) or (outcome is not None and outcome.how is MatchEnd.CLOSED)
