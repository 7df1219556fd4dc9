from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief, codes_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code, format_code, parse_code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots.advice import review, weigh
from mastermind_server.bots.bot import ContradictionError
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import find_pick, find_position

CLASSIC = PRESETS["classic"]

rules_and_codes: st.SearchStrategy[tuple[Rules, Code, list[Code]]] = (
    st.sampled_from(["1x2", "2x6", "3x4", "3x5", "4x3", "6x2"])
    .map(find_rules)
    .flatmap(
        lambda rules: st.tuples(
            st.just(rules), codes_of(rules), st.lists(codes_of(rules), max_size=6)
        )
    )
)


def answer(secret: Code, guesses: Sequence[Code]) -> list[Turn]:
    return [Turn(guess, score(secret, guess)) for guess in guesses]


def every(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


def play(*row: str) -> list[Turn]:
    secret = parse_code(row[-1], CLASSIC)
    return answer(secret, [parse_code(guess, CLASSIC) for guess in row])


def test_a_round_of_4x6_guess_by_guess():
    reviewed = review(CLASSIC, play("1122", "1234", "3541", "4163"))
    rows = [
        (format_code(turn.guess.code, CLASSIC), turn.guess.possible, turn.before, turn.after)
        for turn in reviewed
    ]
    assert rows == [
        ("1122", True, 1296, 256),
        ("1234", False, 256, 30),
        ("3541", False, 30, 4),
        ("4163", True, 4, 1),
    ]
    assert [round(turn.earned, 3) for turn in reviewed] == [2.34, 3.093, 2.907, 2.0]
    assert [round(turn.guess.bits, 3) for turn in reviewed] == [2.885, 2.736, 2.994, 0.811]
    assert [round(turn.luck, 3) for turn in reviewed] == [-0.545, 0.357, -0.087, 1.189]
    assert [round(turn.guess.size, 2) for turn in reviewed] == [204.54, 46.81, 4.33, 2.5]
    assert [turn.beaten for turn in reviewed] == [False, True, True, True]


def test_an_opening_that_is_answered_by_nothing_has_earned_less_than_it_should():
    (opening,) = review(CLASSIC, [Turn((0, 0, 1, 1), Feedback(0, 0))])
    assert (opening.before, opening.after) == (1296, 256)
    assert opening.earned == pytest.approx(math.log2(1296 / 256))
    assert opening.guess.bits == pytest.approx(2.8851, abs=5e-5)
    assert opening.luck == pytest.approx(2.3399 - 2.8851, abs=1e-4)
    assert not opening.beaten


def test_a_guess_at_once_right_is_all_luck():
    (only,) = review(CLASSIC, play("1123"))
    assert (only.before, only.after) == (1296, 1)
    assert only.earned == pytest.approx(math.log2(1296))
    assert only.beaten


def test_a_guess_made_twice_earns_nothing_and_has_no_luck():
    _, again = review(CLASSIC, play("1122", "1122", "1234")[:2])
    assert again.before == again.after
    assert not again.guess.possible
    assert (again.earned, again.guess.bits, again.luck) == (0, 0, 0)
    assert not again.beaten


def test_the_last_code_that_is_left_beats_nothing():
    *_, last = review(CLASSIC, play("1122", "1344", "3526", "1462", "3632"))
    assert (last.before, last.after) == (1, 1)
    assert (last.earned, last.luck) == (0, 0)
    assert not last.beaten
    assert last.best == last.guess


@brief
@given(rules_and_codes)
def test_the_codes_left_are_counted_before_and_after_every_guess(game):
    rules, secret, guesses = game
    turns = answer(secret, guesses)
    left = every(rules)
    for turn, reviewed in zip(turns, review(rules, turns), strict=True):
        assert reviewed.before == len(left)
        assert reviewed.guess.possible is (turn.code in left)
        left = [code for code in left if score(code, turn.code) == turn.feedback]
        assert reviewed.after == len(left)


@brief
@given(rules_and_codes)
def test_what_a_broken_code_earned_adds_up_to_all_there_was_to_know(game):
    rules, secret, guesses = game
    reviewed = review(rules, answer(secret, [*guesses, secret]))
    assert sum(turn.earned for turn in reviewed) == pytest.approx(math.log2(rules.codes))


@brief
@given(rules_and_codes)
def test_luck_is_even_over_all_secrets_that_might_be(game):
    rules, guess, guesses = game
    earlier = answer(guess[::-1], guesses)
    left = [code for code in every(rules) if earlier == answer(code, guesses)]
    luck = [review(rules, [*earlier, *answer(code, [guess])])[-1].luck for code in left]
    assert sum(luck) / len(left) == pytest.approx(0, abs=1e-9)


@brief
@given(rules_and_codes)
def test_each_guess_is_held_against_that_of_the_bot_optimal(game):
    rules, secret, guesses = game
    turns = answer(secret, guesses)
    for number, reviewed in enumerate(review(rules, turns)):
        view = BreakerView(rules, tuple(turns[:number]))
        position = find_position(view)
        assert reviewed.guess == weigh(position, turns[number].code)
        assert reviewed.best == weigh(position, find_pick(OPTIMAL, view))


def test_the_bot_itself_is_faulted_nowhere():
    turns: list[Turn] = []
    while not turns or turns[-1].feedback.black < CLASSIC.pegs:
        guess = find_pick(OPTIMAL, BreakerView(CLASSIC, tuple(turns)))
        turns += answer((5, 1, 3, 3), [guess])
    assert all(reviewed.best == reviewed.guess for reviewed in review(CLASSIC, turns))


@brief
@given(rules_and_codes, st.integers(0, 8), st.integers(0, 8))
def test_a_part_is_reviewed_as_in_the_whole(game, start, end):
    rules, secret, guesses = game
    turns = answer(secret, guesses)
    assert review(rules, turns, start, end) == review(rules, turns)[start:end]


def test_the_end_of_a_very_long_round_can_be_reviewed():
    rules = PRESETS["knuth"]
    turns = answer((0, 1, 2, 3), [(0, 0, 0, 0)] * (rules.limit - 1) + [(0, 1, 2, 3)])
    reviewed = review(rules, turns, rules.limit - 2)
    assert [(turn.before, turn.after) for turn in reviewed] == [(500, 500), (500, 1)]


def test_a_round_of_a_large_game_is_reviewed_exactly():
    rules = find_rules("6x9")
    secret = (3, 4, 1, 6, 7, 2)
    guesses = [(0, 0, 1, 1, 2, 3), (4, 0, 3, 2, 3, 5), (6, 2, 1, 4, 7, 3), secret]
    reviewed = review(rules, answer(secret, guesses))
    assert reviewed[0].before == 531441
    assert reviewed[-1].after == 1
    assert sum(turn.earned for turn in reviewed) == pytest.approx(math.log2(531441))


def test_feedback_that_no_code_explains_is_an_error():
    with pytest.raises(ContradictionError):
        review(CLASSIC, [Turn((0, 0, 1, 1), Feedback(3, 1))])
