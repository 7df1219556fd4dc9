"""The bots that play by precomputed decision trees with the least total number of guesses.

At 4 pegs and 6 colours `optimal` needs 5625 guesses for all 1296 secrets together, and six guesses
for the hardest secret. `optimal-5` needs 5626, and at most five for each secret. K. Koyama and T.
W. Lai, "An optimal Mastermind strategy", Journal of Recreational Mathematics 25(4), 1993.
"""

from __future__ import annotations

import logging
import threading
from functools import cache
from typing import TYPE_CHECKING

from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import DeterministicBot
from mastermind_server.bots.greedy import ENTROPY
from mastermind_server.bots.hiding import SECRETIVE

if TYPE_CHECKING:
    from mastermind_protocol.rules import CodeSpace, Rules
    from mastermind_server.bots.position import BreakerPosition
    from mastermind_server.bots.tree import DecisionTree

_LOG = logging.getLogger(__name__)
_READ_LOCK = threading.Lock()


class OptimalBot(DeterministicBot):
    """Plays by decision trees, or by entropy in a position that no tree contains.

    `trees` are the names of decision trees, such as `optimal-5`. The guess is that of the first
    tree that contains the position.
    """

    hiding = SECRETIVE

    def __init__(self, name: str, about: str, *trees: str) -> None:
        self.name = name
        self.about = about
        self._trees = trees

    def choose_code_number(self, position: BreakerPosition) -> int:
        """Return the number of the code to guess next in `position`."""
        from mastermind_server.bots import solver

        for name in self._trees:
            tree = _find_tree(position.space, name)
            if tree is not None:
                code = tree.find_guess(position.turns)
                if code is not None:
                    return solver.find_code_number(code, position.space)
        return ENTROPY.choose_code_number(position)

    def find_mean_guesses(self, rules: Rules) -> float | None:
        """Return the mean number of guesses over all secrets by the first tree in `trees`.

        Returns None if this tree does not exist or is a book. Reads the tree into a cache, which
        takes up to 0.1 s.
        """
        tree = _find_tree(rules.space, self._trees[0])
        return None if tree is None or tree.total is None else tree.total / rules.codes

    def prepare(self, rules: Rules) -> None:
        """Read the trees for `rules` into a cache. Logs a warning if a file is damaged."""
        for name in self._trees:
            _find_tree(rules.space, name)


def _find_tree(space: CodeSpace, name: str) -> DecisionTree | None:
    with _READ_LOCK:  # otherwise two threads could log the same warning
        return _read_tree(space, name)


@cache  # one entry for each size and name, so one warning for each file
def _read_tree(space: CodeSpace, name: str) -> DecisionTree | None:
    from mastermind_server.bots.tree import TreeDamaged, find_tree

    try:
        return find_tree(space, name)
    except (TreeDamaged, OSError) as error:
        _LOG.warning("no tree for %s: %s; the bot plays by entropy instead", name, error)
        return None


OPTIMAL = OptimalBot(
    "optimal",
    N_("Plays the best guesses known, from a tree worked out beforehand; elsewhere as `entropy`."),
    "optimal",
)
OPTIMAL_5 = OptimalBot(
    "optimal-5",
    N_(
        "Plays as `optimal` does, but with four pegs and six colours never needs more than five "
        "guesses."
    ),
    "optimal-5",
    "optimal",
)
