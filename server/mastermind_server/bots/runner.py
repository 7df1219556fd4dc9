"""Bots at work: what the bot in a seat may know, thought about off the event loop."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

from mastermind_protocol.commands import Guess, SetSecret
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.events import Player, Seat
from mastermind_server.bots import BreakerView, find_bot

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match
    from mastermind_server.bots import Bot

WORKERS = 2  # moves thought about at once: NumPy frees the interpreter only in parts


class BotRunner:
    """Asks bots for their moves, in threads that are started when the first is asked."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="bot")

    async def choose_move(self, match: Match, player: Player) -> SetSecret | Guess:
        """Return the move of the bot `player`, whose turn it is in this match.

        A codebreaker is handed the rules and the turns so far and nothing else. Whatever the
        bot raises is raised.
        """
        bot = find_bot(player.bot or "")
        if match.current is None:
            raise ValueError("no round is being played")
        if match.seat_of(player.id) is Seat.MAKER:
            code = self._fixed_secret(match, player, bot) or bot.make(match.rules, self._random)
            return SetSecret(code, self._random.randbytes(NONCE_BYTES))
        view = BreakerView(match.rules, match.current.turns)
        loop = asyncio.get_running_loop()
        return Guess(await loop.run_in_executor(self._threads, bot.choose, view, self._random))

    def close(self) -> None:
        """Let the threads end; a move that is being thought about is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def _fixed_secret(match: Match, player: Player, bot: Bot) -> Code | None:
        """Return the secret that the opening of the match fixed, by itself or by a seed."""
        if match.opened.seed is None:
            return match.opened.secret
        seeded = Random(match.opened.seed)  # noqa: S311 - the player asked for just this sequence
        for _ in range(match.opened.drawn + count_secrets(match, player.id)):
            bot.make(match.rules, seeded)
        return bot.make(match.rules, seeded)


def count_secrets(match: Match, player: str) -> int:
    """Return how many secrets this player has set in the rounds that are over."""
    return sum(played.maker == player for played in match.played)
