"""The recipes: the parameters from which the trees are made.

A tree depends only on the numbers of its recipe, because no search has a time limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mastermind_protocol.feedback import Feedback
from mastermind_protocol.rules import CodeSpace, find_rules

Surcharges: TypeAlias = tuple[tuple[int, int], ...]
"""Pairs: the number of a guess, from 1, and its surcharge: a small extra cost if it wins."""

MORE_THAN_ALL_GUESSES = 1 << 20  # guesses: more than any number of codes


@dataclass(frozen=True, slots=True)
class SearchWidth:
    """The number of guesses that a search tries in a cell, by the cell's number of candidates.

    If `estimate_share` is not 0, the search assumes that a large cell costs at least this share of
    its estimate. The search is then faster, but not exact.
    """

    guesses_below_16_candidates: int
    guesses_below_60_candidates: int
    guesses_below_300_candidates: int
    guesses_from_300_candidates: int
    estimate_share: float = 0.0

    def find_width(self, size: int) -> int:
        """Return the number of guesses to try in a cell of `size` candidates."""
        if size < 16:
            return self.guesses_below_16_candidates
        if size < 60:
            return self.guesses_below_60_candidates
        return self.guesses_below_300_candidates if size < 300 else self.guesses_from_300_candidates


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of a tree and of its searches.

    The `searches` run in order; each uses the results of the previous one. `limit` is the maximal
    number of guesses for a secret, or None. A guess costs `unit`. A late winning guess also costs a
    surcharge. The `surcharges` are so small that they only choose between trees with the same total
    number of guesses.

    Each of the `grafts` replaces one subtree of the finished tree. A graft is a pair of a feedback
    to the first guess and surcharges. The searches run again with these surcharges, and the subtree
    after this feedback is taken from their tree. `memory_slots` is the number of solved cells that
    a search remembers, a power of two.
    """

    space: CodeSpace
    searches: tuple[SearchWidth, ...]
    name: str = "optimal"
    limit: int | None = None
    unit: int = 1
    surcharges: Surcharges = ()
    grafts: tuple[tuple[Feedback, Surcharges], ...] = ()
    memory_slots: int = 1 << 22


@dataclass(frozen=True, slots=True)
class BookRecipe:
    """The parameters of a book, which is a tree of the first guesses only.

    `first` is guess number 1, written as the digits of its colours. The guesses from number 2 to
    number `depth` are the guesses with the most expected information.
    """

    space: CodeSpace
    first: str
    depth: int
    name: str = "optimal"


ROUGH_SEARCH = SearchWidth(MORE_THAN_ALL_GUESSES, 4, 2, 2)
EXACT_SEARCH = SearchWidth(
    MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES
)

# The sizes of at most 1,296 codes at which `entropy` needs more guesses than the best tree.
SMALL_SIZES = (
    *("3x4", "3x5", "3x7", "3x8", "3x9", "3x10", "4x3", "5x2", "5x4", "6x3", "7x2", "8x2", "9x2"),
    *("3x7u", "3x8u", "3x9u", "3x10u", "3x11u", "4x5u", "4x6u", "4x7u", "5x5u", "5x6u", "6x6u"),
)
# Limits that the total does not need: they select a tree with a lower worst case.
SMALL_LIMITS = {"3x9": 6, "5x4": 5, "8x2": 6, "9x2": 6}

RECIPES: tuple[Recipe | BookRecipe, ...] = (
    *(
        Recipe(
            *(find_rules(size).space, (ROUGH_SEARCH, EXACT_SEARCH)), limit=SMALL_LIMITS.get(size)
        )
        for size in SMALL_SIZES
    ),
    Recipe(CodeSpace(3, 6), (ROUGH_SEARCH, EXACT_SEARCH)),
    Recipe(CodeSpace(4, 4), (ROUGH_SEARCH, EXACT_SEARCH)),
    Recipe(CodeSpace(4, 5), (ROUGH_SEARCH, EXACT_SEARCH)),
    # Many trees have the least total. The surcharges select the published distributions: the fewest
    # games of six guesses, then the fewest of five. If the first guess gets no pegs, they select
    # the most games of three.
    Recipe(
        *(CodeSpace(4, 6), (ROUGH_SEARCH, EXACT_SEARCH)),
        limit=6,
        unit=1 << 13,
        surcharges=((5, 1), (6, 1 << 10)),
        grafts=((Feedback(0, 0), ((4, 1), (5, 1), (6, 1 << 10))),),
    ),
    Recipe(
        *(CodeSpace(4, 6), (ROUGH_SEARCH, EXACT_SEARCH), "optimal-5"),
        limit=5,
        unit=1 << 13,
        surcharges=((5, 1),),
        grafts=((Feedback(0, 0), ((4, 1), (5, 1))),),
    ),
    Recipe(CodeSpace(4, 7), (ROUGH_SEARCH, EXACT_SEARCH)),
    Recipe(
        CodeSpace(4, 8),
        (
            ROUGH_SEARCH,
            SearchWidth(MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, 40, 10),
            SearchWidth(MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, 100, 20),
        ),
        memory_slots=1 << 23,
    ),
    Recipe(CodeSpace(4, 9), (ROUGH_SEARCH, SearchWidth(15, 15, 20, 10, 0.975))),
    Recipe(CodeSpace(4, 10), (ROUGH_SEARCH, SearchWidth(15, 15, 30, 15, 0.95))),
    Recipe(CodeSpace(5, 5), (ROUGH_SEARCH, SearchWidth(10, 10, 20, 10, 0.975))),
    Recipe(CodeSpace(5, 6), (ROUGH_SEARCH, SearchWidth(10, 10, 30, 12, 0.96))),
    Recipe(CodeSpace(5, 7), (ROUGH_SEARCH, SearchWidth(10, 4, 3, 2, 0.975))),
    Recipe(CodeSpace(5, 8), (ROUGH_SEARCH, SearchWidth(10, 5, 3, 3, 0.96)), limit=7),
    Recipe(
        CodeSpace(4, 10, repeats=False),
        (
            ROUGH_SEARCH,
            SearchWidth(MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, 40, 10),
            SearchWidth(MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, MORE_THAN_ALL_GUESSES, 40),
            EXACT_SEARCH,
        ),
        memory_slots=1 << 24,
    ),
    BookRecipe(CodeSpace(6, 9), "001123", depth=3),
)


def get_tree_name(recipe: Recipe | BookRecipe) -> str:
    """Return the name of the recipe's tree on the command line, such as ``4x6-optimal``."""
    return f"{recipe.space}-{recipe.name}"
