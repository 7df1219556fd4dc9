"""Plays a user's bot on a server: opens lobbies, plays matches and rematches, and may forfeit.

A runner plays several matches at once, each in a task called a slot. A slot opens the lobby that
has been closed longest, waits for an opponent, plays the match and its rematches, and starts again.
If the bot fails, the runner forfeits the match.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.bot_runner.process import BotProcess, Forfeited
from mastermind_client.bot_runner.report import describe_update
from mastermind_client.config.options import DEFAULT_BOT_MATCHES, BotOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.failures import explain_refusal
from mastermind_client.network.identities import Identities, enter_in_thread
from mastermind_client.network.opening import enter_or_leave, leave_eventually, leave_within_timeout
from mastermind_client.network.session import Session
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, Refused
from mastermind_protocol.events import MAX_NAME_LENGTH, Forfeit, MatchEnd, Seat
from mastermind_protocol.match import BreakerView, Phase
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.bot_runner.worker import Abilities
    from mastermind_client.context import ClientContext
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match
    from mastermind_protocol.rules import Rules

_LOG = logging.getLogger(__name__)
REOPEN_SECONDS = 1.0  # before a refused lobby is opened again, unless the server names a time
REMATCH_WAIT_SECONDS = 60.0  # for an opponent to offer a rematch; then the slot opens a lobby
MAX_AWAY_SECONDS = 600.0  # for a disconnected opponent to return
MAX_IDLE_SECONDS = 3600.0  # for a connected opponent to move
_TEMPORARY_REFUSALS = {
    *TRANSIENT_CODES,
    ErrorCode.TOO_MANY,
}  # refusals that a later attempt can avoid


class CannotPlay(Refused):
    """The bot cannot play with these options. The message is in the user's language."""


class _OpponentIdle(Exception):
    """The opponent has been disconnected or inactive for too long."""


class LobbyTerms(NamedTuple):
    """The terms of a lobby that the bot opens: the rules, and the seat of the bot."""

    rules: Rules
    seat: Seat


async def run(context: ClientContext, options: BotOptions) -> None:
    """Run the bot until all its matches are played. Raises ServerUnreachable, Refused."""
    seats = _list_playable_seats(await _find_abilities(options), options)
    folder = f"bots/{options.bot.replace(':', '.')}"
    players = Identities.of(context, folder)  # not the name of the owner
    say = partial(print, file=context.output, flush=True)
    async with AsyncExitStack() as stack:
        identity = await enter_in_thread(stack, players.claim(options.server))
        connecting = Session.connect(
            options.server,
            identity,
            choose_name(options),
            program=True,
            network=context.network,
        )
        session = await stack.enter_async_context(connecting)
        name = sanitise(session.player.name)
        say(_("connected as {name}").format(name=name))
        await Runner(session, options, seats, say).run()


def choose_name(options: BotOptions) -> str:
    """Return the name in `options`, or without one the name of the bot's class."""
    return options.name or options.bot.partition(":")[2][:MAX_NAME_LENGTH]


async def _find_abilities(options: BotOptions) -> Abilities:
    try:
        async with BotProcess.start(options.bot, options.move_seconds) as process:
            return process.abilities
    except Forfeited as failure:
        raise CannotPlay.with_message(ErrorCode.UNKNOWN_BOT, str(failure)) from None


def _list_playable_seats(abilities: Abilities, options: BotOptions) -> list[Seat]:
    seats = [Seat.BREAKER] * abilities.chooses + [Seat.MAKER] * abilities.makes
    if options.rounds > 1 and len(seats) < 2:
        text = ngettext(
            "{bot} has no {missing}, and in {rounds} round the seats are swapped",
            "{bot} has no {missing}, and in {rounds} rounds the seats are swapped",
            options.rounds,
        ).format(
            bot=options.bot,
            missing="make(rules)" if abilities.chooses else "choose(view)",
            rounds=options.rounds,
        )
        raise CannotPlay.with_message(ErrorCode.INVALID_SEATS, text)
    return seats


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
        self._changed = asyncio.Condition()
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
            await self._notify()
        raise failure

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _wait_until(
        self, predicate: Callable[[], bool], seconds: float | None = None
    ) -> None:
        """Wait until the predicate is true. Raises TimeoutError after `seconds`."""
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(predicate)

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
            await self._wait_until(
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
        await self._notify()

    async def _host(self, lobby: LobbyTerms, mirror: Mirror) -> None:
        """Wait for an opponent in an open lobby, then play the match and its rematches."""
        why: Forfeit | None = None
        try:
            await self._wait_until(lambda: mirror.state.phase is not Phase.GATHERING)
            self._closed.append(lobby)
            if _is_closed(mirror.state):
                self._begun -= 1
            await self._notify()
            while not _is_closed(mirror.state):
                await self._play(mirror)
                if (rematch := await self._await_rematch(mirror)) is None:
                    break
                mirror = rematch
        except Forfeited as failure:
            why = failure.why
            text = _("{match}: forfeited: {reason}")
            self._write(text.format(match=mirror.code, reason=failure))
        except _OpponentIdle:
            text = _("{match}: no move for a long time; leaving")
            self._write(text.format(match=mirror.code))
        except asyncio.CancelledError:
            await self._leave_on_cancel(mirror)
            raise
        await leave_eventually(partial(self._leave, mirror, why))

    async def _play(self, mirror: Mirror) -> None:
        """Play a match to its end, in a new process of the bot. Raises Forfeited, _OpponentIdle."""
        try:
            async with BotProcess.start(self._options.bot, self._options.move_seconds) as process:
                while mirror.state.phase is not Phase.FINISHED:
                    if not self._is_bots_turn(mirror.state):
                        await self._await_turn(mirror)
                    elif (code := await self._choose_move(mirror, process)) is not None:
                        await self._send_move(mirror, code)
        finally:
            self._played += 1
            await self._notify()

    def _is_bots_turn(self, match: Match) -> bool:
        mover = match.to_move
        return mover is not None and mover.id == self._me

    async def _await_turn(self, mirror: Mirror) -> None:
        """Wait for the bot's turn, the end of the match, or a change of the opponent's connection.

        Raises _OpponentIdle.
        """
        away = bool(mirror.away)

        def has_changed() -> bool:
            over = mirror.state.phase is Phase.FINISHED
            return over or self._is_bots_turn(mirror.state) or bool(mirror.away) is not away

        try:
            await self._wait_until(has_changed, MAX_AWAY_SECONDS if away else MAX_IDLE_SECONDS)
        except TimeoutError:
            raise _OpponentIdle from None

    async def _choose_move(self, mirror: Mirror, process: BotProcess) -> Code | None:
        """Return the bot's move, or None if the round or the match ends before the choice."""
        match, left = mirror.state, mirror.time_left
        choosing = asyncio.create_task(
            process.make(match.rules)
            if _is_setting(match)
            else process.choose(BreakerView.of(match), None if left is None else left / 1000)
        )
        ending = asyncio.create_task(self._wait_until(lambda: mirror.state.phase is Phase.FINISHED))
        try:
            await asyncio.wait([choosing, ending], return_when=asyncio.FIRST_COMPLETED)
            code = None if mirror.state.phase is Phase.FINISHED else choosing.result()
            return code if _find_progress(mirror.state) == _find_progress(match) else None
        finally:
            choosing.cancel()
            ending.cancel()
            await asyncio.gather(choosing, ending, return_exceptions=True)

    async def _send_move(self, mirror: Mirror, code: Code) -> None:
        send = self._session.set_secret if _is_setting(mirror.state) else self._session.guess
        position = _find_progress(mirror.state)
        try:
            await send(mirror, code)
        except Refused as refusal:
            if _find_progress(mirror.state) != position:
                return  # the opponent left, or time ended, while the move was on its way
            illegal = refusal.code == ErrorCode.INVALID_CODE
            why = Forfeit.ILLEGAL if illegal else Forfeit.FAILED
            text = _("the move was refused: {reason}").format(reason=explain_refusal(refusal))
            raise Forfeited(why, text) from refusal

    async def _await_rematch(self, mirror: Mirror) -> Mirror | None:
        """Wait for the opponent to offer a rematch, and return it.

        Returns None without an offer, or if the bot cannot play the other seat.
        """
        seat = mirror.state.seat_of(self._me)
        if seat is None or seat.other not in self._seats:
            return None
        with suppress(TimeoutError):
            await self._wait_until(
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
            await self._notify()
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


def _find_progress(match: Match) -> tuple[int, Phase, int]:
    """Return a value that changes with each move and at the end of a round and of the match."""
    turns = match.current.turns if match.current else ()
    return len(match.played), match.phase, len(turns)


def _is_setting(match: Match) -> bool:
    return match.phase is Phase.SETTING
