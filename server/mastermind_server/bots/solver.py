"""Arrays of all codes and their scores, and the sizes of the cells of guesses.

Codes are rows of uint8 colours, shape (n, pegs), column by column in memory. The *number* of a code
is its index among all codes of its space in numeric order, the order of their colours read as
digits. A *score* is feedback as one integer: ``black * (pegs + 1) + black + white``, below
``(pegs + 1) ** 2``. A *cell* of a guess contains the candidates with the same score.

One matrix product scores many guesses against many secrets. Each code is written as bits of two
kinds. A bit of the first kind means "peg p has colour c". The number of these bits that two codes
share is black. A bit of the second kind means "more than k pegs have colour c". The number of these
bits that two codes share is the sum, over all colours, of the smaller count, which is black plus
white. In a guess, a bit of the first kind is pegs + 1 instead of 1, so the product of two rows is
the score.

This module imports NumPy, which takes noticeable time when a game starts. So a bot imports the
module only when it computes its first guess.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mastermind_protocol.feedback import Feedback
from mastermind_protocol.rules import CodeSpace
from mastermind_server.bots.bot import MAX_CODES_IN_SCORE_TABLE, MAX_LISTED_CODES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn

    Codes: TypeAlias = NDArray[np.uint8]
    Numbers: TypeAlias = NDArray[np.signedinteger[Any]]  # int64 above MAX_LISTED_CODES, else int32
    Scores: TypeAlias = NDArray[np.uint8]
    Sizes: TypeAlias = NDArray[np.intp]

CODES_PER_BLOCK = 1 << 10  # codes on each side: 4 MB of scores as float32, 8 MB as integers
MAX_GUESSES_TO_COUNT = 32  # guesses that `score_one` scores; for more, `_multiply_bits` is faster


@lru_cache(maxsize=16)  # at most some 6 MB each
def list_codes(space: CodeSpace) -> Codes:
    """Return every code, shape (space.codes, pegs), in numeric order; read-only and shared."""
    if space.repeats:
        codes = np.indices((space.colours,) * space.pegs, dtype=np.uint8).reshape(space.pegs, -1).T
    else:
        codes = _list_codes_without_repeats(space.pegs, space.colours)
    codes.flags.writeable = False
    return codes


def _list_codes_without_repeats(pegs: int, colours: int) -> Codes:
    rows = np.empty((0, 1), dtype=np.uint8)  # a row for each peg, a column for each code
    for _ in range(pegs):
        added = np.tile(np.arange(colours, dtype=np.uint8), rows.shape[1])
        rows = rows.repeat(colours, axis=1)
        fits = (rows != added).all(axis=0)
        rows = np.vstack((rows, added)).compress(fits, axis=1)
    return rows.T


def encode_feedback(feedback: Feedback, pegs: int) -> int:
    """Return `feedback` as one integer, its score: black * (pegs + 1) + black + white."""
    return feedback.black * (pegs + 1) + feedback.black + feedback.white


@lru_cache(maxsize=1 << 10)
def decode_feedback(value: int, pegs: int) -> Feedback:
    """Return the feedback of the score `value`: the inverse of `encode_feedback`."""
    black, total = divmod(value, pegs + 1)
    return Feedback(black, total - black)


def find_code_number(code: Code, space: CodeSpace) -> int:
    """Return the number of `code`: its index among all codes of `space` in numeric order."""
    return int(find_numbers(code, space))


def find_code_by_number(space: CodeSpace, number: int) -> Code:
    """Return the code with this number."""
    if space.codes <= MAX_LISTED_CODES:
        return tuple(list_codes(space)[number].tolist())
    return tuple(_decode_numbers(space, np.array([number]))[0].tolist())


def find_codes_by_number(space: CodeSpace, numbers: Numbers) -> Codes:
    """Return the codes with these numbers, shape (len(numbers), pegs)."""
    if space.codes > MAX_LISTED_CODES:
        return _decode_numbers(space, numbers)
    codes: Codes = list_codes(space).T.take(numbers, axis=1).T
    return codes


def _decode_numbers(space: CodeSpace, numbers: Numbers) -> Codes:
    rows = np.empty((space.pegs, len(numbers)), dtype=np.uint8)
    left = numbers
    for peg in reversed(range(space.pegs)):
        left, rows[peg] = np.divmod(left, space.colours - (0 if space.repeats else peg))
    if not space.repeats:  # the digit is the rank of the colour, see `find_numbers`
        for peg in range(1, space.pegs):
            for earlier in np.sort(rows[:peg], axis=0):
                rows[peg] += rows[peg] >= earlier
    return rows.T


@lru_cache(maxsize=4)  # 4 MB each at most
def make_score_table(space: CodeSpace) -> Scores:
    """Return the score of every guess against every secret, shape (codes, codes), symmetric.

    Scores are from `encode_feedback`. The array is read-only and shared. Use it for at most
    `MAX_CODES_IN_SCORE_TABLE` codes.
    """
    codes = list_codes(space)
    table = np.empty((len(codes), len(codes)), dtype=np.uint8)
    for start in range(0, len(codes), CODES_PER_BLOCK):
        block = slice(start, start + CODES_PER_BLOCK)
        table[block] = score_all(codes[block], codes, space.colours)
    table.flags.writeable = False
    return table


def score_all(guesses: Codes, secrets: Codes, colours: int) -> Scores:
    """Return the score of each guess against each secret, shape (guesses, secrets).

    Scores are from `encode_feedback`. Allocates all scores at once: callers split large arrays into
    blocks.
    """
    return _multiply_bits(guesses, secrets, colours).astype(np.uint8)


def score_one(guess: Code, secrets: Codes) -> Scores:
    """Return the score of one guess against each secret, shape (secrets,).

    Scores are from `encode_feedback`. Counts pegs, which for one guess is much faster than
    the matrix product of `score_all`.
    """
    pegs = len(guess)
    black = np.zeros(len(secrets), dtype=np.uint8)
    total = np.zeros(len(secrets), dtype=np.uint8)
    for colour in set(guess):
        count = np.zeros(len(secrets), dtype=np.uint8)
        for peg in range(pegs):
            same = secrets[:, peg] == colour
            count += same
            if guess[peg] == colour:
                black += same
        total += np.minimum(count, np.uint8(guess.count(colour)))
    return black * np.uint8(pegs + 1) + total


def score_by_number(space: CodeSpace, guess: int, secrets: Numbers) -> Scores:
    """Return the scores of one guess against `secrets`, shape (secrets,).

    `guess` and `secrets` are numbers of codes.
    """
    if space.codes <= MAX_CODES_IN_SCORE_TABLE:
        scores: Scores = make_score_table(space)[guess].take(secrets)
        return scores
    return score_one(find_code_by_number(space, guess), find_codes_by_number(space, secrets))


def score_pairs(space: CodeSpace, codes: Numbers) -> Scores:
    """Return the score of each pair of `codes`, shape (codes, codes).

    `codes` are numbers of codes.
    """
    if space.codes <= MAX_CODES_IN_SCORE_TABLE:
        scores: Scores = make_score_table(space)[codes[:, np.newaxis], codes]
        return scores
    rows = find_codes_by_number(space, codes)
    return score_all(rows, rows, space.colours)


def find_cell_sizes(guesses: Codes, candidates: Codes, colours: int) -> Sizes:
    """Return the size of each cell of each guess, shape (guesses, cells).

    The index of a cell is the score that its candidates give to the guess.
    """
    cells = (guesses.shape[1] + 1) ** 2
    if len(guesses) <= MAX_GUESSES_TO_COUNT:
        rows = [score_one(tuple(guess), candidates) for guess in guesses.tolist()]
        return np.array([np.bincount(row, minlength=cells) for row in rows], dtype=np.intp)
    sizes = np.zeros((len(guesses), cells), dtype=np.intp)
    for first in range(0, len(candidates), CODES_PER_BLOCK):
        some = candidates[first : first + CODES_PER_BLOCK]
        for start in range(0, len(guesses), CODES_PER_BLOCK):
            product = _multiply_bits(
                guesses[start : start + CODES_PER_BLOCK], some, colours, step=cells
            )
            number = len(product)
            counted = np.bincount(product.astype(np.intp).ravel(), minlength=number * cells)
            sizes[start : start + number] += counted.reshape(number, cells)
    return sizes


def find_cell_sizes_of_numbers(space: CodeSpace, guesses: Numbers, candidates: Numbers) -> Sizes:
    """Return the size of each cell of each guess, as `find_cell_sizes` does for codes.

    `guesses` and `candidates` are numbers of codes. `guesses` must be sorted and unique.
    """
    codes, cells = space.codes, (space.pegs + 1) ** 2
    if codes > MAX_CODES_IN_SCORE_TABLE:
        if len(candidates) == codes and len(guesses) <= MAX_GUESSES_TO_COUNT and space.repeats:
            return _find_opening_cell_sizes(space, guesses)
        return find_cell_sizes(
            find_codes_by_number(space, guesses),
            find_codes_by_number(space, candidates),
            space.colours,
        )
    scores = make_score_table(space)[candidates]
    if len(guesses) < codes:
        scores = scores.take(guesses, axis=1)
    keys = scores + cells * np.arange(len(guesses))
    return np.bincount(keys.ravel(), minlength=len(guesses) * cells).reshape(-1, cells)


def _find_opening_cell_sizes(space: CodeSpace, guesses: Numbers) -> Sizes:
    """Return the size of each cell of each guess, if every code is a candidate.

    The shape is (guesses, cells). Codes of `space` may repeat colours. All colours that are not in
    a guess give the same feedback. So, to save time, only one of them occurs in the scored secrets
    and represents the others. Each secret counts as the number of codes that it represents.
    """
    pegs, colours = space.pegs, space.colours
    cells = (pegs + 1) ** 2
    sizes = np.empty((len(guesses), cells), dtype=np.intp)
    for size, code in zip(sizes, find_codes_by_number(space, guesses).tolist(), strict=True):
        tried = sorted(set(code))
        guess = tuple([tried.index(colour) for colour in code])
        others = colours - len(tried)
        secrets = list_codes(CodeSpace(pegs, len(tried) + (others > 0)))
        weights = others ** (secrets == len(tried)).sum(axis=1)
        size[:] = np.bincount(score_one(guess, secrets), weights, minlength=cells)
    return sizes


def find_distinct_guesses(space: CodeSpace, turns: Sequence[Turn]) -> Numbers:
    """Return the lowest number of each set of symmetric guesses, ascending.

    Symmetric guesses are equally good after `turns`. Two guesses are symmetric if one turns into
    the other by exchanging colours that no guess of `turns` has, and exchanging pegs that have
    equal colours in every guess of `turns`. Both keep a code without repeats one.
    """
    pegs, colours = space.pegs, space.colours
    tried = {colour for turn in turns for colour in turn.code}
    untried = [colour for colour in range(colours) if colour not in tried]
    columns = [tuple(turn.code[peg] for turn in turns) for peg in range(pegs)]
    if len(untried) < 2 and len(set(columns)) == pegs:
        return np.arange(space.codes, dtype=np.int32)
    colour = np.arange(colours, dtype=np.int32)
    rank = np.zeros(colours, dtype=np.uint8)
    rank[untried] = np.arange(1, len(untried) + 1)
    numbers, highest = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint8)

    def digit(peg: int, pegs: int) -> Numbers:
        """Return the colours on `peg`, read from `numbers` of `pegs` digits."""
        digits: Numbers = numbers // colours ** (pegs - 1 - peg) % colours
        return digits

    for peg, column in enumerate(columns):
        # The lowest guess uses untried colours in ascending order ...
        fits = rank <= highest[:, np.newaxis] + 1
        if column in columns[:peg]:
            # ... and has ascending colours on pegs that can be exchanged.
            back = peg - 1 - columns[:peg][::-1].index(column)
            fits &= colour >= digit(back, peg)[:, np.newaxis]
        if not space.repeats:
            for earlier in range(peg):
                fits &= colour != digit(earlier, peg)[:, np.newaxis]
        numbers = (numbers[:, np.newaxis] * colours + colour)[fits]
        highest = np.maximum(highest[:, np.newaxis], rank)[fits]
    if not space.repeats:
        numbers = find_numbers([digit(peg, pegs) for peg in range(pegs)], space).astype(np.int32)
    elif not turns:
        # All pegs and colours can be exchanged: in the lowest guess, colour counts do not increase.
        codes = find_codes_by_number(space, numbers)
        counts = (codes[:, :, np.newaxis] == colour).sum(axis=1)
        numbers = numbers[(counts[:, 1:] <= counts[:, :-1]).all(axis=1)]
    return numbers


def find_numbers(code: Sequence[Any], space: CodeSpace) -> Any:
    """Return the number of a code, or of each of n codes if `code` has pegs of shape (n,)."""
    number = 0
    for peg, colour in enumerate(code):
        if space.repeats:
            number = number * space.colours + colour
        else:  # the digit is the rank of the colour among those that are on no earlier peg
            lower = sum(earlier < colour for earlier in code[:peg])
            number = number * (space.colours - peg) + colour - lower
    return number


def _multiply_bits(
    guesses: Codes, secrets: Codes, colours: int, step: int = 0
) -> NDArray[np.float32]:
    """Return the score of each guess against each secret, shape (guesses, secrets).

    Multiplies the bits of the codes, which the module's docstring describes. Adds `step` times the
    row index of the guess to each score.
    """
    pegs = guesses.shape[1]
    left, right = _write_bits(guesses, colours), _write_bits(secrets, colours)
    left[: pegs * colours] *= pegs + 1
    left[-1] = step * np.arange(len(guesses))
    return left.T @ right


def _write_bits(codes: Codes, colours: int) -> NDArray[np.float32]:
    """Return the bits of n codes for `_multiply_bits`, shape (2 * pegs * colours + 1, n).

    A code has three groups of bits: whether its peg i has the colour j, for black pegs; whether
    more than i of its pegs have the colour j, for the sum of black and white pegs; a constant 1.
    They are float32, because BLAS multiplies this type. It is exact for integers up to 2**24.
    """
    number, pegs = codes.shape
    colour = np.arange(colours, dtype=np.uint8)[:, np.newaxis]
    places = codes.T[:, np.newaxis, :] == colour
    counts = places.sum(axis=0, dtype=np.uint8)
    levels = counts[:, np.newaxis, :] > np.arange(pegs, dtype=np.uint8)[:, np.newaxis]
    bits = np.ones((2 * pegs * colours + 1, number), dtype=np.float32)
    bits[: pegs * colours] = places.reshape(-1, number)
    bits[pegs * colours : -1] = levels.reshape(-1, number)
    return bits
