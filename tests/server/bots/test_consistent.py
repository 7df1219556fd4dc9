from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief, codes_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import Rules, find_rules
from mastermind_server.bots import ContradictionError, find_bot

BOT = find_bot("random")
FORGETFUL = find_bot("forgetful")

rules_and_secrets: st.SearchStrategy[tuple[Rules, Code]] = (
    st.sampled_from(["classic", "eight", "1x2", "9x2", "3x5", "2x12"])
    .map(find_rules)
    .flatmap(lambda rules: st.tuples(st.just(rules), codes_of(rules)))
)


class Seeded(Random):
    """The standard generator with a fixed seed."""


class Recalling(Seeded):
    """A random source that decides as given, if an answer is remembered."""

    def __init__(self, *fractions: float) -> None:
        super().__init__(3)
        self.fractions = iter(fractions)

    def random(self) -> float:
        return next(self.fractions)

    def getrandbits(self, k: int, /) -> int:  # or whole numbers would be drawn by `random`
        return super().getrandbits(k)


@brief
@given(rules_and_secrets, st.randoms(use_true_random=True))
def test_every_guess_may_be_the_secret_and_at_last_is(game, random):
    rules, secret = game
    turns: tuple[Turn, ...] = ()
    while not turns or turns[-1].code != secret:
        guess = BOT.choose(BreakerView(rules, turns), random)
        assert all(score(guess, turn.code) == turn.feedback for turn in turns)
        assert guess not in [turn.code for turn in turns]
        turns += (Turn(guess, score(secret, guess)),)


def test_each_code_that_is_left_is_as_likely_as_another():
    turns = (Turn((0, 0, 1), Feedback(1, 0)), Turn((0, 2, 2), Feedback(1, 0)))
    view = BreakerView(find_rules("3x4"), turns)
    random = Seeded(5)
    drawn = Counter(BOT.choose(view, random) for _ in range(3000))
    assert sorted(drawn) == [(0, 3, 3), (1, 2, 1), (3, 2, 1)]
    assert min(drawn.values()) > 900


def test_feedback_that_no_code_explains_is_an_error():
    turns = (Turn((0, 0, 0), Feedback(0, 0)), Turn((0, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError):
        BOT.choose(BreakerView(find_rules("3x4"), turns), Seeded(5))


IMPOSSIBLE = (Turn((0, 0, 0), Feedback(0, 0)), Turn((0, 1, 1), Feedback(3, 0)))


def test_what_is_forgotten_is_not_regarded():
    view = BreakerView(find_rules("3x4"), IMPOSSIBLE)
    assert 0 not in FORGETFUL.choose(view, Recalling(0.99, 0.1))
    assert FORGETFUL.choose(view, Recalling(0.1, 0.99)) == (0, 1, 1)
    FORGETFUL.choose(view, Recalling(0.1, 0.1))
    with pytest.raises(ContradictionError):
        FORGETFUL.choose(view, Recalling(0.99, 0.99))


def test_whoever_remembers_everything_guesses_as_random_does():
    turns = (Turn((0, 0, 1), Feedback(1, 0)), Turn((0, 2, 2), Feedback(1, 0)))
    view = BreakerView(find_rules("3x4"), turns)
    assert FORGETFUL.choose(view, Recalling(0.99, 0.99)) == BOT.choose(view, Recalling())


@pytest.mark.parametrize("name", ["classic", "6x10"])
def test_a_guess_at_random_is_never_heavy(name):
    assert find_rules(name).codes <= min(BOT.light, FORGETFUL.light)
