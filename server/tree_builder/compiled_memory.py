"""The data of a search, and its memory of solved cells. For the terms see `compiled`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from typing import Any

    from tree_builder.compiled_codes import Bytes, Int32s, Int64s, Uint64s

IMPOSSIBLE = 1 << 26  # a cost above that of any cell; the sum of 28 such costs fits into 31 bits
UNLIMITED = 15  # this number of remaining guesses means no limit
MAX_DEPTH = 16  # levels in the arrays of SearchData


class SearchData(NamedTuple):
    """The data of a search, made by `make_search_data`.

    In the shapes of the arrays, n is the number of codes.
    """

    codes: Bytes  # (n, pegs): the colours
    scores: Bytes  # (n, n): guess by secret, symmetric
    score_count: int  # the number of different scores
    most_answers: int  # the largest number of different scores of a guess
    marks: Uint64s  # (n,): a random number for each code; a set's mark is the sum of these numbers
    orders: Int64s  # (pegs!, pegs): the permutations of the pegs
    levels_with_symmetries: int  # the number of levels that use symmetries
    unit: int  # the cost of a guess that does not win
    prices: Int64s  # (UNLIMITED + 1,): costs of a winning guess, by the number of remaining guesses
    floors: Int64s  # (UNLIMITED + 1, n + 1): bounds of a cell's cost, by remaining guesses and size
    weights: Int64s  # floors << 32, plus an estimate in 64ths of a guess
    widths: Int64s  # (n + 1,): the number of guesses to try in a cell, by its size
    max_merged_size: int  # up to this size, guesses with the same division of a cell are merged
    keys: Uint64s  # (slots,): the keys of the memory, a hash table with open addressing; 0 if empty
    results: Int32s  # (slots, 3): 1 for an exact cost and 0 for a bound; the cost; the guess
    used_slots: Int64s  # (1,): the number of slots in use
    exact_costs: Int64s  # (n + 1, 2): by size, the number and the sum of exact costs
    cell_at: Int32s  # (MAX_DEPTH + 1, n): the cells of each level, one after another
    guess_at: Int32s  # (MAX_DEPTH + 1, n): the guesses to try at a level; the last row has all
    guess_counts: Int64s  # (MAX_DEPTH + 1,): the number of guesses in each row of `guess_at`
    guess_key_at: Int64s  # (MAX_DEPTH, n): the keys of a level's guesses, by `write_guess_keys`
    part_at: Int64s  # (MAX_DEPTH, score_count, 3): the parts: start, size, lower bound of the cost
    mark_at: Uint64s  # (MAX_DEPTH, score_count): the marks of the parts
    tried_at: Uint64s  # (MAX_DEPTH, n): the hashes of the divisions that each level has tried
    earlier_guesses: Int64s  # (MAX_DEPTH,): the guess at each level that leads to the current cell


@njit
def hash_bits(x: Any) -> Any:
    """Return a 64-bit hash of `x`, made by the finalizer of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit
def make_key(mark: Any, left: int) -> Any:
    """Return the memory key of a cell with `left` remaining guesses. The key is never 0.

    `mark` is a hash of the cell's candidates.
    """
    return hash_bits(mark + np.uint64(left) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)


@njit
def find_slot(data: SearchData, key: Any) -> Any:
    """Return the index of the memory slot that has `key`, or of the free slot for `key`."""
    mask = np.uint64(len(data.keys) - 1)
    at = key & mask
    while data.keys[at] != key and data.keys[at] != 0:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)


@njit
def store_result(data: SearchData, key: Any, exact: int, cost: int, guess: int) -> None:
    """Store the `cost` and the best `guess` of the cell with `key` in the memory.

    If `exact` is 0, `guess` is -1 and `cost` is a lower bound, which replaces only a smaller bound.
    An exact cost is never replaced. A new key is not stored if the memory is full.
    """
    at = find_slot(data, key)
    if data.keys[at] == 0:
        if 4 * data.used_slots[0] >= 3 * len(data.keys):
            return
        data.used_slots[0] += 1
        data.keys[at] = key
        data.results[at, 0] = 0
        data.results[at, 1] = 0
    if data.results[at, 0] == 0 and (exact or cost > data.results[at, 1]):
        data.results[at, 0] = exact
        data.results[at, 1] = cost
        data.results[at, 2] = guess


@njit
def store_exact_cost(data: SearchData, key: Any, size: int, cost: int, guess: int) -> int:
    """Store the exact `cost` of a cell of this `size`, and its best `guess`. Return `cost`."""
    store_result(data, key, 1, cost, guess)
    data.exact_costs[size, 0] += 1
    data.exact_costs[size, 1] += cost
    return cost
