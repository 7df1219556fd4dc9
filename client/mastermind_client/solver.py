"""The solver of the server package, for games that are played elsewhere: it needs no connection.

Each function runs in a thread, which imports NumPy at its first call. A cancelled call ends at
once, and its thread when it has computed its result, after at most some seconds.
"""

from __future__ import annotations

import asyncio
from random import SystemRandom
from typing import TYPE_CHECKING

from mastermind_protocol.match import BreakerView
from mastermind_server.bots import worker_functions

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules

DRAWN_SEEDS = 1_000_000  # numbers of six digits, to read to a friend; enough for a lifetime
_RANDOM = SystemRandom()


async def analyse(
    rules: Rules,
    turns: tuple[Turn, ...],
    by: Measure = "bits",
    most: int = 5,
    after: int = 0,
    bot: str | None = None,
) -> PositionAnalysis:
    """Return the analysis of the position after `turns`.

    It has at most `most` guesses, ranked by the measure `by`, and a page of the remaining codes
    after the first `after`. With the name of a `bot`, it has the bot's next guess, unless no code
    remains. Raises Refused for an unknown bot and for a bot that only makes codes.
    """
    return await asyncio.to_thread(
        worker_functions.analyse, rules, turns, by, most, after, bot, _RANDOM.getrandbits(64)
    )


async def choose_guess(bot: str, rules: Rules, turns: tuple[Turn, ...]) -> Code:
    """Return the next guess of the bot with this name.

    Raises Refused for an unknown bot and a bot that only makes codes, and ContradictionError if
    no code agrees with all feedback of `turns`.
    """
    view, seed = BreakerView(rules, turns), _RANDOM.getrandbits(64)
    return await asyncio.to_thread(worker_functions.choose, bot, view, seed)


async def make_puzzle(rules: Rules, level: int, seed: int) -> tuple[Turn, ...]:
    """Return the turns of puzzle number `seed` of a `level`. They leave exactly one code.

    Raises InvalidRules for rules with too many codes.
    """
    return await asyncio.to_thread(worker_functions.make_puzzle, rules, level, seed)


def draw_seed() -> int:
    """Return the number of a puzzle to ask if the user has chosen none."""
    return _RANDOM.randrange(DRAWN_SEEDS)
