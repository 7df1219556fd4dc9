"""Computes bots' moves and analyses off the event loop. A bot sees only its seat's view."""

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
from mastermind_server.bots.bot import MAX_CODES_IN_THREAD, MAX_LISTED_CODES
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.worker_pool import NoWorker, WorkerPool
from mastermind_server.monitoring.usage import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Turn
    from mastermind_protocol.messages import PositionAnalysis, ReviewedGuess
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.analysis.advice import BestGuesses
    from mastermind_server.bots.bot import Bot

MAX_CONCURRENT_ANALYSES = 1  # they wait for each other, and no moves wait for them
GUESSES_REVIEWED_PER_JOB = 4  # guesses reviewed in one job, some 60 ms each; other jobs wait
MAX_GUESSES_REVIEWED_IN_THREAD = 16  # guesses of a round that a thread reviews, in some 10 ms
MAX_PUZZLE_CODES_IN_THREAD = 1296  # codes of rules whose puzzles a thread makes, in 8 ms
MAX_SECRETS_DRAWN_INLINE = 100  # secrets of a seed drawn in the event loop, in some 0.7 ms


_P = ParamSpec("_P")
_T = TypeVar("_T")


worker_cpu_seconds: ContextVar[float] = ContextVar("worker_cpu_seconds", default=0.0)
"""The CPU time, in seconds, of the worker jobs that the current asyncio task has awaited."""


class BotRunner:
    """Computes moves of bots, and analyses: advice, reviews, positions and puzzles.

    Exceptions of the bots reach the caller. Every computing method raises NoWorker if no worker can
    be started. A bot gets the view of a player in its seat, never the full state of the match.
    `delays` maps names of `worker_functions` to histograms of the time from a call to its result,
    in seconds.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._pool = WorkerPool()
        self._prepared: set[tuple[str, int, int]] = set()
        self.delays: dict[str, Histogram] = {}
        self._analyses = asyncio.Semaphore(MAX_CONCURRENT_ANALYSES)

    async def choose_move(
        self, seen: Match, player: Player, fixed_secret: Code | None = None
    ) -> SetSecret | GuessCode:
        """Return the next move of the bot `player`; `seen` is the match in that player's view.

        A codemaker sets the secret `fixed_secret`, or hides a code in its way if that is None.
        """
        bot = find_bot(player.bot or "")
        if seen.seat_of(player.id) is Seat.MAKER:
            current_round(seen)
            code = fixed_secret
            if code is None:
                seed = self._random.getrandbits(64)
                code = await self._run_in_worker(
                    False, worker_functions.hide, bot.name, seen.rules, seed
                )
            adaptive = isinstance(bot, DeviousBot)
            return SetSecret(code, None if adaptive else self._random.randbytes(NONCE_BYTES))
        view = BreakerView.of(seen)
        seed = self._random.getrandbits(64)
        heavy = view.rules.codes > bot.max_codes_in_thread
        if heavy:
            await self._read_bot_files(bot, view.rules)
        return GuessCode(
            await self._run_in_worker(heavy, worker_functions.choose, bot.name, view, seed)
        )

    async def rechoose(self, seen: Match, player: Player, guess: Code) -> Code:
        """Return the new secret by which the adaptive codemaker `player` answers `guess`.

        `seen` is the match in that player's view.
        """
        view, bot = BreakerView.of(seen), find_bot(player.bot or "")
        return await self._run_in_worker(
            view.rules.codes > bot.max_codes_in_thread,
            worker_functions.rechoose,
            bot.name,
            view,
            guess,
        )

    async def advise(self, view: BreakerView, by: Measure, limit: int) -> BestGuesses:
        """Return at most `limit` next guesses, the best by the measure `by` first."""
        async with self._analyses:
            return await self._run_in_worker(
                view.rules.codes > MAX_CODES_IN_THREAD, worker_functions.advise, view, by, limit
            )

    async def analyse(
        self,
        rules: Rules,
        turns: tuple[Turn, ...],
        by: Measure,
        most: int,
        after: int,
        bot: str | None = None,
        seed: int = 0,
    ) -> PositionAnalysis:
        """Return the analysis of the position after `turns`. See `worker_functions.analyse`."""
        async with self._analyses:
            return await self._run_in_worker(
                rules.codes > MAX_CODES_IN_THREAD,
                worker_functions.analyse,
                *(rules, turns, by, most, after, bot, seed),
            )

    async def make_puzzle(self, rules: Rules, level: int, seed: int) -> tuple[Turn, ...]:
        """Return the turns of puzzle number `seed` of a `level`. See `puzzles.make_puzzle`."""
        async with self._analyses:
            return await self._run_in_worker(
                rules.codes > MAX_PUZZLE_CODES_IN_THREAD,
                worker_functions.make_puzzle,
                *(rules, level, seed),
            )

    async def review(
        self, rules: Rules, turns: tuple[Turn, ...], start: int, end: int
    ) -> list[ReviewedGuess]:
        """Return the review of each of `turns[start:end]`.

        A long review runs as several jobs of up to 200 ms; above MAX_LISTED_CODES codes, where the
        remaining codes are searched, as a job of up to a second for each guess. Other advice and
        reviews run between these jobs.
        """
        heavy = rules.codes > MAX_CODES_IN_THREAD
        step = GUESSES_REVIEWED_PER_JOB if heavy else max(1, end - start)
        if rules.codes > MAX_LISTED_CODES:
            step = 1
        reviewed = []
        for first in range(start, end, step):
            last = min(first + step, end)
            async with self._analyses:
                reviewed += await self._run_in_worker(
                    heavy or last > MAX_GUESSES_REVIEWED_IN_THREAD,
                    worker_functions.review,
                    *(rules, turns[:last], first, last),
                )
        return reviewed

    async def measure_luck(
        self, rules: Rules, rounds: Sequence[tuple[Turn, ...]]
    ) -> list[float] | None:
        """Return the number of guesses that bad luck cost in each round.

        Returns None for rules with more than MAX_CODES_IN_THREAD codes.
        """
        return await self._run_in_worker(False, worker_functions.measure_luck, rules, rounds)

    async def find_fixed_secret(self, match: Match, player: Player) -> Code | None:
        """Return the next secret of the bot `player`, if `match.opened` has a secret or a seed.

        Otherwise return None. A seed gives a sequence of secrets, which a rematch continues. Each
        call draws all earlier secrets of the sequence again. If these are more than
        MAX_SECRETS_DRAWN_INLINE, a worker process draws them.
        """
        seed = match.opened.seed
        before = match.opened.drawn + count_rounds_as_maker(match, player.id)
        if seed is None:
            return match.opened.secret
        arguments = (player.bot or "", match.rules, seed, before)
        if before <= MAX_SECRETS_DRAWN_INLINE:
            return worker_functions.draw(*arguments)
        return await self._run_in_worker(True, worker_functions.draw, *arguments)

    async def _read_bot_files(self, bot: Bot, rules: Rules) -> None:
        """Read the decision trees of a bot in this process, once, to log warnings about the files.

        Worker processes read the trees too, but do not log warnings.
        """
        size = (bot.name, rules.pegs, rules.colours)
        if size not in self._prepared:
            self._prepared.add(size)
            await self._run_in_worker(False, worker_functions.prepare, bot.name, rules)

    async def _run_in_worker(
        self, heavy: bool, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Run `work` in a worker, a process if `heavy`, and return its result.

        Raises NoWorker if the worker raises an OSError: bots open only files of this package, so
        the system then lacks a resource.
        """
        started = time.monotonic()
        try:
            result, seconds = await self._pool.run(
                heavy, worker_functions.run_timed, partial(work, *args, **kwargs)
            )
        except OSError as error:
            raise NoWorker(error) from error
        finally:
            self.delays.setdefault(work.__name__, Histogram()).add(time.monotonic() - started)
        worker_cpu_seconds.set(worker_cpu_seconds.get() + seconds)
        return result

    @property
    def pending(self) -> int:
        """The number of queued and running jobs."""
        return self._pool.pending

    async def stop(self) -> None:
        """Stop the workers. Pending calls raise NoWorker."""
        await self._pool.stop()


def count_rounds_as_maker(match: Match, player: str) -> int:
    """Return the number of finished rounds in which the player id `player` was codemaker."""
    return sum(played.maker == player for played in match.played)
