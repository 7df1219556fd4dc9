"""Runs a user's bot on a server: keeps lobbies open, plays whoever comes, forfeits what it must.

There are so many slots as games may run at once. A slot opens the lobby that has been closed for
longest, waits for somebody, plays the match and its rematches, and begins again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import platformdirs

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.net.identity import claim_identity
from mastermind_client.net.matchmaking import enter_or_leave, leave_in_time, say_good_bye
from mastermind_client.net.session import Session
from mastermind_client.own_bot.options import DEFAULT_GAMES, BotOptions
from mastermind_client.own_bot.process import BotProcess, Forfeited
from mastermind_client.own_bot.report import describe_update
from mastermind_client.words.refusals import explain_refusal
from mastermind_protocol.errors import TRANSIENT, ErrorCode, Refused
from mastermind_protocol.events import Forfeit, MatchEnd, Seat
from mastermind_protocol.match import BreakerView, Phase
from mastermind_protocol.requests import ME, OPEN
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.net.mirror import Mirror
    from mastermind_client.own_bot.wire import Abilities
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match
    from mastermind_protocol.rules import Rules

_LOG = logging.getLogger(__name__)
AGAIN_SECONDS = 1.0  # before a lobby is opened that the server could not open, if it does not say
REMATCH_SECONDS = 60.0  # for an opponent to offer one: then the slot is for somebody else
AWAY_SECONDS = 600.0  # for an opponent whose connection is lost to come back
IDLE_SECONDS = 3600.0  # for an opponent who is there to move
_LATER = {*TRANSIENT, ErrorCode.TOO_MANY}  # a lobby that cannot be opened now may be


class CannotPlay(Refused):
    """The user's bot cannot play as it was asked to; the text is in the reader's language."""


class _Deserted(Exception):
    """The opponent has kept the bot waiting for too long."""


class LobbyTerms(NamedTuple):
    """A lobby that the bot keeps open: the rules, and the seat it takes itself."""

    rules: Rules
    seat: Seat


async def run(options: BotOptions) -> None:
    """Run the bot until it has played all its matches. Raises ServerUnreachable, Refused."""
    seats = _find_seats(await _inspect(options), options)
    folder = platformdirs.user_data_path("mastermind") / "bots" / options.bot.replace(":", ".")
    with claim_identity(options.server, folder) as identity:  # not its owner's, who has a name
        connecting = Session.connect(options.server, identity, options.shown_name, program=True)
        async with connecting as session:
            name = sanitise(session.player.name)
            _print(_("connected as {name}").format(name=name))
            await Runner(session, options, seats, _print).run()


async def _inspect(options: BotOptions) -> Abilities:
    try:
        async with BotProcess.start(options.bot, options.seconds) as process:
            return process.abilities
    except Forfeited as failure:
        raise CannotPlay.with_message(ErrorCode.UNKNOWN_BOT, str(failure)) from None


def _find_seats(abilities: Abilities, options: BotOptions) -> list[Seat]:
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
    """A bot at its tables, on one session."""

    def __init__(
        self,
        session: Session,
        options: BotOptions,
        seats: list[Seat],
        say: Callable[[str], None],
    ) -> None:
        self._session, self._options, self._seats, self._say = session, options, seats, say
        self._closed = deque(LobbyTerms(rules, seat) for rules in options.rules for seat in seats)
        self._refused: set[LobbyTerms] = set()  # which could not be opened when it was last tried
        self._slots = options.games or max(DEFAULT_GAMES, len(self._closed))
        self._begun = self._played = 0  # matches, lobbies counted as begun
        self._news = asyncio.Event()  # another one after each ring

    async def run(self) -> None:
        """Play until all matches are played. Leaves every match when it is cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(self._listen())
                slots = [group.create_task(self._keep_playing()) for _ in range(self._slots)]
                await asyncio.wait(slots)
                listening.cancel()
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _listen(self) -> None:
        """Tell what happens, and wake whoever waits for it."""
        async for update in self._session.updates():
            for line in describe_update(update, self._me):
                self._say(line)
            self._ring()

    def _ring(self) -> None:
        """Wake whoever waits until something holds."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _until(self, fits: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait until something holds. Raises TimeoutError after so many seconds."""
        async with asyncio.timeout(seconds):
            while not fits():
                await self._news.wait()

    @property
    def _me(self) -> str:
        return self._session.player.id

    @property
    def _done(self) -> bool:
        return self._played == self._options.matches

    @property
    def _may_begin(self) -> bool:
        """Whether one more match may be begun."""
        return self._begun != self._options.matches

    async def _keep_playing(self) -> None:
        """Be a slot: host one match after another."""
        while True:
            await self._until(lambda: self._done or (self._may_begin and bool(self._closed)))
            if self._done:
                return
            lobby = self._closed.popleft()
            self._begun += 1
            try:
                mirror = await self._open(lobby)
            except Refused as refusal:
                if refusal.code not in _LATER:
                    raise
                await self._put_off(lobby, refusal)
            else:
                await self._host(lobby, mirror)

    async def _open(self, lobby: LobbyTerms) -> Mirror:
        chairs = (ME, OPEN) if lobby.seat is Seat.MAKER else (OPEN, ME)
        mirror = await enter_or_leave(self._session, self._leave_in_haste, self._session.open(
            lobby.rules.name, maker=chairs[0], breaker=chairs[1],
            rounds=self._options.rounds, public=True,
        ))  # fmt: skip
        self._refused.discard(lobby)
        return mirror

    async def _put_off(self, lobby: LobbyTerms, refusal: Refused) -> None:
        """Wait, and put a lobby back that cannot be opened now; its owner is told once."""
        if lobby not in self._refused:
            self._refused.add(lobby)
            text = _("no match of {rules} is opened now: {reason}; trying again")
            self._say(text.format(rules=lobby.rules, reason=explain_refusal(refusal)))
        await asyncio.sleep(refusal.retry_after or AGAIN_SECONDS)
        self._closed.append(lobby)
        self._begun -= 1
        self._ring()

    async def _host(self, lobby: LobbyTerms, mirror: Mirror) -> None:
        """Play whoever comes to an open lobby, as often as it goes on."""
        why: Forfeit | None = None
        try:
            await self._until(lambda: mirror.state.phase is not Phase.GATHERING)
            self._closed.append(lobby)
            if _is_closed(mirror.state):
                self._begun -= 1
            self._ring()
            while not _is_closed(mirror.state):
                await self._play_out(mirror)
                if (rematch := await self._await_rematch(mirror)) is None:
                    break
                mirror = rematch
        except Forfeited as failure:
            why = failure.why
            text = _("{match}: forfeited: {reason}")
            self._say(text.format(match=mirror.code, reason=failure))
        except _Deserted:
            text = _("{match}: nobody has moved for long; leaving")
            self._say(text.format(match=mirror.code))
        except asyncio.CancelledError:
            await self._leave_in_haste(mirror)
            raise
        await leave_in_time(partial(self._part, mirror, why))

    async def _play_out(self, mirror: Mirror) -> None:
        """Play a match to its end, in a process of its own. Raises Forfeited, _Deserted."""
        try:
            async with BotProcess.start(self._options.bot, self._options.seconds) as process:
                while mirror.state.phase is not Phase.FINISHED:
                    if not self._is_due(mirror.state):
                        await self._await_turn(mirror)
                    elif (code := await self._think(mirror, process)) is not None:
                        await self._move(mirror, code)
        finally:
            self._played += 1
            self._ring()

    def _is_due(self, match: Match) -> bool:
        mover = match.to_move
        return mover is not None and mover.id == self._me

    async def _await_turn(self, mirror: Mirror) -> None:
        """Wait for the bot's turn, the end, or the opponent to go or come."""
        gone = bool(mirror.away)

        def is_new() -> bool:
            over = mirror.state.phase is Phase.FINISHED
            return over or self._is_due(mirror.state) or bool(mirror.away) is not gone

        try:
            await self._until(is_new, AWAY_SECONDS if gone else IDLE_SECONDS)
        except TimeoutError:
            raise _Deserted from None

    async def _think(self, mirror: Mirror, process: BotProcess) -> Code | None:
        """Return the bot's move, or None if the match is over before it is found."""
        match = mirror.state
        asked = (
            process.make(match.rules)
            if _is_setting(match)
            else process.choose(BreakerView.of(match))
        )
        tasks = [
            asyncio.create_task(asked),
            asyncio.create_task(self._until(lambda: mirror.state.phase is Phase.FINISHED)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return None if mirror.state.phase is Phase.FINISHED else tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _move(self, mirror: Mirror, code: Code) -> None:
        send = self._session.set_secret if _is_setting(mirror.state) else self._session.guess
        try:
            await send(mirror, code)
        except Refused as refusal:
            if mirror.state.phase is Phase.FINISHED:
                return  # the opponent has left at this moment
            illegal = refusal.code == ErrorCode.INVALID_CODE
            why = Forfeit.ILLEGAL if illegal else Forfeit.FAILED
            text = _("the move was refused: {reason}").format(reason=explain_refusal(refusal))
            raise Forfeited(why, text) from refusal

    async def _await_rematch(self, mirror: Mirror) -> Mirror | None:
        """Take the rematch that the opponent offers, if the bot can play the other seat."""
        seat = mirror.state.seat_of(self._me)
        if seat is None or seat.other not in self._seats:
            return None
        with suppress(TimeoutError):
            await self._until(
                lambda: bool(mirror.state.rematch or mirror.state.left or not self._may_begin),
                REMATCH_SECONDS,
            )
        if mirror.state.rematch is None or not self._may_begin:
            return None
        self._begun += 1
        try:
            rematch = await enter_or_leave(
                self._session, self._leave_in_haste, self._session.rematch(mirror)
            )
        except Refused as refusal:  # the opponent has thought better of it
            _LOG.debug("no rematch of %s: %s", mirror.code, refusal.message)
            self._begun -= 1
            self._ring()
            return None
        await self._session.unfollow(mirror)
        return rematch

    async def _leave_in_haste(self, mirror: Mirror) -> None:
        left = await say_good_bye(self._session, partial(self._part, mirror, None))
        text = _("{match}: left") if left else _("{match}: could not be left")
        self._say(text.format(match=mirror.code))

    async def _part(self, mirror: Mirror, why: Forfeit | None) -> None:
        if self._me in mirror.state.left:
            await self._session.unfollow(mirror)
        else:
            await self._session.leave(mirror, why)


def _is_closed(match: Match) -> bool:
    """Tell whether a match ended before anybody came."""
    return match.outcome is not None and match.outcome.how is MatchEnd.CLOSED


def _is_setting(match: Match) -> bool:
    return match.phase is Phase.SETTING


def _print(line: str) -> None:
    print(line, flush=True)
