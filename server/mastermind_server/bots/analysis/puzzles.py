"""Puzzles: guesses with feedback that leave exactly one code.

A puzzle is the game of a codebreaker whose guesses are random codes that can still be the secret,
without its needless turns. So each guess agrees with all earlier feedback, as in a real game, and
each turn is necessary: without it, two or more codes remain.

**Effort** measures the difficulty of a puzzle. A solver with a sheet of paper begins with the turn
that the fewest codes agree with, and lists these codes. Then the solver always takes the turn that
leaves the fewest, and crosses out the others. The effort is the sum of the numbers of codes on the
list after each turn. It grows with the number of turns, and the less information they have, alone
and in addition to the others. An easy puzzle has a turn that leaves a handful of codes. In a
difficult one, each turn leaves hundreds, and only together they leave one.

**Levels.** A seed determines GAMES games, and a level selects one by its place in the order of
efforts: 15 % for level 1, 75 % for level 2, the last for level 3. So the levels of a seed are in
this order with rules of any size. The measured effort, its median and the 5th and 95th percentile,
and means of the turns of a puzzle, of the bits of a turn, and of the codes left without one turn,
for 1,000 seeds (300 at 5x8):

====== ===== ===== ========= ===== ==== ============
rules  level  effort         turns bits left without
====== ===== ===== ========= ===== ==== ============
4x6      1      11      8-24  3.1  4.8           8.3
4x6      2      59    43-112  3.5  3.4           9.3
4x6      3     266   163-296  4.0  2.4           8.8
4x10u    1      11     10-13  3.1  5.5          28.5
4x10u    2      98    76-223  4.1  3.8          10.8
4x10u    3     868  575-1605  5.1  2.2           8.5
5x8      1      16     13-22  3.5  6.4          50.4
5x8      2     151    61-450  4.2  4.9          13.6
5x8      3    3612 1710-5948  5.0  2.8          15.3
3x4      1      11      8-12  3.0  2.6           2.7
3x4      2      14     12-16  3.0  2.3           3.1
3x4      3      19     16-36  3.0  1.9           4.4
====== ===== ===== ========= ===== ==== ============

At 4x6, level 1 took at most 26, level 2 from 29 to 126, level 3 at least 125. With few codes, as
2x2 has, the puzzles of all levels are easy.

Players send the names of puzzles to each other. So equal arguments must give equal turns in each
version, with each Python and NumPy: all draws are digests, and all decisions compare integers.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from mastermind_protocol.errors import InvalidRules, Reason
from mastermind_protocol.match import Turn
from mastermind_server.bots import solver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from mastermind_protocol.rules import CodeSpace, Rules

MAX_PUZZLE_CODES = 100_000  # codes, as 5x10 has: a puzzle takes half a second
GAMES = 64  # from which a level selects: 8 ms at 4x6
USUAL_TURNS = range(3, 8)  # if no game has 3 to 7 needed turns, all games count: at 2x2
PERCENTILES = (15, 75, 100)  # of the effort of the games, for each level


def make_puzzle(rules: Rules, level: int, seed: int) -> tuple[Turn, ...]:
    """Return the turns of puzzle number `seed` of a `level`, from 1 to 3.

    Exactly one code agrees with all turns. Each of them is necessary. Equal arguments give equal
    turns, and so do rules with the same codes. Raises InvalidRules above MAX_PUZZLE_CODES codes.
    """
    space = rules.space
    if space.codes > MAX_PUZZLE_CODES:
        raise InvalidRules(
            Reason.TOO_MANY_CODES_FOR_PUZZLES,
            field="rules", limit=MAX_PUZZLE_CODES, rules=rules.name, codes=space.codes,
        )  # fmt: skip
    puzzles = [_make_puzzle(space, f"{space} {seed} {number}") for number in range(GAMES)]
    usual = [found for found in puzzles if len(found[1]) in USUAL_TURNS] or puzzles
    usual.sort(key=itemgetter(0))
    _, turns = usual[(len(usual) - 1) * PERCENTILES[level - 1] // 100]
    return turns


def _make_puzzle(space: CodeSpace, name: str) -> tuple[int, tuple[Turn, ...]]:
    """Return the effort and the turns of the puzzle that `name` determines."""
    turns = _play_game(space, name)
    agreeing = find_agreeing_codes(space, turns)
    needed = _find_needed_turns(agreeing)
    return measure_effort(agreeing[needed]), tuple(turns[index] for index in needed)


def _play_game(space: CodeSpace, name: str) -> tuple[Turn, ...]:
    """Return the turns of the game with this `name`, until one code remains.

    Each guess is a remaining code, but not the secret, so it excludes at least itself.
    """
    numbers = _draw_numbers(name)
    left = np.arange(space.codes, dtype=np.int32)
    secret = next(numbers) % len(left)
    turns = []
    while len(left) > 1:
        index = next(numbers) % (len(left) - 1)
        here = int(left.searchsorted(secret))
        guess = int(left[index + (index >= here)])
        scores = solver.score_by_number(space, guess, left)
        score = int(scores[here])
        left = left[scores == score]
        code = solver.find_code_by_number(space, guess)
        turns.append(Turn(code, solver.decode_feedback(score, space.pegs)))
    return tuple(turns)


def _draw_numbers(name: str) -> Iterator[int]:
    """Yield the random numbers of 64 bits that `name` determines."""
    for number in count():
        yield int.from_bytes(sha256(f"{name} {number}".encode()).digest()[:8], "big")


def find_agreeing_codes(space: CodeSpace, turns: Sequence[Turn]) -> NDArray[np.bool_]:
    """Return whether each code agrees with each turn, shape (turns, codes)."""
    numbers = np.arange(space.codes, dtype=np.int32)
    agreeing = np.empty((len(turns), space.codes), dtype=np.bool_)
    for row, turn in zip(agreeing, turns, strict=True):
        guess = solver.find_code_number(turn.code, space)
        scores = solver.score_by_number(space, guess, numbers)
        row[:] = scores == solver.encode_feedback(turn.feedback, space.pegs)
    return agreeing


def _find_needed_turns(agreeing: NDArray[np.bool_]) -> list[int]:
    """Return the indices of turns that leave one code, where each turn is necessary.

    `agreeing` is whether each code agrees with each turn, shape (turns, codes), and one code agrees
    with all. Drops the last needless turn until none is needless.
    """
    needed = list(range(len(agreeing)))
    while True:
        disagreeing = ~agreeing[needed]
        excluded_once = disagreeing[:, disagreeing.sum(axis=0) == 1]
        needless = np.flatnonzero(~excluded_once.any(axis=1))
        if not len(needless):
            return needed
        del needed[needless[-1]]


def measure_effort(agreeing: NDArray[np.bool_]) -> int:
    """Return the effort of a puzzle, in codes. The docstring of the module defines it.

    `agreeing` is whether each code agrees with each turn, shape (turns, codes).
    """
    rest = list(agreeing)
    left = np.ones(agreeing.shape[1], dtype=np.bool_)
    effort = 0
    while rest:
        sizes = [int(np.count_nonzero(left & codes)) for codes in rest]
        left &= rest.pop(sizes.index(min(sizes)))
        effort += min(sizes)
    return effort
