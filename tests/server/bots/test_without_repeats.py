"""Codes without repeats by brute force: all pairs of codes, compared peg by peg."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from kit.codes import list_codes
from kit.matches import SeededRandom
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.analysis.advice import advise, measure_guess
from mastermind_server.bots.greedy import ENTROPY, EXPECTED_SIZE, KNUTH, MOST_PARTS, GreedyBot
from mastermind_server.bots.position import find_guess, find_position

COSTS = {
    KNUTH: lambda sizes: sizes.max(axis=1),
    EXPECTED_SIZE: lambda sizes: (sizes**2).sum(axis=1),
    ENTROPY: lambda sizes: (sizes * np.log2(np.maximum(sizes, 1))).sum(axis=1).round(9),
    MOST_PARTS: lambda sizes: -(sizes > 0).sum(axis=1),
}


@cache
def compare_all(name: str) -> NDArray[np.uint8]:
    """Return 10 * black + white for each pair of codes, shape (codes, codes)."""
    codes = np.array(list_codes(find_rules(name).space), dtype=np.uint8)
    table = np.empty((len(codes), len(codes)), dtype=np.uint8)
    for row, code in zip(table, codes, strict=True):
        black = (codes == code).sum(axis=1)
        shared = (codes[:, :, np.newaxis] == code).sum(axis=(1, 2))
        row[:] = 10 * black + shared - black
    return table


def count_parts(table: NDArray[np.uint8], left: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the number of codes of `left` for each answer to each guess, shape (codes, 100)."""
    return np.array([np.bincount(row, minlength=100) for row in table[:, left]])


def find_best(bot: GreedyBot, sizes: NDArray[np.intp], left: NDArray[np.intp]) -> int:
    """Return the guess with the least cost; of equals a candidate, then the lowest."""
    costs = 2.0 * COSTS[bot](sizes)
    costs[left] -= 1e-6
    return int(costs.argmin())


@pytest.mark.trees
@pytest.mark.parametrize(
    "name", ["2x12u", "3x7u", "3x10u", "4x4u", "4x6u", "4x10u", "5x7u", "6x6u"]
)
def test_candidates_counts_and_best_guesses_equal_brute_force_in_500_positions(name):
    rules, random, table = find_rules(name), SeededRandom(48), compare_all(name)
    codes = list_codes(rules.space)
    for number in range(500):
        secret, *guesses = random.choices(range(len(codes)), k=1 + (number > 0) * (1 + number % 4))
        left = np.arange(len(codes))
        turns = []
        for guess in guesses:
            left = left[table[guess, left] == table[guess, secret]]
            turns.append(Turn(codes[guess], Feedback(*divmod(int(table[guess, secret]), 10))))
        view = BreakerView(rules, tuple(turns))
        position = find_position(view)
        assert position.candidates.tolist() == left.tolist()
        parts = count_parts(table, left)
        (best,) = advise(view, "size", 1).guesses
        assert best.code == codes[find_best(EXPECTED_SIZE, parts, left)]
        bot = list(COSTS)[random.randrange(len(COSTS))]
        assert find_guess(bot, view) == codes[find_best(bot, parts, left)]
        weighed = measure_guess(position, codes[secret])
        assert (weighed.possible, weighed.worst) == (True, parts[secret].max())
        assert weighed.size == pytest.approx((parts[secret] ** 2).sum() / len(left))
