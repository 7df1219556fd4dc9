from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from kit.strategies import brief, codes_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code, format_code, parse_code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import Weighed
from mastermind_protocol.requests import Measure
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import solver
from mastermind_server.bots.advice import MEASURES, advise, weigh
from mastermind_server.bots.bot import ContradictionError
from mastermind_server.bots.greedy import ENTROPY, EXPECTED_SIZE, KNUTH, MOST_PARTS, Greedy
from mastermind_server.bots.position import find_pick, find_position

CLASSIC = PRESETS["classic"]
LARGE = BreakerView(find_rules("5x8"), (Turn((0, 0, 1, 1, 2), Feedback(1, 1)),))
ALL = 10_000  # more guesses than any of these rules have
BOTS: dict[Measure, Greedy] = {
    "bits": ENTROPY,
    "size": EXPECTED_SIZE,
    "worst": KNUTH,
    "parts": MOST_PARTS,
}
COSTS: dict[Measure, Callable[[Weighed], float]] = {
    "bits": lambda weighed: -weighed.bits,
    "size": lambda weighed: weighed.size,
    "worst": lambda weighed: weighed.worst,
    "parts": lambda weighed: -weighed.parts,
}

measures: st.SearchStrategy[Measure] = st.sampled_from(list(BOTS))
every_measure = pytest.mark.parametrize("by", BOTS)


@st.composite
def views(draw: st.DrawFn, *names: str) -> BreakerView:
    """Draw rules, a secret and guesses."""
    rules = find_rules(draw(st.sampled_from(names)))
    secret = draw(codes_of(rules))
    guesses = draw(st.lists(codes_of(rules), max_size=4))
    return BreakerView(rules, tuple(Turn(guess, score(secret, guess)) for guess in guesses))


small_views = views("1x2", "2x6", "3x4", "3x5", "4x3", "6x2")


def every(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


def list_left(view: BreakerView) -> list[Code]:
    codes = every(view.rules)
    return [code for code in codes if all(score(code, t.code) == t.feedback for t in view.turns)]


def weigh_plainly(left: list[Code], guess: Code) -> tuple[object, ...]:
    """Weigh a guess by the definitions, with nothing but the protocol's score."""
    sizes = Counter(score(code, guess) for code in left).values()
    shares = [size / len(left) for size in sizes]
    size = sum(share * size for share, size in zip(shares, sizes, strict=True))
    bits = -sum(share * math.log2(share) for share in shares)
    near = pytest.approx
    return guess, guess in left, max(sizes), near(size), near(bits, abs=1e-9), len(sizes)


def test_the_words_are_those_of_the_wire():
    assert set(MEASURES) == set(get_args(Measure)) == {"bits", "size", "worst", "parts"}


@pytest.mark.parametrize(
    ("guess", "worst", "size", "bits", "parts"),
    [
        ("1111", 625, 511.98, 1.4984, 5),
        ("1112", 317, 235.95, 2.6934, 11),
        ("1122", 256, 204.54, 2.8851, 13),
        ("1123", 276, 185.27, 3.0437, 14),
        ("1234", 312, 188.19, 3.0567, 14),
    ],
)
def test_the_five_openings_of_4x6_are_worth_what_counting_finds(guess, worst, size, bits, parts):
    position = find_position(BreakerView(CLASSIC))
    weighed = weigh(position, parse_code(guess, CLASSIC))
    assert astuple(weighed) == weigh_plainly(every(CLASSIC), weighed.code)
    assert (weighed.worst, weighed.parts) == (worst, parts)
    assert (round(weighed.size, 2), round(weighed.bits, 4)) == (size, bits)


@pytest.mark.parametrize(
    ("by", "best"), [("worst", "1122"), ("size", "1123"), ("bits", "1234"), ("parts", "1123")]
)
def test_each_measure_opens_4x6_in_its_own_way(by, best):
    advice = advise(BreakerView(CLASSIC), by, 1)
    assert advice.left == 1296
    assert not advice.sampled
    assert [format_code(guess.code, CLASSIC) for guess in advice.guesses] == [best]


@brief
@given(small_views, measures)
def test_all_that_is_said_is_true_of_every_guess(view, by):
    left = list_left(view)
    advice = advise(view, by, ALL)
    assert advice.left == len(left)
    for weighed in advice.guesses:
        assert astuple(weighed) == weigh_plainly(left, weighed.code)


@brief
@given(small_views, measures)
def test_the_best_come_first_then_the_possible_then_the_lowest(view, by):
    guesses = advise(view, by, ALL).guesses
    keys = [(round(COSTS[by](guess), 9), not guess.possible, guess.code) for guess in guesses]
    assert keys == sorted(keys)
    assert len({guess.code for guess in guesses}) == len(guesses)


@brief
@given(small_views, measures, st.integers(1, 6))
def test_no_guess_that_is_left_out_is_better(view, by, most):
    left = list_left(view)
    guesses = advise(view, by, most).guesses
    assert len(guesses) <= most
    position = find_position(view)
    best = min(COSTS[by](weigh(position, guess)) for guess in every(view.rules))
    assert COSTS[by](guesses[0]) == pytest.approx(best)
    assert guesses == advise(view, by, ALL).guesses[:most]
    assert len(left) > 2 or {guess.code for guess in guesses} <= set(left)


@brief
@given(views("3x4", "4x4", "4x6", "5x6"), measures)
def test_the_bot_of_the_measure_plays_the_first(view, by):
    (first,) = advise(view, by, 1).guesses
    assert first.code == find_pick(BOTS[by], view)


@every_measure
def test_openings_that_differ_by_names_alone_are_listed_once(by):
    guesses = advise(BreakerView(CLASSIC), by, ALL).guesses
    listed = sorted(format_code(guess.code, CLASSIC) for guess in guesses)
    assert listed == ["1111", "1112", "1122", "1123", "1234"]


@every_measure
def test_of_the_last_two_codes_either_is_advised_and_nothing_else(by):
    red, blues = Turn((0, 0, 1), Feedback(1, 0)), Turn((0, 2, 2), Feedback(1, 0))
    view = BreakerView(find_rules("3x4"), (red, blues, Turn((0, 0, 0), Feedback(0, 0))))
    first, second = (
        Weighed((1, 2, 1), True, 1, 1.0, 1.0, 2),
        Weighed((3, 2, 1), True, 1, 1.0, 1.0, 2),
    )
    assert advise(view, by, 5) == (2, False, (first, second))
    assert advise(view, by, 1) == (2, False, (first,))


@every_measure
def test_when_one_code_is_left_it_is_advised_and_nothing_else(by):
    view = BreakerView(CLASSIC, (Turn((3, 3, 3, 3), Feedback(4, 0)),))
    only = Weighed((3, 3, 3, 3), possible=True, worst=1, size=1.0, bits=0.0, parts=1)
    assert advise(view, by, 5) == (1, False, (only,))


@every_measure
def test_of_many_guesses_some_are_weighed_but_what_is_said_is_exact(by):
    left = list_left(LARGE)
    advice = advise(LARGE, by, 5)
    assert advice.sampled
    assert advice.left == len(left) == 5504
    assert len(advice.guesses) == 5
    for weighed in advice.guesses:
        assert astuple(weighed) == weigh_plainly(left, weighed.code)


@every_measure
def test_the_best_of_some_is_nearly_the_best_of_all(by):
    distinct = solver.find_codes(5, 8, solver.find_distinct(5, 8, LARGE.turns))
    position = find_position(LARGE)
    best = min(COSTS[by](weigh(position, tuple(guess))) for guess in distinct.tolist())
    assert COSTS[by](advise(LARGE, by, 1).guesses[0]) == pytest.approx(best, rel=0.05)


@pytest.mark.parametrize("view", [BreakerView(CLASSIC), LARGE])
def test_advice_has_plain_numbers_that_can_be_sent(view):
    for weighed in advise(view, "bits", 3).guesses:
        assert [type(field) for field in astuple(weighed)] == [
            tuple,
            bool,
            int,
            float,
            float,
            int,
        ]
        assert {type(colour) for colour in weighed.code} == {int}


def test_feedback_that_no_code_explains_is_an_error():
    impossible = BreakerView(CLASSIC, (Turn((0, 0, 1, 1), Feedback(3, 1)),))
    with pytest.raises(ContradictionError):
        advise(impossible, "bits", 5)
