"""Analyses of positions, compared with all codes, one by one."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from typing import get_args

import pytest
from msgspec.structs import replace

from kit.codes import answer, list_codes, list_left, see
from kit.matches import SeededRandom, pegs
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.messages import (
    MAX_ANALYSED_CODES,
    MAX_CORRECTIONS,
    Correction,
    PositionAnalysis,
)
from mastermind_protocol.requests import MAX_GIVEN_TURNS, Measure
from mastermind_protocol.rules import CodeSpace, Rules, find_rules
from mastermind_server.bots.analysis import corrections
from mastermind_server.bots.analysis.corrections import find_corrections
from mastermind_server.bots.analysis.positions import analyse
from mastermind_server.bots.position import find_position

NAMES = ("1x6", "2x2", "2x6", "3x3", "3x4", "4x3", "6x2", "2x5u", "3x3u", "3x5u", "4x4u", "4x5u")
POSITIONS = 84  # of each size: 1,008 in all


@cache
def score_all(space: CodeSpace) -> dict[Code, dict[Code, Feedback]]:
    """Return the feedback to each guess for each secret: `score_all(space)[guess][secret]`."""
    codes = list_codes(space)
    return {guess: {secret: score(secret, guess) for secret in codes} for guess in codes}


def draw_turns(rules: Rules, random: SeededRandom) -> tuple[Turn, ...]:
    """Return up to six turns, up to three of them with a wrong answer."""
    codes = list_codes(rules.space)
    secret, *guesses = random.choices(codes, k=random.randint(1, 7))
    turns = list(answer(secret, *guesses))
    for index in random.sample(range(len(turns)), k=min(len(turns), random.choice((0, 1, 2, 3)))):
        wrong = random.choice(codes)
        turns[index] = Turn(turns[index].code, score(wrong, turns[index].code))
    return tuple(turns)


def measure_cost(sizes: list[int], by: Measure) -> float:
    """Return the cost by a measure, from the numbers of codes that each answer leaves."""
    match by:
        case "bits":
            return round(sum(size * math.log2(size) for size in sizes), 9)
        case "size":
            return sum(size * size for size in sizes)
        case "worst":
            return max(sizes)
        case "parts":
            return -len(sizes)


def find_best_guess(space: CodeSpace, left: list[Code], by: Measure) -> Code:
    """Return the guess of the lowest cost; of equals a candidate, then the lowest code."""

    def rank(guess: Code) -> tuple[float, bool, Code]:
        replies = score_all(space)[guess]
        sizes = list(Counter(replies[secret] for secret in left).values())
        return measure_cost(sizes, by), guess not in left, guess

    return min(list_codes(space), key=rank)


def correct_each_answer(rules: Rules, turns: tuple[Turn, ...]) -> list[Correction]:
    """Return all changes of one answer that leave a code, in the promised order."""
    replies = score_all(rules.space)
    found = []
    for index, turn in enumerate(turns):
        others = turns[:index] + turns[index + 1 :]
        left = [
            code
            for code in list_codes(rules.space)
            if all(replies[other.code][code] == other.feedback for other in others)
        ]
        for black in range(rules.pegs + 1):
            for white in range(rules.pegs + 1):
                number = sum(replies[turn.code][code] == (black, white) for code in left)
                if number and turn.feedback != (black, white):
                    change = abs(black - turn.feedback.black) + abs(white - turn.feedback.white)
                    found.append((change, -number, Correction(index + 1, black, white, number)))
    found.sort(key=lambda each: (*each[:2], each[2].turn, each[2].black, each[2].white))
    return [correction for _, _, correction in found]


def count_colours(rules: Rules, left: list[Code]) -> tuple[tuple[int, ...], ...]:
    """Return the number of codes with each colour on each peg."""
    return tuple(
        tuple(sum(code[peg] == colour for code in left) for colour in range(rules.colours))
        for peg in range(rules.pegs)
    )


@pytest.mark.parametrize("name", NAMES)
def test_all_of_an_analysis_equals_brute_force_in_1000_positions(name, monkeypatch):
    monkeypatch.setattr(corrections, "CODES_PER_BLOCK", 7)  # so all sizes have several blocks
    rules, random = find_rules(name), SeededRandom(49)
    for _ in range(POSITIONS):
        turns = draw_turns(rules, random)
        by: Measure = random.choice(get_args(Measure))
        start = random.randrange(4)
        found = analyse(rules, turns, by, 3, start)
        left = list_left(BreakerView(rules, turns))
        prefixes = [turns[:number] for number in range(1, len(turns) + 1)]
        history = tuple(len(list_left(BreakerView(rules, prefix))) for prefix in prefixes)
        assert (found.left, found.after) == (len(left), history)
        assert (found.sampled, found.estimated) == (False, False)
        assert found.codes == tuple(left[start : start + MAX_ANALYSED_CODES])
        if left:
            assert found.guesses[0].code == find_best_guess(rules.space, left, by)
            assert found.places == count_colours(rules, left)
            assert found.colours == tuple(
                sum(colour in code for code in left) for colour in range(rules.colours)
            )
            assert not found.corrections
        else:
            expected = correct_each_answer(rules, turns)
            assert find_corrections(rules.space, turns) == expected
            assert found.corrections == tuple(expected[:MAX_CORRECTIONS])
            assert (found.guesses, found.places, found.colours) == ((), (), ())


def test_pages_of_codes_follow_each_other():
    rules, codes = find_rules("classic"), list_codes(CodeSpace(4, 6))
    pages = [analyse(rules, (), "bits", 0, start).codes for start in range(0, 1301, 100)]
    assert [len(page) for page in pages] == [100] * 12 + [96, 0]
    assert [code for page in pages for code in page] == codes


@pytest.mark.parametrize("name", ["classic", "6x11"])
@pytest.mark.parametrize("by", get_args(Measure))
def test_no_best_guesses_are_listed_if_none_are_wanted(name, by):
    rules = find_rules(name)
    without, found = analyse(rules, (), by, 0), analyse(rules, (), by, 1)
    assert without == replace(found, guesses=(), sampled=False)


def test_a_wrong_answer_among_half_a_million_codes_is_corrected():
    rules = find_rules("6x9")
    guesses = [pegs(code) for code in ("112233", "445566", "123456", "778899")]
    right = answer(pegs("182935"), *guesses)
    turns = (*right[:3], Turn(right[3].code, Feedback(0, 0)))
    found = analyse(rules, turns, "bits", 1)
    assert (found.left, len(found.corrections)) == (0, MAX_CORRECTIONS)  # of 25
    feedbacks = [(each.turn, Feedback(each.black, each.white)) for each in found.corrections]
    assert (4, right[3].feedback) in feedbacks
    for (turn, feedback), correction in zip(feedbacks, found.corrections, strict=True):
        corrected = list(turns)
        corrected[turn - 1] = Turn(turns[turn - 1].code, feedback)
        left = find_position(BreakerView(rules, tuple(corrected))).count
        assert left == correction.left


def test_if_two_answers_are_wrong_there_is_no_correction():
    turns = answer(pegs("1234"), pegs("1234"), pegs("1234"))
    turns += answer(pegs("5566"), pegs("1234"), pegs("1234"))
    found = analyse(find_rules("classic"), turns, "bits", 5)
    assert found == PositionAnalysis(left=0, after=(1, 1, 0, 0))


def test_a_contradiction_among_more_than_a_million_codes_is_stated_without_corrections():
    turns = tuple(Turn((colour,) * 9, Feedback(0, 0)) for colour in range(12))
    found = analyse(find_rules("9x12"), turns, "bits", 5)
    assert found == PositionAnalysis(left=0, estimated=True)


def test_an_analysis_among_more_than_a_million_codes_is_estimated_to_the_end():
    secret = pegs("123456")
    guesses = [pegs(code) for code in ("112233", "214365", "123455", "654321", "123465", "163452")]
    for number in (1, 6):  # at the end, a single code is found
        view = see("6x11", secret, *guesses[:number])
        found = analyse(view.rules, view.turns, "bits", 2)
        assert found.estimated
        assert found.left == find_position(view).count
        assert found.guesses
        assert (found.after, found.codes, found.places, found.colours) == ((), (), (), ())
    assert (found.left, found.guesses[0].code) == (1, secret)


def test_the_longest_position_that_can_be_sent_is_analysed():
    turns = answer((0, 1, 2, 3, 4, 5), *[(0, 1, 2, 3, 4, number % 9) for number in range(32)])
    assert len(turns) == MAX_GIVEN_TURNS
    found = analyse(find_rules("6x9"), turns, "worst", 1)
    assert (found.left, len(found.after)) == (1, MAX_GIVEN_TURNS)
