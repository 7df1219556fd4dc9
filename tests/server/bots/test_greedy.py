from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.codes import list_codes, list_left, see
from kit.matches import pegs
from kit.strategies import brief, codes_of, rounds
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.greedy import (
    ENTROPY,
    EXPECTED_SIZE,
    KNUTH,
    MAX_SCORED_PAIRS,
    MIN_SAMPLED_CANDIDATES,
    MOST_PARTS,
    GreedyBot,
    find_separating_candidate,
    measure_entropy,
    select_guesses_to_score,
)
from mastermind_server.bots.position import find_guess, find_position
from mastermind_server.bots.solver import find_code_by_number, find_code_number

# Criteria in whole numbers, without rounding.
PLAIN: dict[GreedyBot, Callable[[list[int]], int]] = {
    KNUTH: max,
    EXPECTED_SIZE: lambda sizes: sum(size**2 for size in sizes),
    ENTROPY: lambda sizes: math.prod(size**size for size in sizes),  # its logarithm, that is
    MOST_PARTS: lambda sizes: -len(sizes),
}
every_bot = pytest.mark.parametrize("bot", PLAIN, ids=[bot.name for bot in PLAIN])
score_once = cache(score)


def pick(bot: GreedyBot, view: BreakerView) -> Code:
    """Return the guess of a bot, computed anew."""
    number = bot.choose_code_number(find_position(view))
    return find_code_by_number(view.rules.space, number)


def choose_plainly(bot: GreedyBot, view: BreakerView) -> Code:
    """Choose as in the bot's paper, by the protocol's score alone and without short cuts."""
    left, measure = list_left(view), PLAIN[bot]

    def rank(guess: Code) -> tuple[int, bool, Code]:
        sizes = Counter(score_once(secret, guess) for secret in left)
        return measure(list(sizes.values())), guess not in left, guess

    return min(list_codes(view.rules.space), key=rank)


def play(bot: GreedyBot, rules: str, secret: Code) -> Iterator[BreakerView]:
    """Yield the view before each guess."""
    guesses: list[Code] = []
    while secret not in guesses:
        yield (view := see(rules, secret, *guesses))
        guesses.append(find_guess(bot, view))


@every_bot
@pytest.mark.parametrize(
    "name", ["1x2", "1x3", "1x9", "2x7", "3x4", "3x5", "4x3", "6x2", "1x3u", "3x5u", "4x4u"]
)
def test_each_guess_is_the_one_defined_in_the_paper(bot, name):
    rules = find_rules(name)
    for secret in list_codes(rules.space)[:: max(1, rules.codes // 4)]:
        for view in play(bot, name, secret):
            assert find_guess(bot, view) == choose_plainly(bot, view)


@every_bot
@brief
@given(drawn=rounds("3x4", "3x5u", "4x5u", most=3))
def test_a_guess_after_any_guesses_is_the_one_defined_in_the_paper(bot, drawn):
    rules, secret, guesses = drawn
    view = see(rules, secret, *guesses)
    assert pick(bot, view) == choose_plainly(bot, view)


@every_bot
@pytest.mark.parametrize("name", ["4x6", "4x9", "bulls"])
@brief
@given(data=st.data())
def test_the_lowest_candidate_that_separates_all_candidates_is_played(bot, name, data):
    rules = find_rules(name)
    secret, *guesses = data.draw(st.lists(codes_of(rules), min_size=4, max_size=6))
    position = find_position(see(name, secret, *guesses))
    left = [find_code_by_number(rules.space, number) for number in position.candidates.tolist()]
    separating = [
        find_code_number(code, rules.space)
        for code in (left if len(left) < 15 else [])  # there are 14 feedbacks
        if len({score(each, code) for each in left}) == len(left)
    ]
    assert find_separating_candidate(position) == (separating[0] if separating else None)
    if separating:
        assert bot.choose_code_number(position) == separating[0]


def split_up(number: int, largest: int) -> Iterator[list[int]]:
    """Yield every partition of the candidates into cells of at most the largest size."""
    if number == 0:
        yield []
    for size in range(min(number, largest), 0, -1):
        for rest in split_up(number - size, size):
            yield [size, *rest]


def test_measured_entropies_are_equal_only_where_the_exact_ones_are():
    ways = list(split_up(24, 24))
    rows = np.array([way + [0] * (24 - len(way)) for way in ways], dtype=np.intp)
    exact: dict[int, set[int]] = defaultdict(set)
    for way, cost in zip(ways, measure_entropy(rows).tolist(), strict=True):
        exact[PLAIN[ENTROPY](way)].add(cost)
    assert len(exact) < len(ways)  # 6 1 1 1 1 1 1 has the same value as 3 3 2 2 2
    assert all(len(costs) == 1 for costs in exact.values())
    ascending = [min(exact[product]) for product in sorted(exact)]
    assert all(low < high for low, high in itertools.pairwise(ascending))


@pytest.mark.parametrize("size", [1, 2, 1000, 65536, 999_983, 1_000_000])
def test_entropy_is_measured_in_bits(size):
    measured = measure_entropy(np.array([[size, 0, 3]])).item() / 2**32
    assert measured == pytest.approx(size * math.log2(size) + 3 * math.log2(3), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "opening"), [("4x6", "1234"), ("5x8", "11234"), ("6x9", "112234"), ("6x10", "112345")]
)
def test_entropy_weighs_all_distinct_openings_against_all_codes(name, opening):
    view = BreakerView(find_rules(name))
    guesses, candidates, _ = select_guesses_to_score(find_position(view))
    assert len(guesses) < 12
    assert len(candidates) == view.rules.codes
    assert pick(ENTROPY, view) == pegs(opening)


@pytest.mark.parametrize("name", ["5x8", "6x10", "9x4"])
@settings(brief, max_examples=8)
@given(data=st.data())
def test_the_weighed_pairs_of_a_large_game_fit_the_budget(name, data):
    secret, *earlier = data.draw(st.lists(codes_of(find_rules(name)), min_size=2, max_size=4))
    position = find_position(see(name, secret, *earlier))
    guesses, candidates, possible = select_guesses_to_score(position)
    assert len(guesses) * len(candidates) <= MAX_SCORED_PAIRS
    assert (np.diff(guesses) > 0).all()
    assert (np.diff(candidates) > 0).all()
    assert np.isin(candidates, position.candidates).all()
    assert (np.isin(guesses, position.candidates) == possible).all()
    assert possible.any()
    if len(candidates) < len(position.candidates):
        assert len(candidates) >= MIN_SAMPLED_CANDIDATES


def test_a_third_of_the_weighed_guesses_or_more_are_possible_codes():
    position = find_position(see("6x9", pegs("946621"), pegs("112234")))
    guesses, candidates, possible = select_guesses_to_score(position)
    assert len(candidates) == MIN_SAMPLED_CANDIDATES
    assert len(guesses) > 1000
    assert possible.mean() > 1 / 3


@every_bot
@pytest.mark.parametrize("name", ["5x8", "6x10"])
def test_a_bot_wins_a_large_game_and_repeats_its_guesses(bot, name):
    rules = find_rules(name)
    secret = tuple((7 * peg + 3) % rules.colours for peg in range(rules.pegs))
    views = list(play(bot, name, secret))
    assert len(views) < 10
    for view in views:
        assert pick(bot, view) == find_guess(bot, view)
