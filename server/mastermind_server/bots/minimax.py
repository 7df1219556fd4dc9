"""The bot `knuth`: the guess whose worst feedback leaves the fewest codes.

D. E. Knuth, "The computer as Master Mind", Journal of Recreational Mathematics 9(1), 1976-77. At
4 pegs and 6 colours it opens with 1122, needs at most five guesses, and 5801 for all 1296 secrets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mastermind_server.bots.bot import BreakerView, RandomMaker

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn

LARGEST = 1 << 15  # 5 pegs, 8 colours: the second guess, the slowest, takes a tenth of a second


class Minimax(RandomMaker):
    """Knuth's method, for rules of any shape. No chance in it: equal views get equal guesses."""

    name = "knuth"
    largest = LARGEST

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return a guess as `Bot.choose` says; draws nothing."""
        del random
        return _find_guess(view.rules.pegs, view.rules.colours, view.turns)


@lru_cache(maxsize=4096)  # games begin alike, and the first guesses take longest to find
def _find_guess(pegs: int, colours: int, turns: tuple[Turn, ...]) -> Code:
    """Return the guess with the smallest worst case: the most candidates any feedback leaves.

    Of several, one that is itself a candidate; of several still, the lowest.
    """
    from mastermind_server.bots import solver

    codes = solver.all_codes(pegs, colours)
    possible = solver.find_consistent(pegs, colours, turns)
    candidates = codes[possible]
    if len(candidates) <= 2:  # neither can be told from the other without guessing one
        return tuple(candidates[0].tolist())
    distinct = solver.find_distinct(pegs, colours, turns)
    guesses = codes[distinct]
    worst = solver.count_parts(guesses, candidates, colours).max(axis=1)
    best = (2 * worst + ~possible[distinct]).argmin()  # the first, and so the lowest, of equals
    return tuple(guesses[best].tolist())
