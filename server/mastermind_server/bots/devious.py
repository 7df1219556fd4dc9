"""The bot `devious`: a codemaker that has no code, and answers so as to be found late.

It gives each guess the feedback that the most codes agree with of those left by all it has said
before. That is greedy and no perfect defence: which feedback leads to the longest game is as hard
to know as which guess leads to the shortest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import LARGEST, Bot

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView


class Devious(Bot):
    """A codemaker without a code. No chance in its answers: equal views get equal ones.

    `largest_made` is the largest number of codes (`Rules.codes`) among which it can dodge: each
    answer looks at every code that is left, and they have to fit in memory.
    """

    name = "devious"
    about = N_(
        "Only makes codes, and cheats: it keeps no code but answers each guess so that the most "
        "codes are left, and as it can commit to none it is never rated."
    )
    largest = 0
    largest_made = LARGEST
    light = 1 << 13  # an answer takes 1 ms, in which a thread keeps the event loop waiting

    def choose(self, view: BreakerView, random: Random) -> NoReturn:
        """Raise ValueError: it breaks no codes, as `largest` says."""
        del view, random
        raise ValueError(f"{self.name} only makes codes")

    def dodge(self, view: BreakerView, guess: Code) -> Code:
        """Return the code by which to answer: the lowest of `view` with the commonest feedback.

        Of feedbacks as common, that with the fewest blacks, and then the fewest whites: so the
        guess itself is returned only when it is the one code left. `view.rules` have at most
        `largest_made` codes. Raises ContradictionError.
        """
        import numpy as np

        from mastermind_server.bots import solver
        from mastermind_server.bots.position import find_position

        pegs, colours = view.rules.pegs, view.rules.colours
        candidates = find_position(view).candidates
        number = solver.find_number(guess, colours)
        scores = solver.score_numbered(pegs, colours, number, candidates)
        commonest = np.bincount(scores).argmax()  # the first of equals; scores ascend by blacks
        return solver.find_code(pegs, colours, int(candidates[(scores == commonest).argmax()]))
