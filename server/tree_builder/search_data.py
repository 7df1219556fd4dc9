"""Makes the data of the compiled search. For the terms see `compiled`."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from mastermind_server.bots.solver import list_codes
from tree_builder.compiled_codes import score_bits, write_bits
from tree_builder.compiled_memory import (
    IMPOSSIBLE,
    MAX_DEPTH,
    UNLIMITED,
    SearchData,
    hash_bits,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.rules import CodeSpace

# Estimates are fixed-point numbers, in 64ths of a guess: ties do not depend on float rounding.
ESTIMATE_SCALE = 64
# Candidates: in smaller cells the bound of the perfect tree is close to the real cost.
MAX_SIZE_WITH_TRUE_BOUND = 20
MAX_MERGED_SIZE = 200  # candidates: in larger cells hardly any two guesses give the same division
LEVELS_WITH_SYMMETRIES = 4  # levels that use symmetries, of which deeper levels have hardly any
FEW_LEVELS = 2  # such levels with many pegs, whose permutations take longer than they save
MANY_PEGS = 8  # 40,320 permutations
# The largest size divided by the smallest size, of the cells that share an estimate.
MAX_SIZE_RATIO_IN_GROUP = 1.25


def make_codes(space: CodeSpace) -> NDArray[np.uint8]:
    """Return every code, shape (space.codes, pegs), in numeric order, row by row in memory."""
    return np.ascontiguousarray(list_codes(space))


def list_permutations(pegs: int) -> NDArray[np.int64]:
    """Return all permutations of the peg indices, shape (pegs!, pegs), the identity first."""
    return np.array(list(permutations(range(pegs))), np.int64)


def index_feedbacks(pegs: int) -> tuple[NDArray[np.uint8], list[Feedback]]:
    """Return an array that maps feedback to its score, and the list of all feedbacks.

    The score of a feedback is its index in the list. The array has this score at the index `16 *
    black + (black + white)`. The winning feedback is the last in the list. `score_bits` takes the
    array as `score_of`.
    """
    from mastermind_protocol.feedback import Feedback

    feedbacks = [
        Feedback(black, white)
        for black in range(pegs + 1)
        for white in range(pegs - black + 1)
        if (black, white) != (pegs - 1, 1)
    ]
    score_of = np.zeros(16 * pegs + 16, np.uint8)
    for number, (black, white) in enumerate(feedbacks):
        score_of[16 * black + black + white] = number
    return score_of, feedbacks


def make_scores(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the score of each pair of n `codes`, shape (n, n), as in `index_feedbacks`."""
    number, pegs = codes.shape
    places, counts = np.empty(number, np.uint64), np.empty(number, np.uint64)
    write_bits(codes, places, counts, int(codes.max()) + 1)
    score_of, _ = index_feedbacks(pegs)
    scores = np.empty((number, number), np.uint8)
    for guess in range(number):
        score_bits(places[guess], counts[guess], places, counts, score_of, scores[guess])
    return scores


def make_prices(unit: int, limit: int | None, surcharges: Mapping[int, int]) -> NDArray[np.int64]:
    """Return the array `SearchData.prices`: the price of a winning guess, shape (UNLIMITED + 1,).

    The index is the number of guesses that remain, including the winning guess. A price is `unit`
    plus a surcharge, the small extra cost of winning late. `surcharges` maps the number of the
    winning guess in the round, from 1, to its surcharge. `limit` is the number of guesses in a
    round, or None.
    Raises ValueError for surcharges without a `limit`.
    """
    prices = np.full(UNLIMITED + 1, unit, np.int64)
    for guess, surcharge in surcharges.items():
        if limit is None:
            raise ValueError("surcharges without a limit")
        prices[limit + 1 - guess] += surcharge
    return prices


def count_most_answers(scores: NDArray[np.uint8]) -> int:
    """Return the largest number of different feedbacks that a guess can get."""
    return max(int(np.count_nonzero(np.bincount(row))) for row in scores)


def find_cost_bounds(
    number: int, most_answers: int, unit: int, prices: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return lower bounds of the costs of cells, shape (UNLIMITED + 1, number + 1).

    The first index is the number of remaining guesses, and the second is the size of the cell.
    `number` is the number of codes, and `most_answers` is from `count_most_answers`. The bound is
    the cost of a perfect tree: every guess is a candidate, and the other candidates get as many
    different feedbacks as possible. The bound is IMPOSSIBLE if the remaining guesses are too few
    for a perfect tree.
    """
    costs = np.full((UNLIMITED + 1, number + 1), IMPOSSIBLE, np.int64)
    costs[:, 0] = 0
    for left in range(1, UNLIMITED + 1):
        total, placed, room = 0, 0, 1
        for level in range(left if left < UNLIMITED else number):
            here = min(room, number - placed)
            price = level * unit + prices[left if left == UNLIMITED else left - level]
            costs[left, placed + 1 : placed + here + 1] = total + price * np.arange(1, here + 1)
            total += price * here
            placed += here
            room *= most_answers - 1
            if placed == number:
                break
    return costs


def pack_weights(floors: NDArray[np.int64], estimates: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return `SearchData.weights`: `floors` in the high bits, and `estimates` in the low bits."""
    return (floors << 32) | np.rint(estimates * ESTIMATE_SCALE).astype(np.int64)


def estimate_before_search(number: int) -> NDArray[np.float64]:
    """Return rough estimates of the costs of cells, in guesses, for the first search.

    `number` is the number of codes. Entry n of the array, up to n = `number`, is the estimate for a
    cell of n candidates.
    """
    sizes = np.arange(1, number + 1)
    estimates = np.zeros(number + 1)
    estimates[1:] = sizes * (1 + 0.45 * np.log(sizes))
    return _set_exact_costs(estimates)


def estimate_from_search(data: SearchData) -> NDArray[np.float64]:
    """Return estimates of the costs of cells, in guesses, from a finished search.

    The index is the size of a cell; the shape is (codes + 1,). The estimate for a cell is its size
    times a mean cost of one candidate. The search has found the exact costs of some cells. They
    give the mean costs for groups of cells of similar sizes. Between the groups, the mean cost is
    interpolated by the logarithm of the size.
    """
    seen = data.exact_costs
    number = len(seen) - 1
    sizes = np.arange(number + 1)
    places, means = [], []
    low = 3
    while low <= number:
        high = max(low + 1, int(low * MAX_SIZE_RATIO_IN_GROUP))
        cells, costs = seen[low:high].sum(axis=0)
        if cells:
            candidates = (seen[low:high, 0] * sizes[low:high]).sum()
            places.append(np.log(candidates / cells))
            means.append(costs / candidates / data.unit)
        low = high
    estimates = np.zeros(number + 1)
    if places:
        estimates[1:] = sizes[1:] * np.interp(np.log(sizes[1:]), places, means)
    return _set_exact_costs(estimates)


def _set_exact_costs(estimates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set the exact costs of cells of 0, 1 and 2 candidates in `estimates`, and return it."""
    estimates[:3] = (0, 1, 3)[: len(estimates)]
    return estimates


def make_search_data(
    codes: NDArray[np.uint8],
    scores: NDArray[np.uint8],
    *,
    find_width: Callable[[int], int],
    estimates: NDArray[np.float64],
    estimate_share: float,
    memory_slots: int,
    unit: int = 1,
    prices: NDArray[np.int64] | None = None,
) -> SearchData:
    """Return the data for one search.

    `scores` are the scores of all `codes`, from `make_scores`. `find_width` maps the size of a cell
    to the number of guesses to try, at least 1. `estimates` maps the size of a cell to its
    estimated cost, in guesses. A guess that does not win costs `unit`. `prices` are from
    `make_prices`; without them, a winning guess costs `unit`, too.

    If `estimate_share` is 0, bounds of costs are true lower bounds. Otherwise the bound of a large
    cell is at least this share of its estimate: the search is faster, but not exact. The memory of
    solved cells has `memory_slots` entries of 20 bytes; `memory_slots` is a power of two.
    """
    number, pegs = codes.shape
    _, feedbacks = index_feedbacks(pegs)
    score_count = len(feedbacks)
    if prices is None:
        prices = make_prices(unit, None, {})
    most_answers = count_most_answers(scores)
    floors = find_cost_bounds(number, most_answers, unit, prices)
    likely = np.floor(estimates * estimate_share * unit).astype(np.int64)
    likely[: max(MAX_SIZE_WITH_TRUE_BOUND, score_count) + 1] = 0
    floors = np.maximum(floors, likely)
    levels = MAX_DEPTH + 1
    guess_at = np.empty((levels, number), np.int32)
    guess_at[MAX_DEPTH] = np.arange(number)
    cell_at = np.empty((levels, number), np.int32)
    cell_at[0] = np.arange(number)
    guess_counts = np.zeros(levels, np.int64)
    guess_counts[MAX_DEPTH] = number
    return SearchData(
        codes=codes,
        scores=scores,
        score_count=score_count,
        most_answers=most_answers,
        marks=np.array([int(hash_bits(np.uint64(k))) for k in range(1, number + 1)], np.uint64),
        orders=list_permutations(pegs),
        levels_with_symmetries=FEW_LEVELS if pegs >= MANY_PEGS else LEVELS_WITH_SYMMETRIES,
        unit=unit,
        prices=prices,
        floors=floors,
        weights=pack_weights(floors, estimates),
        widths=np.array([0] + [find_width(size) for size in range(1, number + 1)], np.int64),
        max_merged_size=MAX_MERGED_SIZE,
        keys=np.zeros(memory_slots, np.uint64),
        results=np.zeros((memory_slots, 3), np.int32),
        used_slots=np.zeros(1, np.int64),
        exact_costs=np.zeros((number + 1, 2), np.int64),
        cell_at=cell_at,
        guess_at=guess_at,
        guess_counts=guess_counts,
        guess_key_at=np.empty((levels, number), np.int64),
        part_at=np.empty((levels, score_count, 3), np.int64),
        mark_at=np.empty((levels, score_count), np.uint64),
        tried_at=np.empty((levels, number), np.uint64),
        earlier_guesses=np.zeros(levels, np.int64),
    )
