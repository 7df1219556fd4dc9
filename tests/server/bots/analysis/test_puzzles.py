from __future__ import annotations

from collections import Counter
from functools import lru_cache
from operator import eq

import pytest

from kit.codes import list_codes
from kit.matches import pegs
from mastermind_protocol.code import Code, format_code
from mastermind_protocol.errors import InvalidRules, Reason
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.requests import MAX_GIVEN_TURNS, MAX_PUZZLE_SEED
from mastermind_protocol.rules import MAX_COLOURS, MAX_PEGS, CodeSpace, Rules, find_rules
from mastermind_server.bots.analysis.puzzles import (
    MAX_PUZZLE_CODES,
    find_agreeing_codes,
    make_puzzle,
    measure_effort,
)

LEVELS = (1, 2, 3)
SPACES = [
    str(space)
    for space in (
        CodeSpace(number, colours, repeats)
        for number in range(1, MAX_PEGS + 1)
        for colours in range(2, MAX_COLOURS + 1)
        for repeats in (True, False)
    )
    if 0 < space.codes <= MAX_PUZZLE_CODES
]
# Links to puzzles are sent to friends. If these change, all of them lead to other puzzles.
PUBLISHED = """
classic/1/0: 6416 0b1w  4222 1b0w  3623 0b1w  1152 2b2w
classic/2/8812: 2326 0b0w  4451 2b0w  1411 2b0w
classic/3/999999999: 6524 1b1w  6653 0b1w  4541 0b1w  5222 1b0w  3234 0b1w
bulls/1/1: 0674 0b3w  4702 0b3w  2067 2b2w
bulls/2/1: 7921 2b0w  7861 1b2w  7628 2b1w
bulls/3/1: 0718 0b1w  8692 1b0w  8534 1b1w  3094 0b1w  1542 0b2w
5x8/3/2026: RMGOC 1b2w  YCGCR 1b1w  BOGRO 1b2w  POCOR 1b1w  BCBOG 1b1w  YGMOO 0b2w
2x2/1/3: GR 0b2w
3x3u/1/6: BRG 0b3w  GBR 0b3w
"""


def write(rules: Rules, turns: tuple[Turn, ...]) -> str:
    """Return turns as text, such as `1122 1b2w  3456 0b0w`."""
    return "  ".join(
        f"{format_code(turn.code, rules)} {turn.feedback.black}b{turn.feedback.white}w"
        for turn in turns
    )


def effort_of(rules: Rules, turns: tuple[Turn, ...]) -> int:
    return measure_effort(find_agreeing_codes(rules.space, turns))


@lru_cache(maxsize=1296)  # many puzzles have the same guesses
def answer_all(space: CodeSpace, guess: Code) -> bytes:
    """Return 10 * black + white for each code."""
    replies = (score(code, guess) for code in list_codes(space))
    return bytes(10 * black + white for black, white in replies)


def assert_sound(rules: Rules, turns: tuple[Turn, ...]) -> None:
    """Compare a puzzle with all codes: one fits, and more fit without any one turn.

    Each guess fits the answers to the earlier guesses.
    """
    given = [10 * turn.feedback.black + turn.feedback.white for turn in turns]
    answers = zip(*(answer_all(rules.space, turn.code) for turn in turns), strict=True)
    agreements = Counter(tuple(map(eq, replies, given)) for replies in answers)
    number = len(turns)
    assert agreements[(True,) * number] == 1
    for index in range(number):
        assert agreements[(True,) * index + (False,) + (True,) * (number - index - 1)]
        code = turns[index].code
        assert all(score(code, each.code) == each.feedback for each in turns[:index])


@pytest.mark.parametrize(
    "name", ["classic", "1x2", "1x2u", "1x12", "2x2", "2x2u", "3x2", "2x12u", "3x3u"]
)
def test_a_puzzle_has_one_solution_and_no_needless_guess(name):
    rules = find_rules(name)
    for seed in range(2):
        for level in LEVELS:
            assert_sound(rules, make_puzzle(rules, level, seed))


@pytest.mark.trees
@pytest.mark.parametrize("level", LEVELS)
def test_a_thousand_puzzles_of_a_level_have_one_solution_and_no_needless_guess(level):
    rules = find_rules("classic")
    made = [make_puzzle(rules, level, seed) for seed in range(1000)]
    for turns in made:
        assert 3 <= len(turns) <= 7
        assert_sound(rules, turns)
    assert len(set(made)) > 990


@pytest.mark.trees
@pytest.mark.parametrize("name", SPACES)
def test_rules_of_each_size_have_puzzles_of_each_level(name):
    rules = find_rules(name)
    for level in LEVELS if rules.codes <= 10_000 else LEVELS[-1:]:
        turns = make_puzzle(rules, level, MAX_PUZZLE_SEED)
        assert len(turns) <= MAX_GIVEN_TURNS
        assert_sound(rules, turns)


@pytest.mark.parametrize("line", PUBLISHED.strip().splitlines())
def test_a_published_puzzle_never_changes(line):
    name, expected = line.split(": ")
    rules_name, level, seed = name.split("/")
    rules = find_rules(rules_name)
    assert write(rules, make_puzzle(rules, int(level), int(seed))) == expected


def test_rules_with_the_same_codes_have_the_same_puzzles():
    turns = [make_puzzle(find_rules(name), 2, 7) for name in ("classic", "lab", "4x6/99")]
    assert turns[0] == turns[1] == turns[2]


def test_each_puzzle_of_a_level_needs_more_effort_than_all_of_the_level_before():
    rules = find_rules("classic")
    easy, medium, hard = (
        [effort_of(rules, make_puzzle(rules, level, seed)) for seed in range(8)] for level in LEVELS
    )
    assert max(easy) < min(medium)
    assert max(medium) < min(hard)


@pytest.mark.parametrize("name", ["2x2", "3x4", "5x5u"])
def test_the_levels_of_a_seed_are_in_order_with_rules_of_any_size(name):
    rules = find_rules(name)
    for seed in range(3):
        efforts = [effort_of(rules, make_puzzle(rules, level, seed)) for level in LEVELS]
        assert efforts == sorted(efforts)


def test_effort_adds_up_the_lists_of_a_solver_who_takes_the_turn_that_leaves_the_fewest_codes():
    rules = find_rules("classic")
    turns = (
        Turn(pegs("1122"), Feedback(1, 0)),
        Turn(pegs("1344"), Feedback(0, 1)),
        Turn(pegs("3526"), Feedback(1, 2)),  # 132 codes, the fewest
        Turn(pegs("1462"), Feedback(1, 1)),  # then 16
    )
    assert effort_of(rules, turns) == 132 + 16 + 2 + 1


def test_there_is_no_puzzle_of_more_codes_than_a_second_allows():
    rules = find_rules("9x4")
    with pytest.raises(
        InvalidRules, match="9x4/12 has 262,144 codes: puzzles have at most 100,000"
    ) as raised:
        make_puzzle(rules, 1, 0)
    assert raised.value.reason is Reason.TOO_MANY_CODES_FOR_PUZZLES
