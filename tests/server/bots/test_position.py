from __future__ import annotations

import itertools
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief, code_pairs, codes_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import UNLIMITED_GUESSES, Rules, find_rules
from mastermind_server.bots import BOTS, ContradictionError, find_bot, position
from mastermind_server.bots.bot import Deterministic
from mastermind_server.bots.greedy import KNUTH, Greedy, measure_worst
from mastermind_server.bots.position import find_pick, find_position, split, walk
from mastermind_server.bots.solver import find_code, find_number


def every(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


def view(name: str, secret: Code, *guesses: Code) -> BreakerView:
    turns = tuple(Turn(guess, score(secret, guess)) for guess in guesses)
    return BreakerView(find_rules(name), turns)


@brief
@given(st.lists(code_pairs(4, 3), max_size=3), code_pairs(4, 3))
def test_candidates_would_have_got_the_same_feedback(pairs, extra):
    secret, first = extra
    seen = view("4x3", secret, first, *(guess for _, guess in pairs))
    position = find_position(seen)
    left = [
        code
        for code in every(seen.rules)
        if all(score(code, turn.code) == turn.feedback for turn in seen.turns)
    ]
    assert position.candidates.tolist() == [find_number(code, 3) for code in left]
    assert position.turns == seen.turns


def test_before_the_first_turn_every_code_is_a_candidate():
    position = find_position(view("3x5", (0, 0, 0)))
    assert position.candidates.tolist() == list(range(125))


def test_shared_candidates_cannot_be_changed():
    for seen in (view("3x5", (0, 0, 0)), view("3x5", (0, 0, 0), (0, 1, 2))):
        position = find_position(seen)
        with pytest.raises(ValueError, match="read-only"):
            position.candidates[0] = 1
        for _, left in split(position, 7):
            with pytest.raises(ValueError, match="read-only"):
                left.candidates[0] = 1


def test_feedback_that_no_code_explains_is_an_error():
    turns = (Turn((0, 0), Feedback(0, 0)), Turn((0, 1), Feedback(1, 1)))
    for _ in range(2):  # an error is not remembered as an answer
        with pytest.raises(ContradictionError, match=r"2 pegs and 3 .* 2 guesses"):
            find_position(BreakerView(find_rules("2x3"), turns))


def test_a_game_may_be_as_long_as_any_rules_allow():
    seen = view("knuth", (5, 5, 5, 5), *[(0, 0, 1, 1)] * UNLIMITED_GUESSES)
    assert len(find_position(seen).candidates) == 4**4


def test_a_long_game_goes_on_from_where_it_was(monkeypatch):
    seen = view("3x4/99", (3, 3, 3), *[(0, 1, number % 3) for number in range(99)])
    step = Mock(wraps=position._filter)
    monkeypatch.setattr(position, "_filter", step)
    find_position(BreakerView(seen.rules, seen.turns[:97]))
    step.reset_mock()
    later = find_position(seen)
    assert step.call_count == 2
    *_, walked = walk(seen.rules, seen.turns)
    assert later.candidates.tolist() == walked.candidates.tolist()


def test_large_positions_push_out_others_by_their_bytes(monkeypatch):
    monkeypatch.setattr(position, "_POSITIONS", kept := position._Kept())
    monkeypatch.setattr(position, "KEPT_BYTES", 3000)
    views = [view("4x6", (5, 5, 5, 5), (0, 0, 1, number)) for number in range(6)]
    for seen in views:
        find_position(seen)
    sizes = [candidates.nbytes for candidates in kept._candidates.values()]
    assert 0 < len(sizes) < len(views)
    assert sum(sizes) <= 3000 < sum(sizes) + find_position(views[0]).candidates.nbytes
    known, _ = kept.find(4, 6, views[-1].turns)
    assert known == 1


@pytest.mark.parametrize("name", ["classic", "4x9"])  # with a table of all scores, and without
@brief
@given(st.data())
def test_a_split_leads_to_the_positions_after_each_feedback(name, data):
    rules = find_rules(name)
    codes = codes_of(rules)
    secret, first, guess = data.draw(codes), data.draw(codes), data.draw(codes)
    position = find_position(view(name, secret, first))
    parts = split(position, find_number(guess, rules.colours))
    feedbacks = [feedback for feedback, _ in parts]
    assert feedbacks == sorted(set(feedbacks))
    assert sum(len(left.candidates) for _, left in parts) == len(position.candidates)
    for feedback, left in parts:
        turns = (*position.turns, Turn(guess, feedback))
        assert left.turns == turns
        expected = find_position(BreakerView(rules, turns)).candidates
        assert left.candidates.tolist() == expected.tolist()
        assert left.candidates.dtype == expected.dtype


@pytest.mark.parametrize("name", [name for name, bot in BOTS.items() if bot.largest])
def test_a_codebreaker_is_deterministic_unless_it_draws(name):
    random = Random(1)  # noqa: S311 - to detect a draw
    before = random.getstate()
    BOTS[name].choose(view("4x3", (0, 1, 2, 0), (0, 0, 1, 1)), random)
    assert isinstance(BOTS[name], Deterministic) is (random.getstate() == before)


def test_a_guess_is_picked_once_for_equal_views():
    bot = Greedy("counting", "Counts what it weighs.", measure := Mock(side_effect=measure_worst))
    seen = view("2x5", (0, 0), (1, 2)), view("2x5", (0, 0), (1, 1))
    assert [find_pick(bot, each) for each in seen * 2] == [
        find_pick(KNUTH, each) for each in seen
    ] * 2
    assert measure.call_count == 2


@pytest.mark.parametrize("name", ["knuth", "optimal"])
def test_what_a_bot_chooses_is_what_it_picks(name):
    bot = find_bot(name)
    assert isinstance(bot, Deterministic)
    seen = view("classic", (4, 1, 0, 0), (0, 0, 1, 1), (0, 2, 2, 3))
    picked = find_code(4, 6, bot.pick(find_position(seen)))
    assert find_pick(bot, seen) == picked
    assert bot.choose(seen, Random()) == picked  # noqa: S311 - without any draw
