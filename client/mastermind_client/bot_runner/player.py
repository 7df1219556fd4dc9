"""Plays a bot's moves in a match, until the match ends or the bot fails."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_client.bot_runner.process import BotProcess, Forfeited
from mastermind_client.bot_runner.refusals import repeat_until_accepted
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import explain_refusal
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Forfeit
from mastermind_protocol.match import BreakerView, Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.config.options import BotOptions
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Turn

MAX_AWAY_SECONDS = 600.0  # for a disconnected opponent to return
MAX_IDLE_SECONDS = 3600.0  # for a connected opponent to move


class OpponentIdle(Exception):
    """The opponent has been disconnected or inactive for too long."""


class Changes:
    """Waits for changes of matches, of which `notify` wakes all waiting tasks."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()

    async def notify(self) -> None:
        """Make all waiting tasks check their predicates."""
        async with self._changed:
            self._changed.notify_all()

    async def wait_until(self, predicate: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait until the predicate is true. Raises TimeoutError after `seconds`."""
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(predicate)


class BotPlayer:
    """Plays matches of a session by calling the bot in a new process for each match.

    `changes` is notified after each update of the session.
    """

    def __init__(self, session: Session, options: BotOptions, changes: Changes) -> None:
        self._session, self._options, self._changes = session, options, changes

    async def play(self, mirror: Mirror) -> None:
        """Play a match to its end. Raises Forfeited, OpponentIdle."""
        async with BotProcess.start(self._options.bot, self._options.move_seconds) as process:
            while not is_over(mirror):
                if not self._is_bots_turn(mirror.state):
                    await self._await_turn(mirror)
                elif (code := await self._choose_move(mirror, process)) is not None:
                    await self._send_move(mirror, code)

    def _is_bots_turn(self, match: Match) -> bool:
        mover = match.to_move
        return mover is not None and mover.id == self._session.player.id

    async def _await_turn(self, mirror: Mirror) -> None:
        """Wait for the bot's turn, the end of the match, or a change of the opponent's connection.

        Raises OpponentIdle.
        """
        away = bool(mirror.away)

        def has_changed() -> bool:
            return (
                is_over(mirror) or self._is_bots_turn(mirror.state) or bool(mirror.away) is not away
            )

        try:
            await self._changes.wait_until(
                has_changed, MAX_AWAY_SECONDS if away else MAX_IDLE_SECONDS
            )
        except TimeoutError:
            raise OpponentIdle from None

    async def _choose_move(self, mirror: Mirror, process: BotProcess) -> Code | None:
        """Return the bot's move, or None if the round or the match ends before the choice."""
        match, left = mirror.state, mirror.time_left
        choosing = asyncio.create_task(
            process.make(match.rules)
            if _is_setting(match)
            else process.choose(BreakerView.of(match), None if left is None else left / 1000)
        )
        ending = asyncio.create_task(self._changes.wait_until(lambda: is_over(mirror)))
        try:
            await asyncio.wait([choosing, ending], return_when=asyncio.FIRST_COMPLETED)
            code = None if is_over(mirror) else choosing.result()
            return code if _find_progress(mirror.state) == _find_progress(match) else None
        finally:
            choosing.cancel()
            ending.cancel()
            await asyncio.gather(choosing, ending, return_exceptions=True)

    async def _send_move(self, mirror: Mirror, code: Code) -> None:
        send = self._session.set_secret if _is_setting(mirror.state) else self._session.guess
        position = _find_progress(mirror.state)

        async def send_if_expected() -> None:
            if _find_progress(mirror.state) == position:
                await send(mirror, code)

        try:
            await repeat_until_accepted(send_if_expected)
        except Refused as refusal:
            if is_over(mirror) or _find_progress(mirror.state) != position:
                return  # the opponent left, or time ended, while the move was on its way
            illegal = refusal.code == ErrorCode.INVALID_CODE
            why = Forfeit.ILLEGAL if illegal else Forfeit.FAILED
            text = _("the move was refused: {reason}").format(reason=explain_refusal(refusal))
            raise Forfeited(why, text) from refusal


def is_over(mirror: Mirror) -> bool:
    """Return whether the match has ended, or the server does not know it any more."""
    return mirror.lost is not None or mirror.state.phase is Phase.FINISHED


def _find_progress(match: Match) -> tuple[int, Phase, tuple[Turn, ...]]:
    """Return a value that changes with each move and at the end of a round and of the match."""
    return len(match.played), match.phase, match.current.turns if match.current else ()


def _is_setting(match: Match) -> bool:
    return match.phase is Phase.SETTING
