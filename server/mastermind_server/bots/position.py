"""A codebreaker's position: its turns, and the candidates that agree with them.

A cache keeps the candidates of recent positions. Games and decision trees extend known positions,
so the candidates of a new position are filtered from a cached position a few turns earlier.

Above MAX_LISTED_CODES codes, a search finds a sample of the candidates. It sets the pegs one after
another and drops each prefix of a code that cannot get the feedback of all turns. It continues
with at most MAX_PREFIXES of them, drawn by chance, and returns to the others until it has enough
candidates. So it finds all if they are few. Given wrong feedback, it could visit billions of
prefixes and find nothing. So it also ends after MAX_SEARCH_STEPS_FOR_TWO.
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
from mastermind_server.bots.bot import MAX_LISTED_CODES, ContradictionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import CodeSpace, Rules
    from mastermind_server.bots.bot import DeterministicBot
    from mastermind_server.bots.solver import Codes, Numbers

    ChooseNumber: TypeAlias = Callable[["BreakerPosition"], int]

CACHED_POSITIONS = 128  # about ten games at once
CACHED_BYTES = 32 * 1024 * 1024  # of candidates: 1 MB each after one guess at 6x10, less later
CACHED_TURN_INTERVAL = 64  # turns between two cached positions of a long game
MAX_PREFIXES = 1 << 15  # of codes that the search continues at once: 20 ms for each peg
ENOUGH_CANDIDATES = 1 << 11  # entropies of such a sample are off by some 0.001 bit
MAX_SEARCH_STEPS = 24  # after these, half a second, fewer candidates are enough
MAX_SEARCH_STEPS_FOR_TWO = 100  # 1 to 3 s: 1,800 odd games of 9x6 to 9x12 took at most 85
SAMPLE_SEED = 48  # any: equal positions have equal samples
CACHED_GUESSES = 4096  # of deterministic bots: games share their first guesses, the slowest ones


@dataclass(frozen=True, slots=True, eq=False)
class BreakerPosition:
    """A codebreaker's turns, and its candidates: the codes that agree with every turn.

    `candidates` are the numbers of codes (see `solver`), ascending, shape (n,), read-only. If
    `space` has more than MAX_LISTED_CODES codes, they can be a sample; `estimate` is then the
    estimated number of all candidates. It is None if `candidates` are all.
    """

    space: CodeSpace
    turns: tuple[Turn, ...]
    candidates: Numbers
    estimate: int | None = None

    @property
    def count(self) -> int:
        """The number of candidates, if necessary an estimate."""
        return len(self.candidates) if self.estimate is None else self.estimate


def find_position(view: BreakerView) -> BreakerPosition:
    """Return the position of `view`. Raises ContradictionError if no candidate remains."""
    return _find_position(view.rules.space, view.turns)


def iterate_positions(
    rules: Rules, turns: Sequence[Turn], start: int = 0
) -> Iterator[BreakerPosition]:
    """Yield the position before each of `turns[start:]`, then the last. Raises ContradictionError.

    Each position is filtered from the previous one, and not cached, because a cache lookup hashes
    all earlier turns.
    """
    made = tuple(turns)
    space = rules.space
    if space.codes > MAX_LISTED_CODES:
        for number in range(start, len(made) + 1):
            yield _search_position(space, made[:number])
        return
    candidates = _list_all_numbers(space)
    for number, turn in enumerate(made):
        if number >= start:
            yield BreakerPosition(space, made[:number], candidates)
        candidates = _filter_candidates(space, candidates, turn, number + 1)
    yield BreakerPosition(space, made, candidates)


def find_guess(bot: DeterministicBot, view: BreakerView) -> Code:
    """Return the next guess of `bot` in `view`, cached or computed.

    Raises ContradictionError if no code agrees with all feedback.
    """
    return _find_guess(bot.choose_code_number, view.rules.space, view.turns)


def split_position(position: BreakerPosition, guess: int) -> list[tuple[Feedback, BreakerPosition]]:
    """Return pairs of a possible feedback to a guess and the position after this feedback.

    `guess` is the number of the guess. The pairs are sorted by blacks, then by whites. Each
    candidate of `position` is a candidate of exactly one of the returned positions.
    """
    space = position.space
    scores = solver.score_by_number(space, guess, position.candidates)
    order = scores.argsort(kind="stable")
    candidates = position.candidates[order]
    candidates.flags.writeable = False
    cells = scores[order].tolist()
    code = solver.find_code_by_number(space, guess)
    parts = []
    start = 0
    while start < len(cells):
        cell = cells[start]
        end = start + cells.count(cell)
        feedback = solver.decode_feedback(cell, space.pegs)
        turns = (*position.turns, Turn(code, feedback))
        parts.append((feedback, BreakerPosition(space, turns, candidates[start:end])))
        start = end
    return parts


@lru_cache(maxsize=CACHED_GUESSES)
def _find_guess(pick: ChooseNumber, space: CodeSpace, turns: tuple[Turn, ...]) -> Code:
    return solver.find_code_by_number(space, pick(_find_position(space, turns)))


def _find_position(space: CodeSpace, turns: tuple[Turn, ...]) -> BreakerPosition:
    if space.codes > MAX_LISTED_CODES:
        return _search_position(space, turns)
    known, candidates = _CACHE.find(space, turns)
    for number, turn in enumerate(turns[known:], known + 1):
        candidates = _filter_candidates(space, candidates, turn, number)
        if number == len(turns) or number % CACHED_TURN_INTERVAL == 0:
            _CACHE.add(space, turns[:number], candidates)
    return BreakerPosition(space, turns, candidates)


class _PositionCache:
    """A thread-safe LRU cache: maps turns to the candidates after them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._candidates: OrderedDict[tuple[CodeSpace, tuple[Turn, ...]], Numbers] = OrderedDict()
        self._bytes = 0

    def find(self, space: CodeSpace, turns: tuple[Turn, ...]) -> tuple[int, Numbers]:
        """Return the length of the longest cached prefix of `turns`, and the candidates after it.

        Looks up only the three longest prefixes, and prefixes whose length is a multiple of
        `CACHED_TURN_INTERVAL`, because each lookup hashes the whole prefix.
        """
        length = len(turns)
        multiples = range(
            (length - 1) // CACHED_TURN_INTERVAL * CACHED_TURN_INTERVAL, 0, -CACHED_TURN_INTERVAL
        )
        for known in (length, length - 1, length - 2, *multiples):
            key = (space, turns[:known])
            with self._lock:
                if known > 0 and key in self._candidates:
                    self._candidates.move_to_end(key)
                    return known, self._candidates[key]
        return 0, _list_all_numbers(space)

    def add(self, space: CodeSpace, turns: tuple[Turn, ...], candidates: Numbers) -> None:
        """Cache the `candidates` after `turns`. Evicts the least recently used entries."""
        key = (space, turns)
        with self._lock:
            if key in self._candidates:  # another thread added the entry
                return
            self._candidates[key] = candidates
            self._bytes += candidates.nbytes
            while len(self._candidates) > CACHED_POSITIONS or self._bytes > CACHED_BYTES:
                _, evicted = self._candidates.popitem(last=False)
                self._bytes -= evicted.nbytes


_CACHE = _PositionCache()


@lru_cache(maxsize=16)  # at most some 4 MB each
def _list_all_numbers(space: CodeSpace) -> Numbers:
    every = np.arange(space.codes, dtype=np.int32)
    every.flags.writeable = False
    return every


@lru_cache(maxsize=CACHED_POSITIONS)  # 16 KB each
def _search_position(space: CodeSpace, turns: tuple[Turn, ...]) -> BreakerPosition:
    """Return the position with at most ENOUGH_CANDIDATES candidates, or all if they are few.

    The estimate of their number is that of D. E. Knuth, "Estimating the efficiency of backtrack
    programs", Mathematics of Computation 29, 1975, for many prefixes at once: the codes that the
    first prefixes lead to, times the share of prefixes that were left. Raises
    ContradictionError if it finds no code that agrees with all feedback.
    """
    random = np.random.default_rng(SAMPLE_SEED)
    pending = [np.empty((0, 1), dtype=np.uint8)]  # prefixes: a row for each peg
    found: list[Numbers] = []
    number = steps = 0
    factor, estimate = 1.0, None
    distinct = tuple(dict.fromkeys(turns))
    while pending and number < ENOUGH_CANDIDATES:
        if steps > (MAX_SEARCH_STEPS if number > 1 else MAX_SEARCH_STEPS_FOR_TWO):
            break
        rows = pending.pop()
        if rows.shape[1] > MAX_PREFIXES:
            factor *= rows.shape[1] / MAX_PREFIXES
            pending.append(rows[:, MAX_PREFIXES:])
            rows = rows[:, :MAX_PREFIXES]
        if len(rows) == space.pegs:
            found.append(solver.find_numbers(list(rows.astype(np.int64)), space))
            number += rows.shape[1]
            if estimate is None:
                estimate = round(rows.shape[1] * factor)
            continue
        steps += 1
        longer = _add_peg(space, distinct, rows)
        if longer.shape[1]:
            pending.append(random.permutation(longer, axis=1))
        elif estimate is None:
            estimate = 0
    if not found:
        raise _make_contradiction(space, len(turns))
    candidates = np.sort(np.concatenate(found)[:ENOUGH_CANDIDATES])
    candidates.flags.writeable = False
    is_sample = pending or number > ENOUGH_CANDIDATES
    return BreakerPosition(
        space, turns, candidates, max(number, estimate or 0) if is_sample else None
    )


def _add_peg(space: CodeSpace, turns: tuple[Turn, ...], rows: Codes) -> Codes:
    """Return the prefixes with one peg more that can still get the feedback of all `turns`.

    `rows` are n prefixes of codes, shape (pegs set, n).
    """
    peg = len(rows)
    pegs_left = space.pegs - peg - 1
    small = np.int8  # of numbers of pegs: 98 turns at 9x12 take 0.6 s instead of 1.1 s
    counts = np.array([(rows == c).sum(axis=0, dtype=small) for c in range(space.colours)])
    states = []
    for turn in turns:
        set_pegs = np.array(turn.code[:peg], dtype=np.uint8)[:, np.newaxis]
        black = (rows == set_pegs).sum(axis=0, dtype=small)
        most = np.array([turn.code.count(c) for c in range(space.colours)], dtype=small)
        total = np.minimum(counts, most[:, np.newaxis]).sum(axis=0, dtype=small)
        states.append((turn, most, turn.feedback.black - black, sum(turn.feedback) - total))
    longer = []
    for colour in range(space.colours):
        fits = np.ones(rows.shape[1], dtype=np.bool_)
        if not space.repeats:
            fits &= counts[colour] == 0
        for turn, most, black, total in states:
            missing = black - (turn.code[peg] == colour)
            fits &= (missing >= 0) & (missing <= pegs_left)
            missing = total - (counts[colour] < most[colour])
            fits &= (missing >= 0) & (missing <= pegs_left)
        some = rows.compress(fits, axis=1)
        added = np.full((1, some.shape[1]), colour, dtype=np.uint8)
        longer.append(np.vstack((some, added)))
    return np.concatenate(longer, axis=1)


def _make_contradiction(space: CodeSpace, guesses: int) -> ContradictionError:
    return ContradictionError(
        f"no code of {space} agrees with the feedback to all of {guesses} guesses"
    )


def _filter_candidates(space: CodeSpace, before: Numbers, turn: Turn, number: int) -> Numbers:
    """Return the candidates after `turn`: the codes of `before` that agree with its feedback.

    `before` are the candidates before `turn`, which is turn number `number` of the round. Raises
    ContradictionError if no candidate agrees.
    """
    codes = solver.list_codes(space)
    secrets = codes if len(before) == len(codes) else solver.find_codes_by_number(space, before)
    expected = solver.encode_feedback(turn.feedback, space.pegs)
    agreeing = solver.score_one(turn.code, secrets) == expected
    found: Numbers = before[agreeing]
    if not len(found):
        raise _make_contradiction(space, number)
    if len(found) == len(before):
        return before  # share the array: the guess excluded no candidate
    found.flags.writeable = False
    return found
