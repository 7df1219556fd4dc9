"""Builds a decision tree from a recipe: runs its searches in order, and keeps the best tree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from mastermind_server.bots.tree import DecisionTree, Node
from tree_builder.compiled import solve_cell
from tree_builder.compiled_memory import (
    IMPOSSIBLE,
    MAX_DEPTH,
    UNLIMITED,
    SearchData,
    find_slot,
    make_key,
)
from tree_builder.recipes import get_tree_name
from tree_builder.search_data import (
    estimate_before_search,
    estimate_from_search,
    index_feedbacks,
    make_codes,
    make_prices,
    make_scores,
    make_search_data,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tree_builder.recipes import Recipe, Surcharges


def make_tree(recipe: Recipe, report: Callable[[str], None] = lambda _: None) -> DecisionTree:
    """Return the tree with the parameters `recipe`. Call `report` with a line about each search.

    Raises ValueError if the searches find no tree within `recipe.limit`.
    """
    codes = make_codes(recipe.space)
    scores = make_scores(codes)
    root = _run_searches(recipe, recipe.surcharges, codes, scores, report)
    for feedback, surcharges in recipe.grafts:
        other = _run_searches(recipe, surcharges, codes, scores, report)
        if other.guess != root.guess:
            raise ValueError(f"the trees of {get_tree_name(recipe)} have different first guesses")
        root.replies[feedback] = other.replies[feedback]
    histogram = count_games(root, recipe.space.pegs, codes, scores)
    total = sum(guesses * secrets for guesses, secrets in histogram.items())
    return DecisionTree(recipe.space, recipe.name, root, total, histogram)


def _run_searches(
    recipe: Recipe,
    surcharges: Surcharges,
    codes: NDArray[np.uint8],
    scores: NDArray[np.uint8],
    report: Callable[[str], None],
) -> Node:
    """Return the root of the best tree that the recipe's searches find.

    `surcharges` are used instead of those of the recipe.
    """
    estimates = estimate_before_search(len(codes))
    root: Node | None = None
    upper = IMPOSSIBLE
    prices = make_prices(recipe.unit, recipe.limit, dict(surcharges))
    for search in recipe.searches:
        data = make_search_data(
            codes,
            scores,
            find_width=search.find_width,
            estimates=estimates,
            estimate_share=search.estimate_share,
            memory_slots=recipe.memory_slots,
            unit=recipe.unit,
            prices=prices,
        )
        left = UNLIMITED if recipe.limit is None else recipe.limit
        mark = find_mark(data, data.cell_at[0])
        cost = solve_cell(data, 0, 0, len(codes), mark, upper, left, MAX_DEPTH, IMPOSSIBLE)
        if cost < upper:
            upper = cost + 1
            root = read_tree_from_memory(data, recipe, left)
        report(f"{search}: {'none' if root is None else cost // recipe.unit}")
        estimates = estimate_from_search(data)
    if root is None:
        raise ValueError(f"no tree of {recipe.space} {recipe.name} was found")
    return root


def find_mark(data: SearchData, cell: NDArray[np.integer]) -> np.uint64:
    """Return the mark of `cell`: the sum of `data.marks` of its codes."""
    return data.marks[cell].sum(dtype=np.uint64)


def read_tree_from_memory(data: SearchData, recipe: Recipe, left: int) -> Node:
    """Return the root of the tree that a finished search has stored in the memory of `data`.

    `left` is the number of guesses with which the search started, or UNLIMITED. Raises MemoryError
    if a part of the tree is missing because the memory was full.
    """
    _, feedbacks = index_feedbacks(recipe.space.pegs)

    def read_node(cell: NDArray[np.int64], left: int) -> Node | None:
        if len(cell) <= 2:  # these are guessed in order
            return None
        key = np.uint64(make_key(find_mark(data, cell), left))
        exact, _, guess = data.results[find_slot(data, key)].tolist()
        if not exact:
            raise MemoryError(f"{recipe.memory_slots} slots are too few for the search")
        node = Node(tuple(data.codes[guess].tolist()))
        answers = data.scores[guess, cell]
        for answer in range(data.score_count - 1):
            part = cell[answers == answer]
            below = read_node(part, left if left == UNLIMITED else left - 1)
            if below is not None:
                node.replies[feedbacks[answer]] = below
        return node

    return read_node(np.arange(len(data.codes)), left) or Node(tuple(data.codes[0].tolist()))


def count_games(
    root: Node, pegs: int, codes: NDArray[np.uint8], scores: NDArray[np.uint8]
) -> dict[int, int]:
    """Return the numbers of secrets that the tree below `root` breaks in 1, 2, ... guesses.

    The keys are numbers of guesses, ascending. `codes` are all codes, and `scores` their scores
    from `make_scores`.
    """
    _, feedbacks = index_feedbacks(pegs)
    numbers = {tuple(code): number for number, code in enumerate(codes.tolist())}
    games: Counter[int] = Counter()

    def count_below(node: Node | None, cell: NDArray[np.int64], depth: int) -> None:
        if node is None:
            games.update(range(depth, depth + len(cell)))
            return
        answers = scores[numbers[node.guess], cell]
        for answer, feedback in enumerate(feedbacks):
            part = cell[answers == answer]
            if feedback.black == pegs:
                games[depth] += len(part)
            else:
                count_below(node.replies.get(feedback), part, depth + 1)

    count_below(root, np.arange(len(codes)), 1)
    return {guesses: games[guesses] for guesses in sorted(games) if games[guesses]}
