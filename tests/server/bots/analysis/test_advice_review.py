from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.codes import answer, list_left, see
from kit.matches import pegs
from kit.strategies import brief, rounds
from mastermind_protocol.rules import PRESETS, find_rules
from mastermind_server.bots.analysis.advice import measure_guess, review
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import find_guess, find_position

CLASSIC = PRESETS["classic"]
small_rounds = rounds("1x2", "2x6", "3x4", "3x5", "4x3", "6x2", "3x5u")


@pytest.mark.parametrize(
    ("secret", "guesses", "possible", "before", "after", "earned", "luck"),
    [
        ("4163", "1122", True, 1296, 256, 2.340, -0.545),
        ("4163", "1122 1234", False, 256, 30, 3.093, 0.357),
        ("4163", "1122 1234 3541", False, 30, 4, 2.907, -0.087),
        ("4163", "1122 1234 3541 4163", True, 4, 1, 2.000, 1.189),
        ("1123", "1123", True, 1296, 1, 10.340, 7.296),  # the secret at once
        ("1234", "1122 1122", False, 208, 208, 0, 0),  # a guess again
        ("3632", "1122 1344 3526 1462 3632", True, 1, 1, 0, 0),  # the only code left
    ],
)
def test_the_last_guess_of_a_row_is_reviewed(
    secret, guesses, possible, before, after, earned, luck
):
    *_, last = review(CLASSIC, answer(pegs(secret), *map(pegs, guesses.split())))
    assert (last.guess.possible, last.before, last.after) == (possible, before, after)
    assert (round(last.earned_bits, 3), round(last.luck, 3)) == (earned, luck)


@brief
@given(small_rounds)
def test_each_guess_is_weighed_counted_and_compared_with_that_of_optimal(drawn):
    rules, secret, guesses = drawn
    guesses = [*guesses, secret]
    turns = answer(secret, *guesses)
    for number, reviewed in enumerate(review(rules, turns)):
        view = see(rules, secret, *guesses[:number])
        assert reviewed.before == len(list_left(view))
        assert reviewed.after == len(list_left(see(rules, secret, *guesses[: number + 1])))
        position = find_position(view)
        assert reviewed.guess == measure_guess(position, guesses[number])
        assert reviewed.best == measure_guess(position, find_guess(OPTIMAL, view))


@brief
@given(small_rounds)
def test_luck_averages_zero_over_all_possible_secrets(drawn):
    rules, secret, guesses = drawn
    view, guess = see(rules, secret, *guesses), secret[::-1]
    luck = [review(rules, answer(code, *guesses, guess))[-1].luck for code in list_left(view)]
    assert sum(luck) / len(luck) == pytest.approx(0, abs=1e-9)


@brief
@given(small_rounds, st.integers(0, 8), st.integers(0, 8))
def test_a_review_of_a_part_is_that_part_of_the_whole_review(drawn, start, end):
    rules, secret, guesses = drawn
    turns = answer(secret, *guesses)
    assert review(rules, turns, start, end) == review(rules, turns)[start:end]


def test_a_round_among_more_than_a_million_codes_is_reviewed_by_estimates():
    guesses = [pegs(typed) for typed in ("112234", "514346", "732584", "452783")]
    reviewed = review(find_rules("6x11"), answer(guesses[-1], *guesses))
    assert [turn.estimated for turn in reviewed[:2]] == [True, True]
    counts = [reviewed[0].before, *(turn.after for turn in reviewed)]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-1]) == (11**6, 1)


def test_a_round_of_a_large_game_is_reviewed_exactly():
    guesses = [pegs(typed) for typed in ("112234", "514346", "732584", "452783")]
    reviewed = review(find_rules("6x9"), answer(guesses[-1], *guesses))
    assert (reviewed[0].before, reviewed[-1].after) == (531441, 1)
    assert sum(turn.earned_bits for turn in reviewed) == pytest.approx(math.log2(531441))
