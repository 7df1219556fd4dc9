"""The luck of a codebreaker: the number of guesses that unfavourable feedback cost.

`_TO_GO` estimates the number of further guesses from the number of remaining codes. The luck of one
feedback is this estimate after it, minus the mean estimate over all secrets that were possible. Its
mean over all secrets is 0, however good the guess and the estimates are. So the guesses of a round
minus its luck have the same mean as the guesses, and a lower variance.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mastermind_protocol.feedback import Feedback
from mastermind_server.bots import solver
from mastermind_server.bots.position import iterate_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.solver import Numbers

# Remaining codes, and the mean guesses to go over the positions of the optimal tree of 4 pegs and
# 6 colours. The last number continues the slope before it.
_TO_GO = {
    1: 1.0, 2: 1.5, 3: 1.68, 4: 1.77, 6: 1.9, 10: 2.12, 17: 2.33, 25: 2.6, 40: 2.85, 80: 3.03,
    130: 3.3, 256: 3.51, 400: 3.73, 1296: 4.34, 4096: 4.94,
}  # fmt: skip
_LOG_CODES = np.log(np.array(list(_TO_GO)))
_GUESSES_TO_GO = np.array(list(_TO_GO.values()))


def measure_luck(rules: Rules, turns: Sequence[Turn]) -> float:
    """Return the luck of a round, in guesses: the sum over `turns`; negative is good luck.

    `rules` must have at most `bot.LARGEST_IN_THREAD` codes: then a round takes up to a few
    milliseconds. Raises ContradictionError if no code agrees with all feedback.
    """
    return sum(
        _find_to_go(rules, turn, after.candidates) - _find_expected(rules, turn, before.candidates)
        for turn, (before, after) in zip(
            turns, pairwise(iterate_positions(rules, turns)), strict=True
        )
    )


def _find_to_go(rules: Rules, turn: Turn, left: Numbers) -> float:
    """Return the estimated number of guesses after `turn`, if the codes `left` remain."""
    if turn.feedback.black == rules.pegs:
        return 0.0
    return float(_estimate(np.array([len(left)]))[0])


def _find_expected(rules: Rules, turn: Turn, left: Numbers) -> float:
    """Return the mean of `_find_to_go` over all secrets `left` that remain before `turn`."""
    guess = solver.find_number(turn.code, rules.colours)
    scores = solver.score_by_number(rules.pegs, rules.colours, guess, left)
    won = solver.encode_feedback(Feedback(rules.pegs, 0), rules.pegs)
    sizes = np.bincount(scores[scores != won])
    return float(sizes @ _estimate(sizes)) / len(left)


def _estimate(sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the estimated number of further guesses for each number of remaining codes.

    The estimate for 0 codes has no meaning.
    """
    logarithms = np.log(np.maximum(sizes, 1))
    result: NDArray[np.float64] = np.interp(logarithms, _LOG_CODES, _GUESSES_TO_GO)
    return result
