"""Advice to a codebreaker, and reviews of rounds: the expected and actual effect of guesses.

A guess divides the candidates, the codes that agree with all feedback, into parts: one for each
possible feedback. All measures of a guess (see `GuessMeasures`) follow from the sizes of the parts.
"""

from __future__ import annotations

import math
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mastermind_protocol.messages import GuessMeasures, ReviewedGuess
from mastermind_server.bots import greedy, solver
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

MEASURES: Mapping[Measure, greedy.Measure] = {
    "bits": greedy.measure_entropy,
    "size": greedy.measure_expected,
    "worst": greedy.measure_worst,
    "parts": greedy.measure_parts,
}


class BestGuesses(NamedTuple):
    """The best guesses, best first, and the number `left` of candidates before the guess.

    The measures of each guess are exact. If `sampled`, the search compared only samples of guesses
    and candidates, so better guesses may exist.
    """

    left: int
    sampled: bool
    guesses: tuple[GuessMeasures, ...]


def advise(view: BreakerView, by: Measure, limit: int) -> BestGuesses:
    """Return the best guesses by the measure `by`, at most `limit`.

    Ties go to candidates, then to the lowest code, as in the bots. Of guesses that are symmetric
    after `view.turns`, only the lowest is listed. If one or two candidates remain, only these are
    listed. `view.rules` must have at most `bot.MAX_SEARCHED_CODES` codes. Raises
    ContradictionError.
    """
    position = find_position(view)
    found, sampled = _find_best_guesses(position, MEASURES[by], limit)
    numbers = np.sort(found)
    sizes = _find_cell_sizes(position, numbers)
    order = _rank_guesses(sizes, sizes[:, -1] > 0, MEASURES[by])
    return BestGuesses(
        len(position.candidates), sampled, _measure_guesses(position, numbers[order], sizes[order])
    )


def measure_guess(position: BreakerPosition, guess: Code) -> GuessMeasures:
    """Return the measures of `guess` in `position`."""
    numbers = np.array([solver.find_number(guess, position.colours)], dtype=np.int32)
    (weighed,) = _measure_guesses(position, numbers, _find_cell_sizes(position, numbers))
    return weighed


def review(
    rules: Rules, turns: Sequence[Turn], start: int = 0, end: int | None = None
) -> list[ReviewedGuess]:
    """Return the review of each of `turns[start:end]`.

    Turns before `start` take little time: they only filter the candidates. `rules` must have at
    most `bot.MAX_SEARCHED_CODES` codes. Raises ContradictionError.
    """
    made = tuple(turns[:end])
    positions = islice(iterate_positions(rules, made), start, None)
    return [
        _review_guess(turn.code, before, after)
        for turn, (before, after) in zip(made[start:], pairwise(positions), strict=True)
    ]


def _measure_guesses(
    position: BreakerPosition, numbers: Numbers, sizes: Sizes
) -> tuple[GuessMeasures, ...]:
    total = len(position.candidates)
    weighed = []
    for number, row in zip(numbers.tolist(), sizes.tolist(), strict=True):
        parts = [size for size in row if size]
        weighed.append(
            GuessMeasures(
                solver.find_code(position.pegs, position.colours, number),
                possible=row[-1] > 0,  # only the guess itself gets the highest score
                worst=max(parts),
                size=sum(size * size for size in parts) / total,
                bits=math.fsum(size / total * math.log2(total / size) for size in parts),
                parts=len(parts),
            )
        )
    return tuple(weighed)


def _find_best_guesses(
    position: BreakerPosition, measure: greedy.Measure, limit: int
) -> tuple[Numbers, bool]:
    """Return the numbers of the best guesses, best first, and whether the search used samples."""
    pegs, colours, left = position.pegs, position.colours, position.candidates
    if len(left) <= 2:
        return left[:limit], False
    distinct = solver.find_distinct_guesses(pegs, colours, position.turns)
    guesses, candidates, possible = greedy.select_guesses_to_score(position)
    listed = np.isin(guesses, distinct, assume_unique=True)
    guesses, possible = guesses[listed], possible[listed]
    sizes = solver.find_cell_sizes_by_number(pegs, colours, guesses, candidates)
    sampled = len(guesses) < len(distinct) or len(candidates) < len(left)
    return guesses[_rank_guesses(sizes, possible, measure)[:limit]], sampled


def _find_cell_sizes(position: BreakerPosition, numbers: Numbers) -> Sizes:
    return solver.find_cell_sizes_by_number(
        position.pegs, position.colours, numbers, position.candidates
    )


def _rank_guesses(
    sizes: Sizes, possible: NDArray[np.bool_], measure: greedy.Measure
) -> NDArray[np.intp]:
    """Return the row indices of `sizes`, the best guess first. Ties go to the lower index."""
    return np.lexsort((~possible, measure(sizes)))  # the last key counts first


def _review_guess(code: Code, before: BreakerPosition, after: BreakerPosition) -> ReviewedGuess:
    pick = solver.find_code(before.pegs, before.colours, OPTIMAL.choose_number(before))
    guess = measure_guess(before, code)
    best = guess if pick == code else measure_guess(before, pick)
    return ReviewedGuess(guess, best, len(before.candidates), len(after.candidates))
