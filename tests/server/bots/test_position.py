from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.codes import list_left, see
from kit.matches import SeededRandom, pegs
from kit.strategies import brief, codes_of, few, rounds
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import UNLIMITED_GUESSES, CodeSpace, find_rules
from mastermind_server.bots import ContradictionError, find_bot, position, solver
from mastermind_server.bots.bot import MAX_LISTED_CODES, DeterministicBot
from mastermind_server.bots.greedy import KNUTH, GreedyBot, measure_worst
from mastermind_server.bots.position import (
    find_guess,
    find_position,
    iterate_positions,
    split_position,
)
from mastermind_server.bots.solver import find_code_by_number, find_code_number


@brief
@given(rounds("4x3", "3x5", "2x6", "4x5u", "3x6u", most=4))
def test_candidates_are_the_codes_that_agree_with_all_feedback(drawn):
    rules, secret, guesses = drawn
    seen = see(rules, secret, *guesses)
    found = find_position(seen)
    assert found.candidates.tolist() == [find_code_number(c, rules.space) for c in list_left(seen)]
    assert found.turns == seen.turns


@few
@given(rounds("6x11", "7x11u", most=6))
def test_among_more_than_a_million_codes_the_candidates_are_a_sample_or_all(drawn):
    rules, secret, guesses = drawn
    assert rules.codes > MAX_LISTED_CODES
    seen, codes = see(rules, secret, *guesses), solver.list_codes(rules.space)
    fits = np.ones(rules.codes, dtype=np.bool_)
    for turn in seen.turns:
        expected = solver.encode_feedback(turn.feedback, rules.pegs)
        fits &= solver.score_one(turn.code, codes) == expected
    found = find_position(seen).candidates.tolist()
    assert found == sorted(set(found)) == find_position(seen).candidates.tolist()
    assert fits[found].all()
    assert len(found) == min(fits.sum(), position.ENOUGH_CANDIDATES)
    assert find_position(seen).count == pytest.approx(fits.sum(), rel=0.2)


@brief
@given(rounds("3x5", "4x3", "3x6u", "4x4u", most=4))
def test_a_search_returns_to_the_prefixes_that_it_left_until_it_finds_a_candidate(drawn):
    rules, secret, guesses = drawn
    seen = see(rules, secret, *guesses)
    everything = {find_code_number(code, rules.space) for code in list_left(seen)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position, "MAX_LISTED_CODES", 1)
        patch.setattr(position, "MAX_PREFIXES", 8)
        patch.setattr(position, "MAX_SEARCH_STEPS", 1000)
        assert set(find_position(seen).candidates.tolist()) == everything
        patch.setattr(position, "MAX_SEARCH_STEPS", 0)
        some = find_position(seen).candidates.tolist()
        assert everything.issuperset(some)
        assert len(some) >= min(2, len(everything))


def test_shared_candidates_are_read_only():
    large = see("6x11", (0, 0, 1, 1, 2, 2), (0, 0, 1, 1, 2, 3))
    for seen in (see("3x5", (0, 0, 0)), see("3x5", (0, 0, 0), (0, 1, 2)), large):
        found = find_position(seen)
        for each in (found, *(left for _, left in split_position(found, 7))):
            with pytest.raises(ValueError, match="read-only"):
                each.candidates[0] = 1


def test_a_contradiction_is_an_error_each_time():
    turns = (Turn((0, 0), Feedback(0, 0)), Turn((0, 1), Feedback(1, 1)))
    for _ in range(2):  # an error is not cached
        with pytest.raises(ContradictionError, match=r"of 2x3 .* 2 guesses"):
            find_position(BreakerView(find_rules("2x3"), turns))


def test_a_contradiction_is_found_among_more_than_a_million_codes():
    turns = tuple(Turn((colour,) * 9, Feedback(0, 0)) for colour in range(12))
    with pytest.raises(ContradictionError, match=r"of 9x12 .* 12 guesses"):
        find_position(BreakerView(find_rules("9x12"), turns))


def test_a_search_that_finds_nothing_ends(monkeypatch):
    steps = Mock(wraps=position._add_peg)
    monkeypatch.setattr(position, "_add_peg", steps)
    monkeypatch.setattr(position, "MAX_PREFIXES", 8)
    guess = (0, 1, 2, 3, 4, 5, 6, 7, 8)
    one_answer_is_wrong = (Turn(guess, Feedback(2, 3)), Turn(guess, Feedback(2, 2)))
    with pytest.raises(ContradictionError):
        find_position(BreakerView(find_rules("9x12"), one_answer_is_wrong))
    assert steps.call_count == position.MAX_SEARCH_STEPS_FOR_TWO + 1


def test_a_game_may_have_as_many_guesses_as_any_rules_allow():
    seen = see("knuth", pegs("6666"), *[pegs("1122")] * UNLIMITED_GUESSES)
    assert len(find_position(seen).candidates) == 4**4


@pytest.fixture
def filtering(monkeypatch):
    """Count how often candidates are filtered by a turn."""
    counted = Mock(wraps=solver.score_one)
    monkeypatch.setattr(solver, "score_one", counted)
    return counted


def test_a_later_position_is_found_from_the_one_before(filtering):
    seen = see("3x4/99", (3, 3, 3), *[(0, 1, number % 3) for number in range(99)])
    find_position(BreakerView(seen.rules, seen.turns[:97]))
    filtering.reset_mock()
    later = find_position(seen)
    assert filtering.call_count == 2
    *_, walked = iterate_positions(seen.rules, seen.turns)
    assert later.candidates.tolist() == walked.candidates.tolist()


@pytest.mark.parametrize("name", ["3x4", "6x11"])
def test_positions_are_iterated_from_any_turn(name):
    secret = (3, 2, 1, 0, 3, 2)[: find_rules(name).pegs]
    seen = see(name, secret, secret[::-1], (0,) * len(secret), (1,) * len(secret))
    every = list(iterate_positions(seen.rules, seen.turns))
    assert [len(each.turns) for each in every] == [0, 1, 2, 3]
    for start in range(4):
        some = list(iterate_positions(seen.rules, seen.turns, start))
        for one, other in zip(some, every[start:], strict=True):
            assert one.turns == other.turns
            assert one.candidates.tolist() == other.candidates.tolist()


def test_the_newest_positions_are_kept_up_to_a_number_of_bytes(filtering, monkeypatch):
    monkeypatch.setattr(position, "CACHED_BYTES", 3000)
    views = [see("4x6", pegs("6666"), (0, 0, 1, number)) for number in range(6)]
    sizes = [find_position(seen).candidates.nbytes for seen in views]
    kept = 0
    for seen in reversed(views):
        filtering.reset_mock()
        find_position(seen)
        if filtering.called:
            break
        kept += 1
    assert 0 < kept < len(views)
    assert sum(sizes[-kept:]) <= 3000 < sum(sizes[-kept - 1 :])


@pytest.mark.parametrize(
    "name", ["classic", "4x9", "bulls"]
)  # with a table of all scores, and without
@brief
@given(st.data())
def test_a_split_has_the_position_after_each_feedback_in_order(name, data):
    rules = find_rules(name)
    secret, first, guess = data.draw(st.tuples(*[codes_of(rules)] * 3))
    before = find_position(see(name, secret, first))
    parts = split_position(before, find_code_number(guess, rules.space))
    feedbacks = [feedback for feedback, _ in parts]
    assert feedbacks == sorted(set(feedbacks))
    assert sum(len(left.candidates) for _, left in parts) == len(before.candidates)
    for feedback, left in parts:
        assert left.turns == (*before.turns, Turn(guess, feedback))
        expected = find_position(BreakerView(rules, left.turns)).candidates
        assert left.candidates.tolist() == expected.tolist()
        assert left.candidates.dtype == expected.dtype


def test_a_pick_is_computed_once_for_equal_views():
    bot = GreedyBot(
        "counting", "Counts what it weighs.", measure := Mock(side_effect=measure_worst)
    )
    seen = see("2x5", (0, 0), (1, 2)), see("2x5", (0, 0), (1, 1))
    assert [find_guess(bot, each) for each in seen * 2] == [
        find_guess(KNUTH, each) for each in seen
    ] * 2
    assert measure.call_count == 2


@pytest.mark.parametrize("name", ["knuth", "optimal"])
def test_a_deterministic_bot_chooses_the_code_that_it_picks(name):
    bot = find_bot(name)
    assert isinstance(bot, DeterministicBot)
    seen = see("classic", pegs("5211"), pegs("1122"), pegs("1334"))
    picked = find_code_by_number(CodeSpace(4, 6), bot.choose_code_number(find_position(seen)))
    assert find_guess(bot, seen) == bot.choose(seen, SeededRandom(1)) == picked
