"""A bot of your own, to begin from: it keeps to the codes that can still be the secret.

Run it from this folder, on any server:

    mastermind bot greedy_bot:GreedyBot --server ws://localhost:8765

A bot has `choose` to break codes, `make` to set them, or both. Colours are numbers from 0.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from mastermind_protocol.feedback import score

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import Rules

SAMPLE = 100  # codes that are compared with each other: 10,000 scores take some 30 ms


class GreedyBot:
    """Guesses the code that leaves the fewest others, as far as a sample of them shows.

    It goes through all codes before each guess, so it is for rules of up to 100,000 or so.
    """

    def choose(self, view: BreakerView) -> Code:
        """Return the next guess; `view` has the rules and, as `turns`, the guesses so far."""
        if not view.turns:
            return open_game(view.rules)
        possible = find_possible(view)
        sample = random.sample(possible, min(SAMPLE, len(possible)))
        return min(sample, key=lambda guess: expect_left(guess, sample))

    def make(self, rules: Rules) -> Code:
        """Return a secret of these rules."""
        if not rules.repeats:
            return tuple(random.sample(range(rules.colours), rules.pegs))
        return tuple(random.choices(range(rules.colours), k=rules.pegs))


def open_game(rules: Rules) -> Code:
    """Return the first guess: each colour twice, such as 0011, is good at 4 pegs and 6 colours."""
    if not rules.repeats:
        return tuple(range(rules.pegs))
    return tuple(peg // 2 % rules.colours for peg in range(rules.pegs))


def find_possible(view: BreakerView) -> list[Code]:
    """Return the codes that would have had the feedback of every turn so far."""
    return [
        code
        for code in view.rules.space.iterate_codes()
        if all(score(code, turn.code) == turn.feedback for turn in view.turns)
    ]


def expect_left(guess: Code, codes: list[Code]) -> float:
    """Return how many of the codes are to be expected to be left after this guess."""
    parts = Counter(score(code, guess) for code in codes)
    return sum(size * size for size in parts.values()) / len(codes)
