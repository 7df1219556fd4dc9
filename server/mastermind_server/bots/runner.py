"""Bots at work: what the bot in a seat may know, and its moves, found off the event loop."""

from __future__ import annotations

import asyncio
import time
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.events import Player, Seat
from mastermind_protocol.match import BreakerView, current_round
from mastermind_server.bots import find_bot, worker_functions
from mastermind_server.bots.bot import LIGHT
from mastermind_server.bots.devious import Devious
from mastermind_server.bots.worker_pool import NoWorker, WorkerPool
from mastermind_server.health.histogram import Histogram
from mastermind_server.tuning import ANALYSES_AT_ONCE, HEAVY_REVIEWED, LIGHT_DRAWN, LIGHT_REVIEWED

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Turn
    from mastermind_protocol.messages import Reviewed
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.advice import BestGuesses
    from mastermind_server.bots.bot import Bot


_P = ParamSpec("_P")
_T = TypeVar("_T")


spent: ContextVar[float] = ContextVar("spent", default=0.0)
"""The seconds of a core that workers have taken so far for the task that asks."""


class BotRunner:
    """Asks bots for their moves, and the solver for advice. Whatever they raise is raised.

    OSError alone is raised as NoWorker, since then the system has no room. A bot is handed what a
    player in its seat is sent, and never the table's own state. `delays` is how long they took,
    waiting for a worker too, by the name of what was asked.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._pool = WorkerPool()
        self._prepared: set[tuple[str, int, int]] = set()
        self.delays: dict[str, Histogram] = {}
        self._analyses = asyncio.Semaphore(ANALYSES_AT_ONCE)

    async def choose_move(
        self, seen: Match, player: Player, fixed: Code | None = None
    ) -> SetSecret | GuessCode:
        """Return the move of the bot `player`, whose turn it is in the match as it sees it.

        A codemaker sets the secret that is `fixed`, if one is.
        """
        bot = find_bot(player.bot or "")
        if seen.seat_of(player.id) is Seat.MAKER:
            current_round(seen)
            code = fixed or bot.make(seen.rules, self._random)
            keeps_none = isinstance(bot, Devious)
            return SetSecret(code, None if keeps_none else self._random.randbytes(NONCE_BYTES))
        view = BreakerView.of(seen)
        seed = self._random.getrandbits(64)
        heavy = view.rules.codes > bot.light
        if heavy:
            await self._prepare(bot, view.rules)
        return GuessCode(await self._run(heavy, worker_functions.choose, bot.name, view, seed))

    async def dodge(self, seen: Match, player: Player, guess: Code) -> Code:
        """Return the code by which the codemaker `player`, which keeps none, answers a guess."""
        view, bot = BreakerView.of(seen), find_bot(player.bot or "")
        return await self._run(
            view.rules.codes > bot.light, worker_functions.dodge, bot.name, view, guess
        )

    async def advise(self, view: BreakerView, by: Measure, most: int) -> BestGuesses:
        """Return what the best next guesses are."""
        async with self._analyses:
            return await self._run(
                view.rules.codes > LIGHT, worker_functions.advise, view, by, most
            )

    async def review(
        self, rules: Rules, turns: tuple[Turn, ...], start: int, end: int
    ) -> list[Reviewed]:
        """Return how well each guess from index `start` to before `end` was chosen.

        In pieces that take some 200 ms at most, between which others have theirs.
        """
        heavy = rules.codes > LIGHT
        step = HEAVY_REVIEWED if heavy else max(1, end - start)
        reviewed = []
        for first in range(start, end, step):
            last = min(first + step, end)
            async with self._analyses:
                reviewed += await self._run(
                    heavy or last > LIGHT_REVIEWED,
                    worker_functions.review,
                    *(rules, turns[:last], first, last),
                )
        return reviewed

    async def find_fixed(self, match: Match, player: Player) -> Code | None:
        """Return the secret that the opening of the match fixed for a bot, by itself or by a seed.

        A seed goes on from one rematch to the next, however many there are, and all before it are
        drawn again: of many that is no work for the event loop.
        """
        seed, before = match.opened.seed, match.opened.drawn + count_secrets(match, player.id)
        if seed is None:
            return match.opened.secret
        asked = (player.bot or "", match.rules, seed, before)
        if before <= LIGHT_DRAWN:
            return worker_functions.draw(*asked)
        return await self._run(True, worker_functions.draw, *asked)

    async def _prepare(self, bot: Bot, rules: Rules) -> None:
        """See to it that what is wrong with a file is said once, here: processes are silent."""
        size = (bot.name, rules.pegs, rules.colours)
        if size not in self._prepared:
            self._prepared.add(size)
            await self._run(False, worker_functions.prepare, bot.name, rules)

    async def _run(
        self, heavy: bool, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Have a worker do something; raises NoWorker if the system has none to give.

        No bot opens files but those of our own, so that when one cannot be opened it is no bot's
        fault.
        """
        began = time.monotonic()
        try:
            done, seconds = await self._pool.run(
                heavy, worker_functions.measure, partial(work, *args, **kwargs)
            )
        except OSError as error:
            raise NoWorker(error) from error
        finally:
            self.delays.setdefault(work.__name__, Histogram()).add(time.monotonic() - began)
        spent.set(spent.get() + seconds)
        return done

    @property
    def waiting(self) -> int:
        """How many wait for a move, advice or a review."""
        return self._pool.waiting

    async def stop(self) -> None:
        """Stop the workers: whoever waits for a move, advice or a review is told NoWorker."""
        await self._pool.stop()


def count_secrets(match: Match, player: str) -> int:
    """Return how many secrets this player has set in the rounds that are over."""
    return sum(played.maker == player for played in match.played)
