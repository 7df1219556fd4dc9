"""A codebreaker's position: what it knows, and the codes that are left.

The candidates of a position are found from those of a position some turns earlier that is kept: a
game and a match of ten games ask for positions that follow others, and so does a decision tree.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mastermind_protocol.match import Turn
from mastermind_server.bots import solver
from mastermind_server.bots.bot import ContradictionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.bot import Deterministic
    from mastermind_server.bots.solver import Numbers

    Pick: TypeAlias = Callable[["BreakerPosition"], int]

KEPT = 128  # positions: some ten games at once
KEPT_BYTES = 32 * 1024 * 1024  # of their candidates: 1 MB each after one guess at 6x10, soon less
STRIDE = 64  # turns, after which a position is kept on the way to one of a long game
REMEMBERED = 4096  # guesses of deterministic bots: games begin alike, and their first are slowest


@dataclass(frozen=True, slots=True, eq=False)
class BreakerPosition:
    """What is known after some turns.

    `candidates` are the numbers, ascending, of the codes that agree with every turn: indices of
    `solver.all_codes`, shape (n,), read-only.
    """

    pegs: int
    colours: int
    turns: tuple[Turn, ...]
    candidates: Numbers


def find_position(view: BreakerView) -> BreakerPosition:
    """Return the position of a codebreaker. Raises ContradictionError if no code is left."""
    return _locate(view.rules.pegs, view.rules.colours, view.turns)


def walk(rules: Rules, turns: Sequence[Turn]) -> Iterator[BreakerPosition]:
    """Yield the position before each turn, and after the last one. Raises ContradictionError.

    Each is found from the one before it and none is kept: a step costs the same however many turns
    there were, while to look a position up costs the time to hash them all.
    """
    made = tuple(turns)
    candidates = _list_all(rules.pegs, rules.colours)
    for number, turn in enumerate(made):
        yield BreakerPosition(rules.pegs, rules.colours, made[:number], candidates)
        candidates = _filter(rules.pegs, rules.colours, candidates, turn, number + 1)
    yield BreakerPosition(rules.pegs, rules.colours, made, candidates)


def find_pick(bot: Deterministic, view: BreakerView) -> Code:
    """Return what the bot picks in the position of this view. Raises ContradictionError."""
    return _find_pick(bot.pick, view.rules.pegs, view.rules.colours, view.turns)


def split(position: BreakerPosition, guess: int) -> list[tuple[Feedback, BreakerPosition]]:
    """Return the positions to which the guess of this number can lead, by its feedback.

    In order of blacks and then of whites. Each candidate is in one of them.
    """
    pegs, colours = position.pegs, position.colours
    scores = solver.score_numbered(pegs, colours, guess, position.candidates)
    order = scores.argsort(kind="stable")
    candidates = position.candidates[order]
    candidates.flags.writeable = False
    cells = scores[order].tolist()
    code = solver.find_code(pegs, colours, guess)
    parts = []
    start = 0
    while start < len(cells):
        cell = cells[start]
        end = start + cells.count(cell)
        feedback = solver.read_cell(cell, pegs)
        turns = (*position.turns, Turn(code, feedback))
        parts.append((feedback, BreakerPosition(pegs, colours, turns, candidates[start:end])))
        start = end
    return parts


@lru_cache(maxsize=REMEMBERED)
def _find_pick(pick: Pick, pegs: int, colours: int, turns: tuple[Turn, ...]) -> Code:
    return solver.find_code(pegs, colours, pick(_locate(pegs, colours, turns)))


def _locate(pegs: int, colours: int, turns: tuple[Turn, ...]) -> BreakerPosition:
    known, candidates = _POSITIONS.find(pegs, colours, turns)
    for number, turn in enumerate(turns[known:], known + 1):
        candidates = _filter(pegs, colours, candidates, turn, number)
        if number == len(turns) or number % STRIDE == 0:
            _POSITIONS.keep(pegs, colours, turns[:number], candidates)
    return BreakerPosition(pegs, colours, turns, candidates)


class _Kept:
    """The candidates after the turns that were last asked for, for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._candidates: OrderedDict[tuple[int, int, tuple[Turn, ...]], Numbers] = OrderedDict()
        self._bytes = 0

    def find(self, pegs: int, colours: int, turns: tuple[Turn, ...]) -> tuple[int, Numbers]:
        """Return how many of these turns are accounted for, and the candidates after them.

        A game goes on by a turn or two; to look for every number of turns would take long.
        """
        length = len(turns)
        strides = range((length - 1) // STRIDE * STRIDE, 0, -STRIDE)
        for known in (length, length - 1, length - 2, *strides):
            key = (pegs, colours, turns[:known])
            with self._lock:
                if known > 0 and key in self._candidates:
                    self._candidates.move_to_end(key)
                    return known, self._candidates[key]
        return 0, _list_all(pegs, colours)

    def keep(self, pegs: int, colours: int, turns: tuple[Turn, ...], candidates: Numbers) -> None:
        """Keep the candidates after these turns; those longest unasked for go."""
        key = (pegs, colours, turns)
        with self._lock:
            if key in self._candidates:  # another thread was faster
                return
            self._candidates[key] = candidates
            self._bytes += candidates.nbytes
            while len(self._candidates) > KEPT or self._bytes > KEPT_BYTES:
                _, forgotten = self._candidates.popitem(last=False)
                self._bytes -= forgotten.nbytes


_POSITIONS = _Kept()


@lru_cache(maxsize=16)  # at most some 4 MB each
def _list_all(pegs: int, colours: int) -> Numbers:
    every = np.arange(colours**pegs, dtype=np.int32)
    every.flags.writeable = False
    return every


def _filter(pegs: int, colours: int, before: Numbers, turn: Turn, number: int) -> Numbers:
    """Return which of the candidates agree with this turn, the `number`-th."""
    codes = solver.all_codes(pegs, colours)
    secrets = codes if len(before) == len(codes) else solver.find_codes(pegs, colours, before)
    agreeing = solver.score_one(turn.code, secrets) == solver.find_cell(turn.feedback, pegs)
    found: Numbers = before[agreeing]
    if not len(found):
        raise ContradictionError(
            f"no code of {pegs} pegs and {colours} colours agrees with "
            f"the feedback to all of {number} guesses"
        )
    if len(found) == len(before):
        return before  # a guess that tells nothing costs no memory
    found.flags.writeable = False
    return found
