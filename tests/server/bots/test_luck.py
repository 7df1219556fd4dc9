from __future__ import annotations

import itertools
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.code import Code
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import Rules, find_rules
from mastermind_server.bots.bot import LARGEST_IN_THREAD
from mastermind_server.bots.luck import measure_luck

CLASSIC = find_rules("classic")
SMALL = find_rules("2x4/9")


def play(secret: Code, *guesses: Code) -> list[Turn]:
    """Return the turns of a round up to the right guess."""
    turns = []
    for guess in guesses:
        turns.append(Turn(guess, score(secret, guess)))
        if guess == secret:
            break
    return turns


def all_secrets(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


codes = st.tuples(*[st.integers(0, SMALL.colours - 1)] * SMALL.pegs)


@given(st.lists(codes, min_size=1, max_size=4))
def test_luck_is_zero_on_average_over_all_secrets_whatever_is_guessed(guesses):
    lucks = [measure_luck(SMALL, play(secret, *guesses)) for secret in all_secrets(SMALL)]

    assert fmean(lucks) == pytest.approx(0, abs=1e-9)


def test_an_answer_that_was_certain_is_no_luck():
    turns = play((0, 1, 2, 3), (0, 0, 1, 1), (0, 0, 1, 1))

    assert measure_luck(CLASSIC, turns) == pytest.approx(measure_luck(CLASSIC, turns[:1]))


def test_the_right_code_as_first_guess_counts_as_a_usual_round():
    turns = play((0, 0, 1, 1), (0, 0, 1, 1))

    assert len(turns) - measure_luck(CLASSIC, turns) == pytest.approx(4.34, abs=0.1)


def test_who_is_left_with_more_codes_had_bad_luck():
    few, many = (play(secret, (0, 0, 1, 1)) for secret in ((1, 1, 0, 0), (2, 3, 4, 5)))

    assert measure_luck(CLASSIC, few) < 0 < measure_luck(CLASSIC, many)


def test_a_round_without_guesses_has_no_luck():
    assert measure_luck(CLASSIC, []) == 0


def test_the_largest_rules_are_measured():
    rules = find_rules("4x8/12")
    assert rules.codes == LARGEST_IN_THREAD

    assert measure_luck(rules, play((1, 2, 3, 4), (0, 0, 1, 1), (5, 5, 6, 7))) > 0
