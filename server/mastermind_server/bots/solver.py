"""The numbers behind the bots: all codes, all scores, and how guesses divide what is left.

Codes are rows of uint8 colours, shape (n, pegs). A score is one integer,
``black * (pegs + 1) + black + white``, below ``(pegs + 1) ** 2``: its *cell*.

Many guesses are scored against many secrets by one matrix product. With each code written as
bits, "peg p has colour c" for all p and c, two codes have as many bits in common as they have
black pegs; with "more than k pegs have colour c" for all c and k they have the sum over the
colours of the smaller count in common, which is black and white together. The guess's first
kind of bits weigh pegs + 1, and the product of the two rows is the score.

Importing this module imports NumPy, which takes long enough to be noticed when a game starts:
bots import it only when they first have to choose.
"""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

# The products are small and many: a second BLAS thread costs more than it brings, and takes a
# core from the other matches. NumPy reads these once, when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np

from mastermind_server.bots.bot import ContradictionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mastermind_protocol.code import Code
    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.match import Turn

    Codes: TypeAlias = NDArray[np.uint8]
    Mask: TypeAlias = NDArray[np.bool_]

BLOCK = 1 << 10  # codes a side; their scores are 4 MB as the product's float32, 8 MB as integers


@lru_cache(maxsize=16)  # at most some 6 MB each
def all_codes(pegs: int, colours: int) -> Codes:
    """Return every code, shape (colours ** pegs, pegs), in numeric order; read-only and shared."""
    codes = np.indices((colours,) * pegs, dtype=np.uint8).reshape(pegs, -1).T
    codes.flags.writeable = False
    return codes


def find_cell(feedback: Feedback, pegs: int) -> int:
    """Return the score that stands for this feedback."""
    return feedback.black * (pegs + 1) + feedback.black + feedback.white


def score_all(guesses: Codes, secrets: Codes, colours: int) -> NDArray[np.intp]:
    """Return the score of each guess against each secret, shape (guesses, secrets).

    It takes memory for all of them at once: callers with many codes go block by block.
    """
    pegs = guesses.shape[1]
    weighed = _write_bits(guesses, colours)
    weighed[: pegs * colours] *= pegs + 1
    product = weighed.T @ _write_bits(secrets, colours)
    return product.astype(np.intp)


def score_one(guess: Code, secrets: Codes) -> NDArray[np.uint8]:
    """Return the score of one guess against each secret, shape (secrets,).

    For one guess counting is much faster than writing all the bits of the secrets.
    """
    pegs = len(guess)
    scores = np.zeros(len(secrets), dtype=np.uint8)
    for peg, colour in enumerate(guess):
        scores += secrets[:, peg] == colour
    scores *= pegs + 1
    for colour in set(guess):
        count = np.zeros(len(secrets), dtype=np.uint8)
        for peg in range(pegs):
            count += secrets[:, peg] == colour
        scores += np.minimum(count, np.uint8(guess.count(colour)))
    return scores


def find_consistent(pegs: int, colours: int, turns: Sequence[Turn]) -> Mask:
    """Return which of `all_codes` would have got the very feedback of every turn.

    Raises ContradictionError if none would.
    """
    codes = all_codes(pegs, colours)
    possible = np.ones(len(codes), dtype=np.bool_)
    for turn in turns:
        possible &= score_one(turn.code, codes) == find_cell(turn.feedback, pegs)
    if not possible.any():
        raise ContradictionError(
            f"no code of {pegs} pegs and {colours} colours agrees with "
            f"the feedback to all of {len(turns)} guesses"
        )
    return possible


def count_parts(guesses: Codes, candidates: Codes, colours: int) -> NDArray[np.intp]:
    """Return how many candidates each guess leaves in each cell, shape (guesses, cells)."""
    cells = (guesses.shape[1] + 1) ** 2
    sizes = np.zeros((len(guesses), cells), dtype=np.intp)
    for first in range(0, len(candidates), BLOCK):
        some = candidates[first : first + BLOCK]
        for start in range(0, len(guesses), BLOCK):
            scores = score_all(guesses[start : start + BLOCK], some, colours)
            rows = len(scores)
            scores += cells * np.arange(rows)[:, np.newaxis]
            counted = np.bincount(scores.ravel(), minlength=rows * cells)
            sizes[start : start + rows] += counted.reshape(rows, cells)
    return sizes


def find_distinct(pegs: int, colours: int, turns: Sequence[Turn]) -> Mask:
    """Return which of `all_codes` need be weighed as the next guess.

    After these turns, colours that were never guessed can be exchanged for one another, and so
    can pegs that had equal colours in every guess: the turns stay as they are, and so does what
    a guess is worth. Of guesses that are the same in this sense the lowest is always in.
    """
    codes = all_codes(pegs, colours)
    # The lowest takes untried colours in their order, or exchanging two would make it lower ...
    tried = {colour for turn in turns for colour in turn.code}
    untried = [colour for colour in range(colours) if colour not in tried]
    rank = np.zeros(colours, dtype=np.uint8)
    rank[untried] = np.arange(1, len(untried) + 1)
    ranks = rank[codes]
    highest = np.maximum.accumulate(ranks, axis=1)
    distinct = (ranks[:, 0] <= 1) & (ranks[:, 1:] <= highest[:, :-1] + 1).all(axis=1)
    # ... and is in ascending order over pegs that can be exchanged.
    alike: dict[tuple[int, ...], list[int]] = {}
    for peg in range(pegs):
        alike.setdefault(tuple(turn.code[peg] for turn in turns), []).append(peg)
    for group in alike.values():
        for left, right in pairwise(group):
            distinct &= codes[:, left] <= codes[:, right]
    return distinct


def _write_bits(codes: Codes, colours: int) -> NDArray[np.float32]:
    """Return the bits of the module's docstring, shape (2 * pegs * colours, n), black's first.

    As float32, which BLAS multiplies and which holds every integer up to 2**24.
    """
    number, pegs = codes.shape
    colour = np.arange(colours, dtype=np.uint8)[:, np.newaxis]
    places = codes.T[:, np.newaxis, :] == colour
    counts = places.sum(axis=0, dtype=np.uint8)
    levels = counts[:, np.newaxis, :] > np.arange(pegs, dtype=np.uint8)[:, np.newaxis]
    bits = np.empty((2 * pegs * colours, number), dtype=np.float32)
    bits[: pegs * colours] = places.reshape(-1, number)
    bits[pegs * colours :] = levels.reshape(-1, number)
    return bits
