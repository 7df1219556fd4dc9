"""A user's bot in the arena, which measures it by the guesses of its process."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mastermind_client.bot_runner.command import CannotPlay
from mastermind_client.bot_runner.process import BotProcess, Forfeited
from mastermind_client.config.options import DEFAULT_MOVE_SECONDS
from mastermind_client.language import gettext as _
from mastermind_protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView


class OwnBot:
    """The bot MODULE:CLASS as a codebreaker of the arena, with a new instance for each game.

    All games use one process, as starting one takes longer than a game. `name` is that of the
    class.
    """

    draws = False  # the arena's random numbers; the bot may draw its own

    def __init__(self, name: str, process: BotProcess, runner: asyncio.Runner) -> None:
        self.name = name
        self._process, self._runner = process, runner

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess. Raises Forfeited."""
        del random
        return self._runner.run(self._choose(view))

    async def _choose(self, view: BreakerView) -> Code:
        if not view.turns:
            await self._process.start_game()
        return await self._process.choose(view)


@contextmanager
def load_own_bot(bot: str) -> Iterator[OwnBot]:
    """Yield the bot MODULE:CLASS. Raises CannotPlay if it cannot be loaded, or breaks no codes."""
    with asyncio.Runner() as runner:
        running = BotProcess.start(bot, DEFAULT_MOVE_SECONDS)
        try:
            process = runner.run(running.__aenter__())
        except Forfeited as failure:
            raise CannotPlay.with_message(ErrorCode.UNKNOWN_BOT, str(failure)) from None
        try:
            if not process.abilities.chooses:
                text = _("{bot} has no choose(view)").format(bot=bot)
                raise CannotPlay.with_message(ErrorCode.INVALID_SEATS, text)
            yield OwnBot(bot.partition(":")[2], process, runner)
        finally:
            runner.run(running.__aexit__(None, None, None))
