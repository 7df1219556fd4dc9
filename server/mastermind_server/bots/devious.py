"""The bot `devious`: an adaptive codemaker, which re-chooses its code after each guess.

The bot answers each guess with the feedback that keeps the most candidates. This strategy is greedy
and not a perfect defence. To find the feedback that leads to the longest game is as hard as to find
the guess that leads to the shortest game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import Bot
from mastermind_server.bots.hiding import Hiding

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView


class DeviousBot(Bot):
    """An adaptive codemaker, which uses no random numbers.

    For each answer it scores every candidate, above `bot.MAX_LISTED_CODES` codes a sample of them.
    """

    name = "devious"
    about = N_("Only makes codes, and cheats. As it can commit to no code, it is never rated.")
    hiding = Hiding(N_("Hides no code, but gives the answer that leaves the most codes."))
    max_codes = 0
    max_codes_in_thread = 1 << 13  # codes: an answer blocks the event loop for 1 ms

    def choose(self, view: BreakerView, random: Random) -> NoReturn:
        """Raise Refused, because this bot breaks no codes."""
        del view, random
        raise Refused(Reason.ONLY_A_MAKER, bot=self.name)

    def rechoose(self, view: BreakerView, guess: Code) -> Code:
        """Return the new secret, a candidate of `view`, by which the bot answers `guess`.

        The bot gives the feedback that most candidates would give to `guess`. Of equally common
        feedbacks, it takes the fewest blacks, then the fewest whites. The new secret is the lowest
        candidate with that feedback. It equals `guess` only if no other candidate remains.
        Raises ContradictionError if no code agrees with all feedback.
        """
        import numpy as np

        from mastermind_server.bots import solver
        from mastermind_server.bots.position import find_position

        space, candidates = view.rules.space, find_position(view).candidates
        number = solver.find_code_number(guess, space)
        scores = solver.score_by_number(space, number, candidates)
        commonest = np.bincount(scores).argmax()  # of equals the first, which has the fewest blacks
        return solver.find_code_by_number(space, int(candidates[(scores == commonest).argmax()]))
