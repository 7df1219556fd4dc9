from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.strategies import brief, code_pairs, codes_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code, parse_code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import ContradictionError
from mastermind_server.bots.greedy import (
    BUDGET,
    ENTROPY,
    EXPECTED_SIZE,
    KNUTH,
    MOST_PARTS,
    SAMPLE,
    Greedy,
    find_separating,
    gather,
    measure_entropy,
)
from mastermind_server.bots.position import BreakerPosition, find_position
from mastermind_server.bots.solver import find_code, find_number

BOTS = (KNUTH, EXPECTED_SIZE, ENTROPY, MOST_PARTS)
CLASSIC = PRESETS["knuth"]
LARGE = ["5x8", "6x10", "9x4"]

LONG = pytest.mark.trees  # up to a second each; 4x6 and one of 4x7 show the same
every_bot = pytest.mark.parametrize("bot", BOTS, ids=[bot.name for bot in BOTS])

# Criteria in whole numbers, without rounding.
PLAIN: dict[str, Callable[[list[int]], int]] = {
    "knuth": max,
    "expected-size": lambda sizes: sum(size**2 for size in sizes),
    "entropy": lambda sizes: math.prod(size**size for size in sizes),  # its logarithm, that is
    "most-parts": lambda sizes: -len(sizes),
}


class NoChance(Random):
    """A random source that fails at any draw."""

    def random(self) -> float:
        raise AssertionError("a draw of a fraction")

    def getrandbits(self, k: int, /) -> int:
        raise AssertionError(f"a draw of {k} bits")


def choose(bot: Greedy, rules: Rules, *turns: Turn) -> Code:
    return bot.choose(BreakerView(rules, turns), NoChance())


def locate(rules: Rules, secret: Code, *guesses: Code) -> BreakerPosition:
    turns = tuple(Turn(guess, score(secret, guess)) for guess in guesses)
    return find_position(BreakerView(rules, turns))


@cache
def every(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


@cache
def score_once(secret: Code, guess: Code) -> Feedback:
    return score(secret, guess)


def choose_plainly(bot: Greedy, rules: Rules, turns: Sequence[Turn]) -> Code:
    """Choose as in the bot's paper, by the protocol's score alone and without short cuts."""
    codes = every(rules)
    left = [code for code in codes if all(score_once(code, t.code) == t.feedback for t in turns)]
    measure = PLAIN[bot.name]

    def rank(guess: Code) -> tuple[int, bool, Code]:
        sizes = Counter(score_once(secret, guess) for secret in left)
        return measure(list(sizes.values())), guess not in left, guess

    return min(codes, key=rank)


def play(bot: Greedy, rules: Rules, secret: Code) -> Iterator[tuple[Turn, ...]]:
    """Give the turns before each guess."""
    turns: tuple[Turn, ...] = ()
    while not turns or turns[-1].code != secret:
        yield turns
        guess = choose(bot, rules, *turns)
        turns += (Turn(guess, score(secret, guess)),)


def test_knuth_opens_4x6_by_1122():
    assert choose(KNUTH, CLASSIC) == parse_code("1122", CLASSIC)


def test_the_first_answer_for_1234_is_one_black_one_white():
    assert score(parse_code("1234", CLASSIC), choose(KNUTH, CLASSIC)) == Feedback(1, 1)


@pytest.mark.parametrize(
    ("bot", "total", "histogram"),  # the totals as published, by the authors that greedy.py names
    [
        (KNUTH, 5801, {1: 1, 2: 6, 3: 62, 4: 533, 5: 694}),
        (EXPECTED_SIZE, 5696, {1: 1, 2: 10, 3: 54, 4: 645, 5: 583, 6: 3}),
        (ENTROPY, 5722, {1: 1, 2: 4, 3: 71, 4: 612, 5: 596, 6: 12}),
        (MOST_PARTS, 5668, {1: 1, 2: 12, 3: 72, 4: 635, 5: 569, 6: 7}),
    ],
)
def test_all_1296_secrets_take_the_guesses_that_others_counted(count_games, bot, total, histogram):
    games = count_games(bot, "4x6")
    assert games == histogram
    assert sum(guesses * number for guesses, number in games.items()) == total


@pytest.mark.parametrize(
    ("bot", "size", "total", "worst"),
    [
        (KNUTH, "4x7", 11613, 6),
        pytest.param(KNUTH, "4x8", 21230, 6, marks=LONG),
        # mikemag/Mastermind has 11412: guesses of equal cost
        pytest.param(EXPECTED_SIZE, "4x7", 11409, 6, marks=LONG),
        pytest.param(EXPECTED_SIZE, "4x8", 20725, 7, marks=LONG),
        pytest.param(ENTROPY, "4x7", 11378, 6, marks=LONG),  # 11374
        pytest.param(ENTROPY, "4x8", 20688, 7, marks=LONG),  # 20695
        pytest.param(MOST_PARTS, "4x7", 11388, 6, marks=LONG),
        pytest.param(MOST_PARTS, "4x8", 20896, 7, marks=LONG),  # 20838
    ],
)
def test_larger_games_take_what_others_found(count_games, bot, size, total, worst):
    games = count_games(bot, size)
    assert sum(guesses * number for guesses, number in games.items()) == total
    assert max(games) == worst


@every_bot
@pytest.mark.parametrize("name", ["1x2", "1x9", "2x7", "3x4", "3x5", "4x3", "6x2"])
def test_each_guess_is_the_one_that_the_paper_says(bot, name):
    rules = find_rules(name)
    for secret in every(rules)[:: max(1, rules.codes // 4)]:
        for turns in play(bot, rules, secret):
            assert choose(bot, rules, *turns) == choose_plainly(bot, rules, turns)


@every_bot
@brief
@given(pairs=st.lists(code_pairs(3, 4), min_size=1, max_size=3))
def test_so_it_is_after_anybodys_guesses(bot, pairs):
    rules, secret = find_rules("3x4"), pairs[0][0]
    turns = [Turn(guess, score(secret, guess)) for _, guess in pairs]
    assert choose(bot, rules, *turns) == choose_plainly(bot, rules, turns)


@every_bot
@pytest.mark.parametrize("name", ["4x6", "4x9"])
@brief
@given(data=st.data())
def test_a_candidate_that_tells_all_apart_is_played(bot, name, data):
    rules = find_rules(name)
    secret, *guesses = data.draw(st.lists(codes_of(rules), min_size=4, max_size=6))
    position = locate(rules, secret, *guesses)
    left = [find_code(rules.pegs, rules.colours, number) for number in position.candidates.tolist()]
    telling = [
        code
        for code in (left if len(left) < 15 else [])  # there are 14 feedbacks
        if len({score(each, code) for each in left}) == len(left)
    ]
    assert find_separating(position) == (
        find_number(telling[0], rules.colours) if telling else None
    )
    if telling:
        assert find_code(rules.pegs, rules.colours, bot.pick(position)) == telling[0]


@pytest.mark.parametrize("name", ["1x3", "1x2"])
@every_bot
def test_of_the_last_codes_the_lowest_is_played_at_once(bot, name):
    assert choose(bot, find_rules(name), Turn((1,), Feedback(0, 0))) == (0,)


@every_bot
def test_feedback_that_no_code_explains_is_an_error(bot):
    with pytest.raises(ContradictionError):
        choose(bot, CLASSIC, Turn((0, 0, 1, 1), Feedback(3, 1)))


def split_up(number: int, largest: int) -> Iterator[list[int]]:
    """Yield every partition of the candidates into cells of at most the largest size."""
    if number == 0:
        yield []
    for size in range(min(number, largest), 0, -1):
        for rest in split_up(number - size, size):
            yield [size, *rest]


def test_entropies_are_equal_only_where_they_really_are():
    ways = list(split_up(24, 24))
    rows = np.array([way + [0] * (24 - len(way)) for way in ways], dtype=np.intp)
    exact: dict[int, set[int]] = defaultdict(set)
    for way, cost in zip(ways, measure_entropy(rows).tolist(), strict=True):
        exact[PLAIN["entropy"](way)].add(cost)
    assert len(exact) < len(ways)  # 6 1 1 1 1 1 1 has the same value as 3 3 2 2 2
    assert all(len(costs) == 1 for costs in exact.values())
    ascending = [min(exact[product]) for product in sorted(exact)]
    assert all(low < high for low, high in itertools.pairwise(ascending))


@pytest.mark.parametrize("size", [1, 2, 1000, 65536, 999_983, 1_000_000])
def test_entropy_is_measured_in_bits(size):
    measured = measure_entropy(np.array([[size, 0, 3]])).item() / 2**32
    assert measured == pytest.approx(size * math.log2(size) + 3 * math.log2(3), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "opening"), [("4x6", "0123"), ("5x8", "00123"), ("6x9", "001123"), ("6x10", "001234")]
)
def test_entropy_opens_even_large_games_by_what_tells_the_most(name, opening):
    position = find_position(BreakerView(find_rules(name)))
    guesses, candidates, _ = gather(position)
    assert len(guesses) < 12
    assert len(candidates) == len(position.candidates)
    assert find_code(position.pegs, position.colours, ENTROPY.pick(position)) == tuple(
        map(int, opening)
    )


@pytest.mark.parametrize("name", LARGE)
@settings(brief, max_examples=8)
@given(data=st.data())
def test_no_more_is_weighed_than_fits_the_budget(name, data):
    rules = find_rules(name)
    secret, *earlier = data.draw(st.lists(codes_of(rules), min_size=2, max_size=4))
    position = locate(rules, secret, *earlier)
    guesses, candidates, possible = gather(position)
    assert len(guesses) * len(candidates) <= BUDGET
    assert (np.diff(guesses) > 0).all()
    assert (np.diff(candidates) > 0).all()
    assert np.isin(candidates, position.candidates).all()
    assert (np.isin(guesses, position.candidates) == possible).all()
    assert possible.any()
    if len(candidates) < len(position.candidates):
        assert len(candidates) >= SAMPLE


def test_of_the_guesses_that_are_weighed_many_may_be_the_secret():
    rules = find_rules("6x9")
    guesses, candidates, possible = gather(locate(rules, (8, 3, 5, 5, 1, 0), (0, 0, 1, 1, 2, 3)))
    assert len(candidates) == SAMPLE
    assert len(guesses) > 1000
    assert possible.mean() > 1 / 3


@every_bot
@pytest.mark.parametrize("name", ["5x8", "6x10"])
def test_a_large_game_is_won_by_equal_guesses_every_time(bot, name):
    rules = find_rules(name)
    secret = tuple((7 * peg + 3) % rules.colours for peg in range(rules.pegs))
    *_, turns = play(bot, rules, secret)
    assert len(turns) < 9
    for number in range(len(turns)):
        position = find_position(BreakerView(rules, turns[:number]))
        assert find_code(rules.pegs, rules.colours, bot.pick(position)) == turns[number].code
    assert choose(bot, rules, *turns) == secret


@every_bot
def test_only_games_with_a_table_of_scores_are_light(bot):
    assert find_rules("4x8").codes <= bot.light
    assert find_rules("4x9").codes > bot.light
