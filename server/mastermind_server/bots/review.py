"""The review of a round: how well each guess was chosen, and what luck it had."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.breaker import BreakerView
from mastermind_server.bots.advice import Weighed, weigh
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import find_pick, find_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules


class Reviewed(NamedTuple):
    """One guess, and what came of it.

    `before` and `after` are the numbers of codes that agree with all feedback without and with
    that to this guess; after the right one it is 1. `guess` tells what was to be expected of the
    guess, and `best` of what the bot `optimal` plays there. All of it is exact.
    """

    guess: Weighed
    best: Weighed
    before: int
    after: int

    @property
    def earned(self) -> float:
        """The information that the feedback gave, in bits; `guess.bits` is its expectation.

        Over all guesses of a round it adds up to log2(codes) if one code is left.
        """
        return math.log2(self.before / self.after)

    @property
    def luck(self) -> float:
        """What was earned above expectation, in bits. Over all secrets that might be, it is 0."""
        return self.earned - self.guess.bits

    @property
    def beaten(self) -> bool:
        """Whether fewer codes were left than expected: `after` is less than `guess.size`.

        A guess whose feedback was known beforehand (`guess.parts` is 1) leaves what is expected and
        beats nothing.
        """
        return self.after < self.guess.size


def review(
    rules: Rules, turns: Sequence[Turn], start: int = 0, end: int | None = None
) -> list[Reviewed]:
    """Return what is to be said of each turn from index `start` to before `end`.

    `rules` have at most `bot.LARGEST` codes. Raises ContradictionError.
    """
    made = tuple(turns)
    reviewed = []
    for number, turn in enumerate(made[start:end], start):
        view = BreakerView(rules, made[:number])
        before = find_position(view)
        after = find_position(BreakerView(rules, made[: number + 1]))
        guess = weigh(before, turn.code)
        best = weigh(before, find_pick(OPTIMAL, view))
        reviewed.append(Reviewed(guess, best, len(before.candidates), len(after.candidates)))
    return reviewed
