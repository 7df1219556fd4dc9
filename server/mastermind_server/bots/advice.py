"""Advice to a codebreaker, and the review of a round: what guesses may bring, and have brought.

A guess divides the codes that are left into parts, one for each feedback it may get. All that is
said of it follows from the sizes n of the parts and their total: see `Weighed`.
"""

from __future__ import annotations

import math
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mastermind_protocol.messages import Reviewed, Weighed
from mastermind_server.bots import greedy, solver
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import find_position, walk

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
    """The best guesses, the best first, where `left` codes agree with all feedback.

    What is said of each is exact. But if `sampled`, not every guess was weighed against every code
    to find them, and there may be better ones.
    """

    left: int
    sampled: bool
    guesses: tuple[Weighed, ...]


def advise(view: BreakerView, by: Measure, most: int) -> BestGuesses:
    """Return the `most` best guesses by this measure; when one or two codes are left, only these.

    Of equals, those that may be the secret come first, and then the lowest, as the bots play them.
    Of guesses that differ only by pegs or colours that nothing tells apart so far, one is listed.
    `view.rules` have at most `bot.LARGEST` codes. Raises ContradictionError.
    """
    position = find_position(view)
    found, sampled = _find_best(position, MEASURES[by], most)
    numbers = np.sort(found)
    sizes = _count(position, numbers)
    order = _rank(sizes, sizes[:, -1] > 0, MEASURES[by])
    return BestGuesses(
        len(position.candidates), sampled, _weigh(position, numbers[order], sizes[order])
    )


def weigh(position: BreakerPosition, guess: Code) -> Weighed:
    """Return what this guess may bring in this position."""
    numbers = np.array([solver.find_number(guess, position.colours)], dtype=np.int32)
    (weighed,) = _weigh(position, numbers, _count(position, numbers))
    return weighed


def review(
    rules: Rules, turns: Sequence[Turn], start: int = 0, end: int | None = None
) -> list[Reviewed]:
    """Return what is to be said of each turn from index `start` to before `end`; it is exact.

    The time is that of the turns reviewed; those before `start` are gone through, which is little.
    `rules` have at most `bot.LARGEST` codes. Raises ContradictionError.
    """
    made = tuple(turns[:end])
    positions = islice(walk(rules, made), start, None)
    return [
        _review(turn.code, before, after)
        for turn, (before, after) in zip(made[start:], pairwise(positions), strict=True)
    ]


def _weigh(position: BreakerPosition, numbers: Numbers, sizes: Sizes) -> tuple[Weighed, ...]:
    total = len(position.candidates)
    weighed = []
    for number, row in zip(numbers.tolist(), sizes.tolist(), strict=True):
        parts = [size for size in row if size]
        weighed.append(
            Weighed(
                solver.find_code(position.pegs, position.colours, number),
                possible=row[-1] > 0,  # the last cell has the guess itself and nothing else
                worst=max(parts),
                size=sum(size * size for size in parts) / total,
                bits=math.fsum(size / total * math.log2(total / size) for size in parts),
                parts=len(parts),
            )
        )
    return tuple(weighed)


def _find_best(
    position: BreakerPosition, measure: greedy.Measure, most: int
) -> tuple[Numbers, bool]:
    """Return the numbers of the best guesses, and whether others were left unweighed."""
    pegs, colours, left = position.pegs, position.colours, position.candidates
    if len(left) <= 2:
        return left[:most], False
    distinct = solver.find_distinct(pegs, colours, position.turns)
    guesses, candidates, possible = greedy.gather(position)
    listed = np.isin(guesses, distinct, assume_unique=True)
    guesses, possible = guesses[listed], possible[listed]
    sizes = solver.count_numbered(pegs, colours, guesses, candidates)
    sampled = len(guesses) < len(distinct) or len(candidates) < len(left)
    return guesses[_rank(sizes, possible, measure)[:most]], sampled


def _count(position: BreakerPosition, numbers: Numbers) -> Sizes:
    return solver.count_numbered(position.pegs, position.colours, numbers, position.candidates)


def _rank(sizes: Sizes, possible: NDArray[np.bool_], measure: greedy.Measure) -> NDArray[np.intp]:
    """Return the indices of guesses, which ascend by number, in the order that `advise` says."""
    return np.lexsort((~possible, measure(sizes)))  # the last key counts first


def _review(code: Code, before: BreakerPosition, after: BreakerPosition) -> Reviewed:
    pick = solver.find_code(before.pegs, before.colours, OPTIMAL.pick(before))
    guess = weigh(before, code)
    best = guess if pick == code else weigh(before, pick)
    return Reviewed(guess, best, len(before.candidates), len(after.candidates))
