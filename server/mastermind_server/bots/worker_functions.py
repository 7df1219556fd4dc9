"""The functions that worker threads and processes run. A process imports them by name.

They import NumPy only when they run. Their names are labels of a metric.
"""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from mastermind_protocol.match import BreakerView
from mastermind_server.bots import find_bot
from mastermind_server.bots.bot import MAX_CODES_IN_THREAD
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.optimal import OptimalBot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import PositionAnalysis, ReviewedGuess
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.analysis.advice import BestGuesses

_T = TypeVar("_T")


def choose(name: str, view: BreakerView, seed: int) -> Code:
    """Return the next guess of the bot `name`. `seed` determines its random choices."""
    return find_bot(name).choose(view, Random(seed))  # noqa: S311 - the seed is unpredictable


def hide(name: str, rules: Rules, seed: int) -> Code:
    """Return a secret of the bot `name`. `seed` determines its random choices."""
    return find_bot(name).hide(rules, Random(seed))  # noqa: S311 - the seed is unpredictable


def prepare(name: str, rules: Rules) -> None:
    """Read the tree files of the bot `name` for `rules`, if there are any, into a cache."""
    bot = find_bot(name)
    if isinstance(bot, OptimalBot):
        bot.prepare(rules)


def draw(name: str, rules: Rules, seed: int, before: int) -> Code:
    """Return secret number `before` + 1 of the sequence that the bot `name` draws from `seed`."""
    bot, seeded = find_bot(name), Random(seed)  # noqa: S311 - the player asked for this sequence
    for _ in range(before):
        bot.make_secret(rules, seeded)
    return bot.make_secret(rules, seeded)


def rechoose(name: str, view: BreakerView, guess: Code) -> Code:
    """Return the new secret by which the adaptive codemaker `name` answers `guess`.

    Raises TypeError if the bot is not an adaptive codemaker.
    """
    bot = find_bot(name)
    if not isinstance(bot, DeviousBot):
        raise TypeError(f"{name} does not change its code")
    return bot.rechoose(view, guess)


def advise(view: BreakerView, by: Measure, limit: int) -> BestGuesses:
    """Return at most `limit` next guesses, the best by the measure `by` first."""
    from mastermind_server.bots.analysis import advice

    return advice.advise(view, by, limit)


def analyse(
    rules: Rules,
    turns: tuple[Turn, ...],
    by: Measure,
    most: int,
    after: int,
    bot: str | None = None,
    seed: int = 0,
) -> PositionAnalysis:
    """Return the analysis of the position after `turns`. See `positions.analyse`.

    With the name of a `bot`, the analysis has its next guess, unless no code remains. `seed`
    determines the bot's random choices.
    """
    from mastermind_server.bots.analysis import positions

    found = positions.analyse(rules, turns, by, most, after)
    if bot is None or not found.left:
        return found
    return replace(found, choice=choose(bot, BreakerView(rules, turns), seed))


def make_puzzle(rules: Rules, level: int, seed: int) -> tuple[Turn, ...]:
    """Return the turns of puzzle number `seed` of a `level`. See `puzzles.make_puzzle`."""
    from mastermind_server.bots.analysis import puzzles

    return puzzles.make_puzzle(rules, level, seed)


def review(rules: Rules, turns: tuple[Turn, ...], start: int, end: int) -> list[ReviewedGuess]:
    """Return the review of each of `turns[start:end]`."""
    from mastermind_server.bots.analysis import advice

    return advice.review(rules, turns, start, end)


def measure_luck(rules: Rules, rounds: Sequence[Sequence[Turn]]) -> list[float] | None:
    """Return the number of guesses that the codebreaker of each round lost by bad luck.

    Returns None for rules with more than MAX_CODES_IN_THREAD codes, which would take too long.
    """
    if rules.codes > MAX_CODES_IN_THREAD:
        return None
    from mastermind_server.bots.analysis import advice

    return [advice.measure_luck(rules, turns) for turns in rounds]


def run_timed(work: Callable[[], _T]) -> tuple[_T, float]:
    """Return the result of `work` and its processor time in seconds."""
    started = time.thread_time()
    result = work()
    return result, time.thread_time() - started
