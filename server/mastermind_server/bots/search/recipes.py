"""Which trees are made, and how widely each is searched for.

The numbers of a recipe are the whole of what decides its tree: no search looks at the clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mastermind_protocol.feedback import Feedback

Surcharges: TypeAlias = tuple[tuple[int, int], ...]

ALL = 1 << 20  # of the guesses: more than there are


@dataclass(frozen=True, slots=True)
class Search:
    """One search: how many guesses are tried in cells of a size, and what is given up early.

    `share` is `board.make_board`'s: 0 for an exact bound.
    """

    below_16: int
    below_60: int
    below_300: int
    larger: int
    share: float = 0.0

    def width(self, size: int) -> int:
        """Return how many guesses are tried for a cell of this size."""
        if size < 16:
            return self.below_16
        if size < 60:
            return self.below_60
        return self.below_300 if size < 300 else self.larger


@dataclass(frozen=True, slots=True)
class Recipe:
    """A tree: its searches in turn, each guided by what the ones before have found.

    `limit` is the most guesses that any secret may need, or None. Of trees with the same total
    the one with the least `surcharges` is made: pairs of the number of a guess and what it costs
    if it wins, of which there are `unit` to a guess; but after each feedback of `grafts`, black
    and white, to the first guess that with the least of its surcharges. `slots` is `make_board`'s.
    """

    pegs: int
    colours: int
    searches: tuple[Search, ...]
    name: str = "optimal"
    limit: int | None = None
    unit: int = 1
    surcharges: Surcharges = ()
    grafts: tuple[tuple[Feedback, Surcharges], ...] = ()
    slots: int = 1 << 22


@dataclass(frozen=True, slots=True)
class BookRecipe:
    """A book of the guesses that tell most, so many deep, with the first one given as digits."""

    pegs: int
    colours: int
    first: str
    depth: int
    name: str = "optimal"


ROUGH = Search(ALL, 4, 2, 2)
EXACT = Search(ALL, ALL, ALL, ALL)

RECIPES: tuple[Recipe | BookRecipe, ...] = (
    Recipe(3, 6, (ROUGH, EXACT)),
    Recipe(4, 4, (ROUGH, EXACT)),
    Recipe(4, 5, (ROUGH, EXACT)),
    # Many trees have the least total. These are chosen to have the distributions that others have
    # published, so that both can be compared: the fewest sixth guesses, then the fewest fifth
    # ones, but where all of the first guess is wrong the most third ones.
    Recipe(
        *(4, 6, (ROUGH, EXACT)),
        limit=6,
        unit=1 << 13,
        surcharges=((5, 1), (6, 1 << 10)),
        grafts=((Feedback(0, 0), ((4, 1), (5, 1), (6, 1 << 10))),),
    ),
    Recipe(
        *(4, 6, (ROUGH, EXACT), "optimal-5"),
        limit=5,
        unit=1 << 13,
        surcharges=((5, 1),),
        grafts=((Feedback(0, 0), ((4, 1), (5, 1))),),
    ),
    Recipe(4, 7, (ROUGH, EXACT)),
    Recipe(4, 8, (ROUGH, Search(ALL, ALL, 40, 10), Search(ALL, ALL, 100, 20)), slots=1 << 23),
    Recipe(4, 9, (ROUGH, Search(15, 15, 20, 10, 0.975))),
    Recipe(4, 10, (ROUGH, Search(15, 15, 30, 15, 0.95))),
    Recipe(5, 5, (ROUGH, Search(10, 10, 20, 10, 0.975))),
    Recipe(5, 6, (ROUGH, Search(10, 10, 30, 12, 0.96))),
    Recipe(5, 7, (ROUGH, Search(10, 4, 3, 2, 0.975))),
    Recipe(5, 8, (ROUGH, Search(10, 5, 3, 3, 0.96)), limit=7),
    BookRecipe(6, 9, "001123", depth=3),
)


def find_title(recipe: Recipe | BookRecipe) -> str:
    """Return what the maker is asked for."""
    return f"{recipe.pegs}x{recipe.colours}-{recipe.name}"
