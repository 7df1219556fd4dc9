"""Plays a user's bot on a server: opens lobbies, plays matches and rematches, and may forfeit.

A runner plays several matches at once, each in a task called a slot. A slot opens the lobby that
has been closed longest, waits for an opponent, plays the match and its rematches, and starts again.
If the bot fails, the runner forfeits the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.bot_runner.player import BotPlayer, Changes, OpponentIdle
from mastermind_client.bot_runner.process import Forfeited
from mastermind_client.bot_runner.report import describe_update
from mastermind_client.config.options import DEFAULT_BOT_MATCHES, BotOptions
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import explain_refusal
from mastermind_client.network.opening import enter_or_leave, leave_eventually, leave_within_timeout
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, Refused
from mastermind_protocol.events import Forfeit, MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_client.network.updates import Update
    from mastermind_protocol.match import Match
    from mastermind_protocol.rules import Rules

_LOG = logging.getLogger(__name__)
REOPEN_SECONDS = 1.0  # before a refused lobby is opened again, unless the server names a time
REMATCH_WAIT_SECONDS = 60.0  # for an opponent to offer a rematch; then the slot opens a lobby
_TEMPORARY_REFUSALS = {
    *TRANSIENT_CODES,
    ErrorCode.TOO_MANY,
}  # refusals that a later attempt can avoid


class LobbyTerms(NamedTuple):
    """The terms of a lobby that the bot opens: the rules, and the seat of the bot."""

    rules: Rules
    seat: Seat


class Runner:
    """Plays a bot's matches in one session.

    A slot is a task that opens lobbies and plays their matches, one after another.
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
        self._slot_count = options.games or max(DEFAULT_BOT_MATCHES, len(self._closed))
        self._begun = self._played = 0  # matches; `_begun` includes open lobbies
        self._changes = Changes()
        self._player = BotPlayer(session, options, self._changes)
        self._received = asyncio.Event()  # an update, or a failure
        self._failure: Exception | None = None  # an exception of `_on_update`
        session.subscribe(self._on_update, self._fail)

    async def run(self) -> None:
        """Play all matches. If this task is cancelled, leave every match that has not ended."""
        try:
            async with asyncio.TaskGroup() as group:
                watching = group.create_task(self._wake_slots())
                slots = [group.create_task(self._run_slot()) for _ in range(self._slot_count)]
                await asyncio.wait(slots)
                watching.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    def _on_update(self, update: Update) -> None:
        """Write the report lines of an update."""
        self._received.set()
        for line in describe_update(update, self._me):
            self._write(line)

    def _fail(self, error: Exception) -> None:
        self._failure = error

    async def _wake_slots(self) -> None:
        """Wake the slots after each update.

        Raises the failure that ended the session, or an exception of `_on_update`, for example
        because the output is closed.
        """
        while (failure := self._failure or self._session.connection.ended) is None:
            await self._received.wait()
            self._received.clear()
            await self._changes.notify()
        raise failure

    @property
    def _me(self) -> str:
        return self._session.player.id

    @property
    def _has_played_all(self) -> bool:
        return self._played == self._options.matches

    @property
    def _may_begin(self) -> bool:
        """Whether the limit of matches in the options allows another match."""
        return self._begun != self._options.matches

    async def _run_slot(self) -> None:
        """Open lobbies and play their matches, one after another."""
        while True:
            await self._changes.wait_until(
                lambda: self._has_played_all or (self._may_begin and bool(self._closed))
            )
            if self._has_played_all:
                return
            lobby = self._closed.popleft()
            self._begun += 1
            try:
                mirror = await self._open(lobby)
            except Refused as refusal:
                if refusal.code not in _TEMPORARY_REFUSALS:
                    raise
                await self._retry_later(lobby, refusal)
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

    async def _retry_later(self, lobby: LobbyTerms, refusal: Refused) -> None:
        """Wait after a refusal, and queue the lobby again. Only the first refusal is reported."""
        if lobby not in self._refused:
            self._refused.add(lobby)
            text = _("no match of {rules} is opened now: {reason}; trying again")
            self._write(text.format(rules=lobby.rules, reason=explain_refusal(refusal)))
        await asyncio.sleep(refusal.retry_after or REOPEN_SECONDS)
        self._closed.append(lobby)
        self._begun -= 1
        await self._changes.notify()

    async def _host(self, lobby: LobbyTerms, mirror: Mirror) -> None:
        """Wait for an opponent in an open lobby, then play the match and its rematches."""
        why: Forfeit | None = None
        try:
            await self._changes.wait_until(lambda: mirror.state.phase is not Phase.GATHERING)
            self._closed.append(lobby)
            if _is_closed(mirror.state):
                self._begun -= 1
            await self._changes.notify()
            while not _is_closed(mirror.state):
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
        await leave_eventually(partial(self._leave, mirror, why))

    async def _await_rematch(self, mirror: Mirror) -> Mirror | None:
        """Wait for the opponent to offer a rematch, and return it.

        Returns None without an offer, or if the bot cannot play the other seat.
        """
        seat = mirror.state.seat_of(self._me)
        if seat is None or seat.other not in self._seats:
            return None
        with suppress(TimeoutError):
            await self._changes.wait_until(
                lambda: bool(mirror.state.rematch or mirror.state.departed or not self._may_begin),
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
        await self._session.unfollow(mirror)
        return rematch

    async def _leave_on_cancel(self, mirror: Mirror) -> None:
        left = await leave_within_timeout(self._session, partial(self._leave, mirror, None))
        text = _("{match}: left") if left else _("{match}: could not be left")
        self._write(text.format(match=mirror.code))

    async def _leave(self, mirror: Mirror, why: Forfeit | None) -> None:
        if self._me in mirror.state.departed:
            await self._session.unfollow(mirror)
        else:
            await self._session.leave(mirror, why)


def _is_closed(match: Match) -> bool:
    """Return whether the match was closed before an opponent joined."""
    return match.outcome is not None and match.outcome.how is MatchEnd.CLOSED
