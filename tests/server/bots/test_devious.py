from __future__ import annotations

import itertools
from collections import Counter
from random import SystemRandom

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief, codes_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code, parse_code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots.bot import ContradictionError, Deterministic
from mastermind_server.bots.devious import Devious
from mastermind_server.bots.greedy import KNUTH
from mastermind_server.bots.position import find_pick

BOT = Devious()
CLASSIC = PRESETS["classic"]

rules_and_guesses: st.SearchStrategy[tuple[Rules, list[Code]]] = (
    st.sampled_from(["1x2", "1x9", "2x7", "3x4", "4x3", "7x2"])
    .map(find_rules)
    .flatmap(lambda rules: st.tuples(st.just(rules), st.lists(codes_of(rules), max_size=8)))
)


def dodge(rules: Rules, guesses: list[Code]) -> list[tuple[Turn, Code]]:
    """Make these guesses in order; return each turn and the code behind its feedback."""
    turns: tuple[Turn, ...] = ()
    answers = []
    for guess in guesses:
        answers.append(BOT.dodge(BreakerView(rules, turns), guess))
        turns += (Turn(guess, score(answers[-1], guess)),)
    return list(zip(turns, answers, strict=True))


def break_it(breaker: Deterministic, rules: Rules) -> tuple[Turn, ...]:
    turns: tuple[Turn, ...] = ()
    while not turns or turns[-1].feedback.black < rules.pegs:
        view = BreakerView(rules, turns)
        guess = find_pick(breaker, view)
        held = BOT.dodge(view, guess)
        turns += (Turn(guess, score(held, guess)),)
    return turns


def every(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


def test_it_is_a_codemaker_that_keeps_no_code():
    assert BOT.name == "devious"
    assert BOT.largest == 0


def test_it_refuses_to_break_codes():
    with pytest.raises(ValueError, match="devious only makes codes"):
        BOT.choose(BreakerView(CLASSIC), SystemRandom())


@brief
@given(rules_and_guesses)
def test_what_it_says_always_agrees_with_all_that_it_said(game):
    dodged = dodge(*game)
    for number, (_, held) in enumerate(dodged, start=1):
        assert all(score(held, turn.code) == turn.feedback for turn, _ in dodged[:number])


@brief
@given(rules_and_guesses)
def test_every_answer_leaves_as_many_codes_as_any_could(game):
    rules, guesses = game
    left = every(rules)
    for turn, held in dodge(rules, guesses):
        parts = Counter(score(code, turn.code) for code in left)
        most = max(parts.values())
        assert turn.feedback == min(said for said, size in parts.items() if size == most)
        left = [code for code in left if score(code, turn.code) == turn.feedback]
        assert held == left[0]


@brief
@given(rules_and_guesses)
def test_it_gives_in_only_when_one_code_is_left(game):
    rules, guesses = game
    left = every(rules)
    for turn, held in dodge(rules, guesses):
        assert (held == turn.code) is (left == [turn.code])
        left = [code for code in left if score(code, turn.code) == turn.feedback]


def test_1122_is_answered_by_what_leaves_256_codes():
    held = BOT.dodge(BreakerView(CLASSIC), parse_code("1122", CLASSIC))
    assert held == parse_code("3333", CLASSIC)
    assert sum(score(code, (0, 0, 1, 1)) == Feedback(0, 0) for code in every(CLASSIC)) == 256


@pytest.mark.parametrize(
    ("guess", "parts", "held"),
    [
        ((0, 2), {(2, 0): 1, (1, 0): 1, (0, 2): 1, (0, 1): 1}, (2, 1)),
        ((0, 1), {(1, 0): 2, (0, 1): 2}, (1, 2)),
    ],
)
def test_of_feedbacks_as_common_it_gives_the_fewest_blacks_and_then_the_fewest_whites(
    guess, parts, held
):
    assert Counter(score(code, guess) for code in [(0, 2), (1, 2), (2, 0), (2, 1)]) == parts
    one_blue = (Turn((2, 2), Feedback(1, 0)),)
    assert BOT.dodge(BreakerView(find_rules("2x3"), one_blue), guess) == held


@pytest.mark.parametrize(("name", "guesses"), [("4x6", 5), ("4x7", 6), ("4x8", 6), ("3x5", 5)])
def test_knuth_needs_as_long_as_it_ever_does(name, guesses):
    assert len(break_it(KNUTH, find_rules(name))) == guesses


def test_it_dodges_with_a_million_codes():
    rules = find_rules("6x10")
    assert rules.codes == BOT.largest_made
    ((turn, held),) = dodge(rules, [(0, 0, 1, 1, 2, 2)])
    assert turn.feedback == score(held, turn.code) == Feedback(0, 1)
    assert {type(colour) for colour in held} == {int}


@pytest.mark.parametrize(("name", "heavy"), [("classic", False), ("4x9", False), ("5x8", True)])
def test_answers_among_many_codes_are_heavy(name, heavy):
    assert (find_rules(name).codes > BOT.light) is heavy


def test_feedback_that_no_code_explains_is_an_error():
    impossible = (Turn((0, 0, 1, 1), Feedback(3, 1)),)
    with pytest.raises(ContradictionError):
        BOT.dodge(BreakerView(CLASSIC, impossible), (0, 0, 0, 0))
