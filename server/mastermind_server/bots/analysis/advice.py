"""Advice to a codebreaker, reviews of rounds, and luck: the expected and actual effect of guesses.

The candidates before a guess are the codes that agree with all feedback. A guess divides them into
parts, one for each possible feedback. All measures of a guess (see `GuessMeasures`) follow from the
sizes of the parts.

The luck of a codebreaker is the number of guesses that unfavourable feedback cost.
`_MEAN_FURTHER_GUESSES` estimates the number of further guesses from the number of candidates. The
luck of one feedback is the estimate after this feedback, minus the mean of the estimates after all
feedback that was possible. The mean of the luck over all secrets is 0, however good the guess and
the estimates are. So the guesses of a round minus its luck have the same mean as the guesses, and a
lower variance.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.messages import GuessMeasures, ReviewedGuess
from mastermind_server.bots import greedy, solver
from mastermind_server.bots.bot import MAX_LISTED_CODES
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import find_position, iterate_positions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView, Turn
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.position import BreakerPosition
    from mastermind_server.bots.solver import Numbers, Sizes

COST_FUNCTIONS: Mapping[Measure, greedy.CostFunction] = {
    "bits": greedy.measure_entropy,
    "size": greedy.measure_expected_size,
    "worst": greedy.measure_worst,
    "parts": greedy.measure_parts,
}


class BestGuesses(NamedTuple):
    """The best guesses, best first, in a position with `left` candidates.

    If `sampled`, the search compared only samples of guesses and candidates, so better guesses may
    exist. The measures of each guess are exact, unless they and `left` are `estimated`.
    """

    left: int
    sampled: bool
    estimated: bool
    guesses: tuple[GuessMeasures, ...]


def advise(view: BreakerView, by: Measure, limit: int) -> BestGuesses:
    """Return at most `limit` guesses, the best by the measure `by` first.

    Of equal guesses, candidates are first, then the lowest code. Of guesses that are symmetric
    after `view.turns`, only the lowest is listed. If one or two candidates remain, only these are
    listed. Raises ContradictionError if no code agrees with all feedback.
    """
    position = find_position(view)
    if limit == 0:  # for a page of the remaining codes
        return BestGuesses(position.count, False, position.estimate is not None, ())
    found, sampled = _find_best_guesses(position, COST_FUNCTIONS[by], limit)
    numbers = np.sort(found)
    sizes = _find_cell_sizes(position, numbers)
    order = _rank_guesses(sizes, sizes[:, -1] > 0, COST_FUNCTIONS[by])
    guesses = _measure_guesses(position, numbers[order], sizes[order])
    return BestGuesses(position.count, sampled, position.estimate is not None, guesses)


def measure_guess(position: BreakerPosition, guess: Code) -> GuessMeasures:
    """Return the measures of `guess` in `position`."""
    numbers = np.array([solver.find_code_number(guess, position.space)])
    (weighed,) = _measure_guesses(position, numbers, _find_cell_sizes(position, numbers))
    return weighed


def review(
    rules: Rules, turns: Sequence[Turn], start: int = 0, end: int | None = None
) -> list[ReviewedGuess]:
    """Return the review of each of `turns[start:end]`.

    Turns before `start` cost little time: they only filter the candidates. Raises
    ContradictionError if no code agrees with all feedback.
    """
    made = tuple(turns[:end])
    positions = iterate_positions(rules, made, start)
    return [
        _review_guess(turn.code, before, after)
        for turn, (before, after) in zip(made[start:], pairwise(positions), strict=True)
    ]


def _measure_guesses(
    position: BreakerPosition, numbers: Numbers, sizes: Sizes
) -> tuple[GuessMeasures, ...]:
    total = len(position.candidates)
    scale = position.count / total
    weighed = []
    for number, row in zip(numbers.tolist(), sizes.tolist(), strict=True):
        parts = [size for size in row if size]
        code = solver.find_code_by_number(position.space, number)
        weighed.append(
            GuessMeasures(
                code,
                possible=all(score(code, turn.code) == turn.feedback for turn in position.turns),
                worst=round(max(parts) * scale),
                size=sum(size * size for size in parts) / total * scale,
                bits=math.fsum(size / total * math.log2(total / size) for size in parts),
                parts=len(parts),
            )
        )
    return tuple(weighed)


def _find_best_guesses(
    position: BreakerPosition, measure: greedy.CostFunction, limit: int
) -> tuple[Numbers, bool]:
    """Return the numbers of at most `limit` guesses, the best first.

    Also return whether the search used samples.
    """
    space, left = position.space, position.candidates
    if len(left) <= 2:
        return left[:limit], False
    guesses, candidates, possible = greedy.select_guesses_to_score(position)
    if space.codes > MAX_LISTED_CODES:
        sizes = solver.find_cell_sizes_of_numbers(space, guesses, candidates)
        return guesses[_rank_guesses(sizes, possible, measure)[:limit]], True
    distinct = solver.find_distinct_guesses(space, position.turns)
    listed = np.isin(guesses, distinct, assume_unique=True)
    guesses, possible = guesses[listed], possible[listed]
    sizes = solver.find_cell_sizes_of_numbers(space, guesses, candidates)
    sampled = len(guesses) < len(distinct) or len(candidates) < len(left)
    return guesses[_rank_guesses(sizes, possible, measure)[:limit]], sampled


def _find_cell_sizes(position: BreakerPosition, numbers: Numbers) -> Sizes:
    return solver.find_cell_sizes_of_numbers(position.space, numbers, position.candidates)


def _rank_guesses(
    sizes: Sizes, possible: NDArray[np.bool_], measure: greedy.CostFunction
) -> NDArray[np.intp]:
    """Return the row indices of `sizes`, the guess of the lowest cost first.

    Each row has the cell sizes of one guess, from which `measure` computes the costs. Among guesses
    of equal cost, candidates are first, for which the mask `possible` is true. Others of equal cost
    keep their order.
    """
    return np.lexsort((~possible, measure(sizes)))  # the last key counts first


def _review_guess(code: Code, before: BreakerPosition, after: BreakerPosition) -> ReviewedGuess:
    pick = solver.find_code_by_number(before.space, OPTIMAL.choose_code_number(before))
    guess = measure_guess(before, code)
    best = guess if pick == code else measure_guess(before, pick)
    estimated = before.estimate is not None or after.estimate is not None
    return ReviewedGuess(guess, best, before.count, min(before.count, after.count), estimated)


# For each number of remaining codes, the mean number of further guesses, over the positions of the
# optimal tree of 4 pegs and 6 colours. The last number is extrapolated.
_MEAN_FURTHER_GUESSES = {
    1: 1.0, 2: 1.5, 3: 1.68, 4: 1.77, 6: 1.9, 10: 2.12, 17: 2.33, 25: 2.6, 40: 2.85, 80: 3.03,
    130: 3.3, 256: 3.51, 400: 3.73, 1296: 4.34, 4096: 4.94,
}  # fmt: skip
_LOG_CODES = np.log(np.array(list(_MEAN_FURTHER_GUESSES)))
_FURTHER_GUESSES = np.array(list(_MEAN_FURTHER_GUESSES.values()))


def measure_luck(rules: Rules, turns: Sequence[Turn]) -> float:
    """Return the sum of the luck of all `turns`, in guesses. Good luck is negative.

    `rules` must have at most `bot.MAX_CODES_IN_THREAD` codes: then a round takes up to a few
    milliseconds. Raises ContradictionError if no code agrees with all feedback.
    """
    return sum(
        _estimate_after_turn(rules, turn, after.candidates)
        - _find_mean_estimate(rules, turn, before.candidates)
        for turn, (before, after) in zip(
            turns, pairwise(iterate_positions(rules, turns)), strict=True
        )
    )


def _estimate_after_turn(rules: Rules, turn: Turn, candidates: Numbers) -> float:
    """Return the estimated number of further guesses after `turn`.

    `candidates` are the candidates after `turn`.
    """
    if turn.feedback.black == rules.pegs:
        return 0.0
    return float(_estimate_further_guesses(np.array([len(candidates)]))[0])


def _find_mean_estimate(rules: Rules, turn: Turn, candidates: Numbers) -> float:
    """Return the number of guesses expected after that of `turn`, while its feedback is not known.

    It is the mean of the estimates for all secrets in `candidates`, the candidates before `turn`.
    """
    guess = solver.find_code_number(turn.code, rules.space)
    scores = solver.score_by_number(rules.space, guess, candidates)
    won = solver.encode_feedback(Feedback(rules.pegs, 0), rules.pegs)
    sizes = np.bincount(scores[scores != won])
    return float(sizes @ _estimate_further_guesses(sizes)) / len(candidates)


def _estimate_further_guesses(sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the estimated number of further guesses for each number of candidates in `sizes`.

    The estimate for 0 candidates has no meaning.
    """
    logarithms = np.log(np.maximum(sizes, 1))
    result: NDArray[np.float64] = np.interp(logarithms, _LOG_CODES, _FURTHER_GUESSES)
    return result
