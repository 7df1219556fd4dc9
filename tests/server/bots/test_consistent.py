from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.codes import answer, list_left, see
from kit.matches import SeededRandom
from kit.strategies import brief, rounds
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import find_rules
from mastermind_server.bots import ContradictionError, find_bot
from mastermind_server.bots.consistent import FORGET_PROBABILITY

BOT = find_bot("random")
FORGETFUL = find_bot("forgetful")
THREE_LEFT = see("3x4", (0, 3, 3), (0, 0, 1), (0, 2, 2))


class Recalling(SeededRandom):
    """A random source of given numbers: from FORGET_PROBABILITY, an answer is remembered."""

    def __init__(self, *fractions: float) -> None:
        super().__init__(3)
        self.fractions = iter(fractions)

    def random(self) -> float:
        return next(self.fractions)

    def getrandbits(self, k: int, /) -> int:  # or whole numbers would be drawn by `random`
        return super().getrandbits(k)


@brief
@given(
    rounds("classic", "eight", "1x2", "9x2", "3x5", "2x12", "bulls", most=0),
    st.randoms(use_true_random=True),
)
def test_random_guesses_possible_codes_until_it_breaks_the_secret(drawn, random):
    rules, secret, guesses = drawn
    while secret not in guesses:
        view = see(rules, secret, *guesses)
        guess = BOT.choose(view, random)
        assert answer(guess, *guesses) == view.turns
        assert guess not in guesses
        guesses.append(guess)


def test_random_guesses_each_possible_code_with_equal_chance():
    random = SeededRandom(5)
    drawn = Counter(BOT.choose(THREE_LEFT, random) for _ in range(3000))
    assert sorted(drawn) == list_left(THREE_LEFT) == [(0, 3, 3), (1, 2, 1), (3, 2, 1)]
    assert min(drawn.values()) > 900


def test_forgetful_ignores_the_answers_that_it_forgets():
    contradiction = (Turn((0, 0, 0), Feedback(0, 0)), Turn((0, 1, 1), Feedback(3, 0)))
    view = BreakerView(find_rules("3x4"), contradiction)
    assert 0 not in FORGETFUL.choose(view, Recalling(0.99, 0.1))
    assert FORGETFUL.choose(view, Recalling(0.1, FORGET_PROBABILITY)) == (0, 1, 1)
    FORGETFUL.choose(view, Recalling(0.1, 0.1))
    with pytest.raises(ContradictionError):
        FORGETFUL.choose(view, Recalling(0.99, 0.99))


def test_forgetful_with_a_full_memory_guesses_as_random_does():
    remembering = FORGETFUL.choose(THREE_LEFT, Recalling(0.99, 0.99))
    assert remembering == BOT.choose(THREE_LEFT, Recalling())
