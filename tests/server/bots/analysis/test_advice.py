from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from kit.codes import answer, list_codes, list_left, see
from kit.matches import pegs
from kit.strategies import brief, rounds
from mastermind_protocol.code import Code, format_code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.messages import GuessMeasures
from mastermind_protocol.requests import Measure
from mastermind_protocol.rules import PRESETS, CodeSpace, Rules, find_rules
from mastermind_server.bots import solver
from mastermind_server.bots.analysis.advice import advise, measure_guess, measure_luck
from mastermind_server.bots.bot import MAX_CODES_IN_THREAD
from mastermind_server.bots.greedy import ENTROPY, EXPECTED_SIZE, KNUTH, MOST_PARTS, GreedyBot
from mastermind_server.bots.position import find_guess, find_position

CLASSIC = PRESETS["classic"]
LARGE = BreakerView(find_rules("5x8"), (Turn((0, 0, 1, 1, 2), Feedback(1, 1)),))
ALL = 10_000  # more guesses than any of these rules have
BOTS: dict[Measure, GreedyBot] = {
    "bits": ENTROPY,
    "size": EXPECTED_SIZE,
    "worst": KNUTH,
    "parts": MOST_PARTS,
}
COSTS: dict[Measure, Callable[[GuessMeasures], float]] = {
    "bits": lambda weighed: -weighed.bits,
    "size": lambda weighed: weighed.size,
    "worst": lambda weighed: weighed.worst,
    "parts": lambda weighed: -weighed.parts,
}

measures: st.SearchStrategy[Measure] = st.sampled_from(get_args(Measure))
every_measure = pytest.mark.parametrize("by", get_args(Measure))
small_views = rounds(
    *("1x2", "2x6", "3x4", "3x5", "4x3", "6x2", "1x3u", "3x5u", "4x5u"), most=4
).map(lambda drawn: see(drawn[0], drawn[1], *drawn[2]))


def assert_exact(guesses: Sequence[GuessMeasures], left: list[Code]) -> None:
    """Compare what is stated about guesses with the definitions, computed by the protocol's score.

    The numbers have Python's own types, because they are sent.
    """
    for guess in guesses:
        sizes = Counter(score(code, guess.code) for code in left).values()
        shares = [size / len(left) for size in sizes]
        assert (guess.possible, guess.worst, guess.parts) == (
            guess.code in left,
            max(sizes),
            len(sizes),
        )
        size = sum(share * size for share, size in zip(shares, sizes, strict=True))
        assert guess.size == pytest.approx(size)
        bits = -sum(share * math.log2(share) for share in shares)
        assert guess.bits == pytest.approx(bits, abs=1e-9)
        types = [type(field) for field in astuple(guess)]
        assert types == [tuple, bool, int, float, float, int]
        assert {type(colour) for colour in guess.code} == {int}


@pytest.mark.parametrize(
    ("by", "openings"),
    [
        ("worst", "1122 1123 1234 1112 1111"),
        ("size", "1123 1234 1122 1112 1111"),
        ("bits", "1234 1123 1122 1112 1111"),
        ("parts", "1123 1234 1122 1112 1111"),
    ],
)
def test_each_measure_ranks_the_five_distinct_openings_of_4x6(by, openings):
    advice = advise(BreakerView(CLASSIC), by, ALL)
    assert (advice.left, advice.sampled) == (1296, False)
    assert " ".join(format_code(guess.code, CLASSIC) for guess in advice.guesses) == openings
    assert_exact(advice.guesses, list_codes(CodeSpace(4, 6)))


@brief
@given(small_views, measures)
def test_all_guesses_are_listed_best_first_with_exact_numbers(view, by):
    left = list_left(view)
    count, sampled, estimated, guesses = advise(view, by, ALL)
    assert (count, sampled, estimated) == (len(left), False, False)
    assert_exact(guesses, left)
    keys = [(round(COSTS[by](guess), 9), not guess.possible, guess.code) for guess in guesses]
    assert keys == sorted(keys)
    assert len({guess.code for guess in guesses}) == len(guesses)
    position = find_position(view)
    codes = list_codes(view.rules.space)
    assert COSTS[by](guesses[0]) == pytest.approx(
        min(COSTS[by](measure_guess(position, code)) for code in codes)
    )


@brief
@given(small_views, measures, st.integers(1, 6))
def test_a_short_list_is_the_beginning_of_the_long_one(view, by, most):
    assert advise(view, by, most).guesses == advise(view, by, ALL).guesses[:most]


@brief
@given(rounds("3x4", "4x4", "4x6", "5x6", most=4), measures)
def test_the_bot_of_a_measure_plays_the_first_advised_guess(drawn, by):
    rules, secret, guesses = drawn
    view = see(rules, secret, *guesses)
    (first,) = advise(view, by, 1).guesses
    assert first.code == find_guess(BOTS[by], view)


@every_measure
@pytest.mark.parametrize("most", [5, 1])
@pytest.mark.parametrize(
    ("rules", "turns", "left"),
    [
        ("classic", answer(pegs("4444"), pegs("4444")), ["4444"]),
        (
            "3x4",
            answer(pegs("232"), pegs("112"), pegs("133"), pegs("111")),
            ["232", "432"],
        ),
    ],
)
def test_the_last_codes_are_advised_and_nothing_else(by, most, rules, turns, left):
    advice = advise(BreakerView(find_rules(rules), turns), by, most)
    number = len(left)
    bits, size = math.log2(number), 1.0
    assert advice == (
        number,
        False,
        False,
        tuple(GuessMeasures(pegs(code), True, 1, size, bits, number) for code in left[:most]),
    )


def test_advice_among_more_than_a_million_codes_is_estimated():
    view = see("6x11", pegs("123456"), pegs("112233"), pegs("145278"))
    advice = advise(view, "size", 3)
    assert (advice.sampled, advice.estimated) == (True, True)
    codes = solver.list_codes(view.rules.space)
    for turn in view.turns:
        cell = solver.encode_feedback(turn.feedback, 6)
        codes = codes[solver.score_one(turn.code, codes) == cell]
    assert advice.left == pytest.approx(len(codes), rel=0.1)
    for guess in advice.guesses:
        sizes = np.bincount(solver.score_one(guess.code, codes))
        assert guess.possible
        assert guess.size == pytest.approx((sizes**2).sum() / len(codes), rel=0.15)
        assert guess.worst == pytest.approx(sizes.max(), rel=0.15)
        bits = -sum(share * math.log2(share) for share in (sizes / len(codes)) if share)
        assert guess.bits == pytest.approx(bits, rel=0.05)
    impossible = measure_guess(find_position(view), pegs("999999"))
    assert not impossible.possible


@every_measure
def test_advice_among_many_codes_is_exact_and_nearly_the_best(by):
    advice = advise(LARGE, by, 5)
    assert (advice.left, advice.sampled, len(advice.guesses)) == (5504, True, 5)
    assert_exact(advice.guesses, list_left(LARGE))
    distinct = solver.find_codes_by_number(
        LARGE.rules.space, solver.find_distinct_guesses(LARGE.rules.space, LARGE.turns)
    )
    position = find_position(LARGE)
    best = min(COSTS[by](measure_guess(position, tuple(guess))) for guess in distinct.tolist())
    assert COSTS[by](advice.guesses[0]) == pytest.approx(best, rel=0.05)


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
    rules = PRESETS["bulls"]
    assert rules.codes == MAX_CODES_IN_THREAD

    assert measure_luck(rules, play((9, 0, 8, 7), (0, 1, 2, 3), (5, 6, 7, 8))) > 0
