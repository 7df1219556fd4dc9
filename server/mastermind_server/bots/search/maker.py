"""From a recipe to a decision tree: searches in turn, and the best tree that any has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mastermind_server.bots.search.board import (
    estimate_by,
    estimate_roughly,
    make_board,
    make_codes,
    make_scores,
    number_scores,
    set_prices,
)
from mastermind_server.bots.search.compiled import (
    DEEPEST,
    FREE,
    NEVER,
    Board,
    find_slot,
    make_key,
    solve,
)
from mastermind_server.bots.tree import DecisionTree, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mastermind_server.bots.search.recipes import Recipe


def make_tree(recipe: Recipe, tell: Callable[[str], None] = lambda _: None) -> DecisionTree:
    """Return the tree of this recipe, and tell what each of its searches has found.

    Raises ValueError if there is none within the recipe's limit, or none is found.
    """
    codes = make_codes(recipe.pegs, recipe.colours)
    scores = make_scores(codes)
    estimates = estimate_roughly(len(codes))
    tree: DecisionTree | None = None
    upper = NEVER
    prices = set_prices(recipe.unit, recipe.limit, dict(recipe.surcharges))
    for search in recipe.searches:
        board = make_board(
            codes,
            scores,
            width=search.width,
            estimates=estimates,
            share=search.share,
            slots=recipe.slots,
            unit=recipe.unit,
            prices=prices,
        )
        left = FREE if recipe.limit is None else recipe.limit
        mark = mark_of(board, board.cell_at[0])
        cost = solve(board, 0, 0, len(codes), mark, upper, left, DEEPEST, NEVER)
        if cost < upper:
            upper = cost + 1
            tree = read_memory(board, recipe, left)
        tell(f"{search}: {tree.total if tree else 'none'}")
        estimates = estimate_by(board)
    if tree is None:
        raise ValueError(f"no tree of {recipe.pegs}x{recipe.colours} {recipe.name} is found")
    return tree


def mark_of(board: Board, cell: NDArray[np.integer]) -> np.uint64:
    """Return what the set of these codes is known by."""
    return board.marks[cell].sum(dtype=np.uint64)


def read_memory(board: Board, recipe: Recipe, left: int) -> DecisionTree:
    """Return the tree that a search with so many guesses left has remembered.

    Raises MemoryError if the board had no room for all of it.
    """
    _, feedbacks = number_scores(recipe.pegs)
    histogram: dict[int, int] = {}

    def count(depth: int, secrets: int) -> None:
        if secrets:
            histogram[depth] = histogram.get(depth, 0) + secrets

    def read(cell: NDArray[np.int64], depth: int, left: int) -> Node | None:
        if len(cell) <= 2:  # guessed in order
            count(depth, 1)
            count(depth + 1, len(cell) - 1)
            return None
        key = np.uint64(make_key(mark_of(board, cell), left))
        exact, _, guess = board.known[find_slot(board, key)].tolist()
        if not exact:
            raise MemoryError(f"{recipe.slots} slots are too few for the search")
        node = Node(tuple(board.codes[guess].tolist()))
        answers = board.scores[guess, cell]
        win = board.cells - 1
        count(depth, int((answers == win).sum()))
        for answer in range(win):
            part = cell[answers == answer]
            if len(part):
                below = read(part, depth + 1, left if left == FREE else left - 1)
                if below is not None:
                    node.replies[feedbacks[answer]] = below
        return node

    root = read(np.arange(len(board.codes)), 1, left)
    if root is None:
        root = Node((0,) * recipe.pegs)
    histogram = dict(sorted(histogram.items()))
    return DecisionTree(
        recipe.pegs,
        recipe.colours,
        recipe.name,
        root,
        sum(depth * secrets for depth, secrets in histogram.items()),
        histogram,
    )
