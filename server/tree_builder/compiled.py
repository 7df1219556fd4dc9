"""The search for a decision tree, compiled by Numba: finds the least cost of a set of candidates.

The terms: a code is given by its number in numeric order. A *score* is the number of a feedback,
from 0 without gaps; the winning feedback is the last. A *cell* is the set of candidates after some
feedbacks, and a guess divides it into *parts*, one for each score. To break one code of the cell
costs a *unit* for each guess that does not win, plus the *price* of the winning guess, which is a
unit or, for a late guess, slightly more. The *cost* of the cell is the sum over all its codes. A
*mark* is a 64-bit hash of a set of codes: the sum of a random number for each code. The *division
hash* of a guess is the same for all guesses that divide a cell into the same parts. The *width* of
the search is the number of guesses that it tries in a cell.

`solve_cell` is a branch and bound over the guesses. After a guess, the cost of the cell is at least
a unit for each candidate, plus the bound in `floors` for each part. Guesses are tried in order of
the estimates in `weights`, until the cost with one guess is no more than the bound of the cell. The
search is exact if `floors` are true bounds and the `widths` cover all guesses. Otherwise it is a
beam search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from tree_builder.compiled_codes import find_distinct_guesses
from tree_builder.compiled_memory import (
    IMPOSSIBLE,
    MAX_DEPTH,
    UNLIMITED,
    SearchData,
    find_slot,
    hash_bits,
    make_key,
    store_exact_cost,
    store_result,
)

if TYPE_CHECKING:
    from typing import Any

    from tree_builder.compiled_codes import Int32s, Int64s

GUESSES_PER_BLOCK = 256  # guesses counted at once: their counts stay in the fastest cache
MAX_KEYS_TO_INSERT = 64  # smallest keys: up to this number, insertion is faster than a full sort
GUESS_BITS_IN_KEY = (
    21  # low bits of a key, for the number of the guess; the next bit is 0 for a candidate
)


@njit
def subtract_guess(left: int) -> int:
    """Return `left` - 1, the number of guesses left after a guess; UNLIMITED stays UNLIMITED."""
    return left if left == UNLIMITED else left - 1


@njit
def merge_equal_guesses(data: SearchData, guesses: Int32s, cell: Int32s, out: Int32s) -> int:
    """Write to `out` one guess of `guesses` for each different division of `cell`.

    Return the number of written guesses. Candidates are always written, even if they divide `cell`
    equally: `out` is also used for subsets of `cell`, which may contain only one of them.
    """
    scores, marks, score_count = data.scores, data.marks, data.score_count
    inside = np.zeros(len(data.codes), np.bool_)
    for code in cell:
        inside[code] = True
    size = 4
    while size < 3 * len(guesses):
        size *= 2
    table = np.zeros(size, np.uint64)
    mask = np.uint64(size - 1)
    length = 0
    for own in (True, False):
        source = cell if own else guesses
        for start in range(0, len(source), GUESSES_PER_BLOCK):
            block = source[start : start + GUESSES_PER_BLOCK]
            sums = np.zeros(GUESSES_PER_BLOCK * score_count, np.uint64)
            for code in cell:
                row, mark = scores[code], marks[code]
                for k in range(len(block)):
                    sums[k * score_count + row[block[k]]] += mark
            for k in range(len(block)):
                if not own and inside[block[k]]:
                    continue
                division = np.uint64(0)
                parts = 0
                for score in range(score_count):
                    mark = sums[k * score_count + score]
                    if mark != 0:
                        division += hash_bits(mark)
                        parts += 1
                division |= np.uint64(1)
                at = division & mask
                while table[at] != division and table[at] != 0:
                    at = (at + np.uint64(1)) & mask
                if own or (parts > 1 and table[at] == 0):
                    table[at] = division
                    out[length] = block[k]
                    length += 1
    return length


@njit
def write_guess_keys(
    data: SearchData, guesses: Int32s, cell: Int32s, upper: int, floor: int, left: int, out: Int64s
) -> tuple[int, int]:
    """Write to `out` the sort key of each guess that may cost less than `upper`.

    Return the number of keys, and the lowest of the lower bounds of the costs of `guesses`. `cell`
    has the numbers of the candidates. `floor` is the lower bound of the cost of `cell`. If a guess
    is known to cost no more than `floor`, only the key of this guess is written. `left` is the
    number of remaining guesses, including this one. A key consists of the estimated cost, a bit
    that is 0 for a candidate, and the number of the guess.
    """
    scores, score_count = data.scores, data.score_count
    size = len(cell)
    price, weights = data.prices[left] - data.unit, data.weights[subtract_guess(left)]
    length, least = 0, IMPOSSIBLE
    for start in range(0, len(guesses), GUESSES_PER_BLOCK):
        block = guesses[start : start + GUESSES_PER_BLOCK]
        counts = np.zeros(GUESSES_PER_BLOCK * score_count, np.int32)
        for code in cell:
            row = scores[code]
            for k in range(len(block)):
                counts[k * score_count + row[block[k]]] += 1
        first = scores[cell[0]]
        for k in range(len(block)):
            parts = counts[k * score_count : (k + 1) * score_count]
            if parts[first[block[k]]] == size:
                continue  # the guess excludes no candidate
            both, largest = np.int64(0), 0
            for score in range(score_count - 1):
                both += weights[parts[score]]
                largest = max(largest, parts[score])
            cost = data.unit * size + price * parts[score_count - 1] + (both >> 32)
            least = min(least, cost)
            if cost < upper:
                estimate = both & 0xFFFFFFFF
                out[length] = (
                    ((estimate << 1) | (1 - parts[score_count - 1])) << GUESS_BITS_IN_KEY
                ) | block[k]
                length += 1
                if cost <= floor and largest <= 2:
                    out[0] = out[length - 1]
                    return 1, least
    return length, least


@njit
def sort_smallest_keys(keys: Int64s, length: int, count: int) -> int:
    """Write the smallest `count` of `keys[:length]` to the start of `keys`, in ascending order.

    Return the number of written keys, which is the lower of `count` and `length`.
    """
    if length <= count or count > MAX_KEYS_TO_INSERT:
        keys[:length].sort()
        return min(length, count)
    best = keys[:count]
    best.sort()
    for key in keys[count:length]:
        at = count
        while at > 0 and best[at - 1] > key:
            at -= 1
        if at < count:
            for k in range(count - 1, at, -1):
                best[k] = best[k - 1]
            best[at] = key
    return count


@njit
def divide_cell(data: SearchData, level: int, cell: Int32s, guess: int) -> tuple[int, Any]:
    """Divide `cell` into parts, one for each feedback to `guess`, and write them to `data`.

    Return the number of written parts, and a hash of the division, which is equal for guesses with
    the same parts. The part of the winning feedback is not written. The parts are sorted by size.
    `cell_at[level + 1]` gets the candidates, part after part. `part_at[level]` gets the start and
    size of each part. `mark_at[level]` gets the mark of each part, a hash of its candidates.
    """
    score_count, row = data.score_count, data.scores[guess]
    sizes = np.zeros(score_count, np.int64)
    sums = np.zeros(score_count, np.uint64)
    for code in cell:
        sizes[row[code]] += 1
        sums[row[code]] += data.marks[code]
    parts, marks = data.part_at[level], data.mark_at[level]
    ends = np.zeros(score_count, np.int64)
    number, end = 0, 0
    division = np.uint64(sizes[score_count - 1])
    for score in range(score_count):
        ends[score] = end
        end += sizes[score]
        if sizes[score] and score < score_count - 1:
            division += hash_bits(sums[score])
            at = number
            while at > 0 and parts[at - 1, 1] > sizes[score]:
                parts[at, 0] = parts[at - 1, 0]
                parts[at, 1] = parts[at - 1, 1]
                marks[at] = marks[at - 1]
                at -= 1
            parts[at, 0] = ends[score]
            parts[at, 1] = sizes[score]
            marks[at] = sums[score]
            number += 1
    below = data.cell_at[level + 1]
    for code in cell:
        below[ends[row[code]]] = code
        ends[row[code]] += 1
    return number, division


@njit
def find_separating_candidate(data: SearchData, cell: Int32s) -> int:
    """Return the first candidate to which every candidate gives a different feedback, or -1."""
    for guess in cell:
        row = data.scores[guess]
        met = 0
        for code in cell:
            bit: Any = 1 << np.int64(row[code])
            if met & bit:
                break
            met |= bit
        else:
            return guess
    return -1


@njit
def solve_cell(
    data: SearchData,
    level: int,
    start: int,
    end: int,
    mark: Any,
    upper: int,
    left: int,
    listed: int,
    listed_for: int,
) -> int:
    """Return the cost of a cell if it is below `upper`, or a lower bound of at least `upper`.

    The cell is `cell_at[level, start:end]`. `mark` is a hash of the cell's candidates. `left` is
    the number of remaining guesses. `guess_at[listed]` has the guesses to try, which
    `merge_equal_guesses` selected for an enclosing cell of `listed_for` candidates. If `listed_for`
    is IMPOSSIBLE, no guesses were selected, and the list has all codes.
    """
    size = end - start
    floor = data.floors[left, size]
    if size <= 2 or floor >= upper:
        return floor
    if level == MAX_DEPTH - 1:
        return IMPOSSIBLE
    key = make_key(mark, left)
    at = find_slot(data, key)
    if data.keys[at] == key:
        known: Any = np.int64(data.results[at, 1])
        if data.results[at, 0] or known >= upper:
            return known
        floor = max(floor, known)
    cell = data.cell_at[level, start:end]
    if size <= data.most_answers:
        perfect = find_separating_candidate(data, cell)
        if perfect >= 0:
            return store_exact_cost(data, key, size, data.floors[left, size], perfect)
        # Any other guess costs one guess more, and a later winning guess is no cheaper.
        floor = max(floor, data.floors[left, size] + data.unit)
        if floor >= upper:
            return floor
    below = subtract_guess(left)
    length = 0
    if level < data.levels_with_symmetries:
        length = find_distinct_guesses(
            data.codes, data.orders, data.earlier_guesses, level, data.guess_at[level]
        )
    own = listed
    if length:
        own = level
        data.guess_counts[own] = length
    elif (
        size <= data.max_merged_size
        and 3 * size < listed_for
        and data.guess_counts[listed] > 8 * size
    ):
        own = level
        choice = data.guess_at[listed, : data.guess_counts[listed]]
        data.guess_counts[own] = merge_equal_guesses(data, choice, cell, data.guess_at[own])
        listed, listed_for = own, size
    choice = data.guess_at[own, : data.guess_counts[own]]
    keys, parts, tried = data.guess_key_at[level], data.part_at[level], data.tried_at[level]
    length, least = write_guess_keys(data, choice, cell, upper, floor, left, keys)
    floor = max(floor, least)
    if floor >= upper:
        store_result(data, key, 0, floor, -1)
        return floor
    best, divisions = -1, 0
    for k in range(sort_smallest_keys(keys, length, data.widths[size])):
        guess = keys[k] & ((1 << GUESS_BITS_IN_KEY) - 1)
        number, division = divide_cell(data, level, cell, guess)
        cost = data.unit * size
        missing = size
        for part in range(number):
            least = data.floors[below, parts[part, 1]]
            if parts[part, 1] > 2:
                at = find_slot(data, make_key(data.mark_at[level, part], below))
                if data.keys[at] != 0:
                    least = max(least, np.int64(data.results[at, 1]))
            parts[part, 2] = least
            cost += least
            missing -= parts[part, 1]
        cost += missing * (data.prices[left] - data.unit)
        again = cost >= upper
        for other in range(divisions):
            again |= tried[other] == division
        if again:
            continue
        tried[divisions] = division
        divisions += 1
        data.earlier_guesses[level] = guess
        for part in range(number):
            first, count = parts[part, 0], parts[part, 1]
            if count > 2:
                cost -= parts[part, 2]
                cost += solve_cell(
                    data,
                    level + 1,
                    first,
                    first + count,
                    data.mark_at[level, part],
                    upper - cost,
                    below,
                    listed,
                    listed_for,
                )
                if cost >= upper:
                    break
        if cost < upper:
            upper, best = cost, guess
            if cost <= floor:
                break
    if best >= 0:
        return store_exact_cost(data, key, size, upper, best)
    store_result(data, key, 0, upper, -1)
    return upper
