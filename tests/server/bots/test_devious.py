from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given

from kit.codes import answer, list_codes
from kit.matches import pegs
from kit.strategies import brief, rounds
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import Rules, find_rules
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.greedy import KNUTH
from mastermind_server.bots.position import find_guess

BOT = DeviousBot()


def rechoose(rules: Rules, turns: tuple[Turn, ...], guess: Code) -> tuple[Code, tuple[Turn, ...]]:
    """Return the code that the bot answers for, and the turns after the guess."""
    held = BOT.rechoose(BreakerView(rules, turns), guess)
    return held, (*turns, *answer(held, guess))


@brief
@given(rounds("1x2", "1x9", "2x7", "3x4", "4x3", "7x2", "2x7u", "4x5u", most=8))
def test_each_answer_leaves_as_many_codes_as_possible(drawn):
    rules, _, guesses = drawn
    left, turns = list_codes(rules.space), tuple[Turn, ...]()
    for guess in guesses:
        held, turns = rechoose(rules, turns, guess)
        parts = Counter(score(code, guess) for code in left)
        most = max(parts.values())
        feedback = turns[-1].feedback
        assert feedback == min(said for said, size in parts.items() if size == most)
        assert (held == guess) is (left == [guess])  # it loses only when no other code is left
        left = [code for code in left if score(code, guess) == feedback]
        assert held == left[0]


@pytest.mark.parametrize(
    ("rules", "turns", "guess", "held"),
    [
        ("classic", (), "1122", "3333"),  # 256 codes are left
        # Four codes are left: 13, 23, 31 and 32.
        ("2x3", answer(pegs("13"), pegs("33")), "13", "32"),  # four feedbacks: the fewest blacks
        ("2x3", answer(pegs("13"), pegs("33")), "12", "23"),  # two: the fewest blacks
    ],
)
def test_of_equally_common_feedbacks_the_lowest_is_given(rules, turns, guess, held):
    answered, _ = rechoose(find_rules(rules), turns, pegs(guess))
    assert answered == pegs(held)


@pytest.mark.parametrize(("name", "guesses"), [("4x6", 5), ("4x7", 6), ("4x8", 6), ("3x5", 5)])
def test_knuth_needs_its_largest_number_of_guesses(name, guesses):
    rules, turns = find_rules(name), tuple[Turn, ...]()
    while not turns or turns[-1].feedback.black < rules.pegs:
        _, turns = rechoose(rules, turns, find_guess(KNUTH, BreakerView(rules, turns)))
    assert len(turns) == guesses


def test_it_dodges_with_more_codes_than_it_can_list():
    rules, turns = find_rules("7x11u"), tuple[Turn, ...]()
    for guess in itertools.islice(itertools.permutations(range(11), 7), 0, 8000, 1000):
        held, turns = rechoose(rules, turns, guess)
        assert answer(held, *(turn.code for turn in turns)) == turns
    assert turns[-1].feedback.black < 7


def test_it_dodges_with_a_million_codes():
    rules = find_rules("6x10")
    held, (turn,) = rechoose(rules, (), pegs("112233"))
    assert turn.feedback == Feedback(0, 1)
    assert {type(colour) for colour in held} == {int}
