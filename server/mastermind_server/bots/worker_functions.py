"""What workers do off the event loop: functions that a process can be sent by name.

They import the solver, and with it NumPy, where they run.
"""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, TypeVar

from mastermind_server.bots import find_bot
from mastermind_server.bots.devious import Devious
from mastermind_server.bots.optimal import Optimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView, Turn
    from mastermind_protocol.messages import Reviewed
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.advice import BestGuesses

_T = TypeVar("_T")


def choose(name: str, view: BreakerView, seed: int) -> Code:
    """Return the guess of the bot of this name."""
    return find_bot(name).choose(view, Random(seed))  # noqa: S311 - the seed is unpredictable


def prepare(name: str, rules: Rules) -> None:
    """Let the bot of this name read what it plays by."""
    bot = find_bot(name)
    if isinstance(bot, Optimal):
        bot.prepare(rules)


def draw(name: str, rules: Rules, seed: int, before: int) -> Code:
    """Return the secret that the bot of this name draws from a seed behind so many others."""
    bot, seeded = find_bot(name), Random(seed)  # noqa: S311 - the player asked for this sequence
    for _ in range(before):
        bot.make(rules, seeded)
    return bot.make(rules, seeded)


def dodge(name: str, view: BreakerView, guess: Code) -> Code:
    """Return the code by which the bot of this name answers. Raises TypeError if it keeps one."""
    bot = find_bot(name)
    if not isinstance(bot, Devious):
        raise TypeError(f"{name} keeps the code that it has set")
    return bot.dodge(view, guess)


def advise(view: BreakerView, by: Measure, most: int) -> BestGuesses:
    """Return what the best next guesses are."""
    from mastermind_server.bots import advice

    return advice.advise(view, by, most)


def review(rules: Rules, turns: tuple[Turn, ...], start: int, end: int) -> list[Reviewed]:
    """Return how well each guess from index `start` to before `end` was chosen."""
    from mastermind_server.bots import advice

    return advice.review(rules, turns, start, end)


def measure(work: Callable[[], _T]) -> tuple[_T, float]:
    """Return what a job does, and the seconds of a core that it takes."""
    began = time.thread_time()
    done = work()
    return done, time.thread_time() - began
