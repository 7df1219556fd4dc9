"""Makes a book: the first guesses of a game that has too many codes for a search.

Each guess gives the most expected information. A guess that divides a cell of n candidates into
parts of q1, q2, ... candidates gives log n - sum(q log q) / n bits (log to the base 2). All guesses
are compared, not a sample. E. Neuwirth, "Some strategies for Mastermind", Zeitschrift für
Operations Research 26, 1982.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from mastermind_server.bots.tree import COLOUR_SYMBOLS, DecisionTree, Node
from tree_builder.compiled_codes import (
    find_distinct_guesses,
    score_bits,
    write_bits,
)
from tree_builder.compiled_memory import MAX_DEPTH
from tree_builder.search_data import index_feedbacks, list_permutations, make_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tree_builder.recipes import BookRecipe

INFORMATION_SCALE = 1 << 16  # q log q is an integer, in 65536ths: sums and ties are exact


class BookData(NamedTuple):
    """The arrays from which `make_book` computes a book.

    In the shapes of the arrays, n is the number of codes.
    """

    codes: NDArray[np.uint8]  # (n, pegs)
    orders: NDArray[np.int64]  # as in `compiled_memory.SearchData`
    places: NDArray[np.uint64]  # (n,), from `write_bits`
    counts: NDArray[np.uint64]
    score_of: NDArray[np.uint8]  # from `index_feedbacks`
    score_count: int  # the number of different scores
    surprise: NDArray[np.int64]  # (n + 1,): q log q, by the size q of a part
    earlier_guesses: NDArray[np.int64]  # as in `SearchData`


def make_book(recipe: BookRecipe) -> DecisionTree:
    """Return the book with the parameters `recipe`: a tree of the first guesses only."""
    codes = make_codes(recipe.space)
    number = len(codes)
    places, counts = np.empty(number, np.uint64), np.empty(number, np.uint64)
    write_bits(codes, places, counts, recipe.space.colours)
    score_of, feedbacks = index_feedbacks(recipe.space.pegs)
    sizes = np.arange(number + 1)
    surprise = np.rint(sizes * np.log2(np.maximum(sizes, 1)) * INFORMATION_SCALE).astype(np.int64)
    data = BookData(
        codes,
        list_permutations(recipe.space.pegs),
        places,
        counts,
        score_of,
        len(feedbacks),
        surprise,
        np.zeros(MAX_DEPTH, np.int64),
    )

    def make_node(cell: NDArray[np.int32], depth: int, guess: int) -> Node:
        node = Node(tuple(codes[guess].tolist()))
        if depth == recipe.depth:
            return node
        data.earlier_guesses[depth - 1] = guess
        answers = np.empty(len(cell), np.uint8)
        score_bits(places[guess], counts[guess], places[cell], counts[cell], score_of, answers)
        for answer in range(data.score_count - 1):
            part = cell[answers == answer]
            if len(part) > 2:
                guesses = np.empty(number, np.int32)
                length = find_distinct_guesses(
                    codes, data.orders, data.earlier_guesses, depth, guesses
                )
                choice = guesses[:length] if length else np.arange(number, dtype=np.int32)
                node.replies[feedbacks[answer]] = make_node(
                    part, depth + 1, find_most_informative_guess(data, choice, part)
                )
        return node

    first = tuple(COLOUR_SYMBOLS.index(symbol) for symbol in recipe.first)
    guess = int(np.flatnonzero((codes == first).all(axis=1))[0])
    root = make_node(np.arange(number, dtype=np.int32), 1, guess)
    return DecisionTree(recipe.space, recipe.name, root)


@njit
def find_most_informative_guess(
    data: BookData, guesses: NDArray[np.int32], cell: NDArray[np.int32]
) -> int:
    """Return the guess of `guesses` with the most expected information about the candidates `cell`.

    Of equally good guesses, candidates are preferred, and then the first of `guesses`. Codes are
    given by their indices in numeric order.
    """
    places, counts = data.places[cell], data.counts[cell]
    answers = np.empty(len(cell), np.uint8)
    sizes = np.empty(data.score_count, np.int64)
    best, least, winning = -1, np.int64(0), False
    for guess in guesses:
        score_bits(data.places[guess], data.counts[guess], places, counts, data.score_of, answers)
        sizes[:] = 0
        for answer in answers:
            sizes[answer] += 1
        left = np.int64(0)
        for size in sizes:
            left += data.surprise[size]
        can_win = sizes[data.score_count - 1] > 0
        if best < 0 or left < least or (left == least and can_win and not winning):
            best, least, winning = guess, left, can_win
    return best
