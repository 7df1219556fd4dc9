from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given

from kit.strategies import any_code_pair, thorough
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import PRESETS, find_rules

CLASSIC = PRESETS["classic"]


def cross_off(secret: Code, guess: Code) -> tuple[int, int]:
    """Score as a person does at the board: lay a key peg, cross both pegs off."""
    secret_left: list[int | None] = list(secret)
    guess_left: list[int | None] = list(guess)
    black = white = 0
    for place, colour in enumerate(guess):
        if secret_left[place] == colour:
            secret_left[place] = guess_left[place] = None
            black += 1
    for colour_left in guess_left:
        if colour_left is not None and colour_left in secret_left:
            secret_left[secret_left.index(colour_left)] = None
            white += 1
    return black, white


def codes(colours: int, pegs: int) -> Iterator[Code]:
    return itertools.product(range(colours), repeat=pegs)


def name_colours_anew(code: Code) -> Code:
    """Return the code with its colours renamed in order of appearance."""
    names = {colour: name for name, colour in enumerate(dict.fromkeys(code))}
    return tuple(names[colour] for colour in code)


# One secret for each way to repeat colours: another differs from it in their names alone.
PATTERNS = sorted({name_colours_anew(secret) for secret in codes(6, 4)})


def code(names: str) -> Code:
    return tuple(CLASSIC.palette.index(name) for name in names.split())


@pytest.mark.parametrize(
    ("secret", "guess", "black", "white"),
    [
        ("red red blue blue", "red red red blue", 3, 0),
        ("orange purple blue yellow", "orange red red blue", 1, 1),
        ("red blue green blue", "red red yellow yellow", 1, 0),
        ("purple orange green green", "red yellow green blue", 1, 0),
        ("red green blue yellow", "red green blue yellow", 4, 0),
        ("red green blue yellow", "yellow blue green red", 0, 4),
        ("red red red red", "blue blue blue blue", 0, 0),
        ("red blue blue blue", "blue red red red", 0, 2),
    ],
)
def test_the_feedback_is_the_usual_one(secret, guess, black, white):
    assert score(code(secret), code(guess)) == Feedback(black, white)


def test_every_pattern_of_the_classic_size_is_scored_as_by_crossing_pegs_off():
    every = list(codes(6, 4))
    wrong = [
        (secret, guess)
        for secret in PATTERNS
        for guess in every
        if score(secret, guess) != cross_off(secret, guess)
    ]
    assert len(every) == find_rules("4x6").codes == 1296
    assert len(PATTERNS) == 15
    assert wrong == []


def test_knuth_s_first_guess_parts_the_codes_as_he_printed():
    parts: dict[Feedback, int] = {}
    for secret in codes(6, 4):
        feedback = score(secret, (0, 0, 1, 1))
        parts[feedback] = parts.get(feedback, 0) + 1
    assert max(parts.values()) == parts[Feedback(0, 0)] == parts[Feedback(1, 0)] == 256
    assert parts[Feedback(4, 0)] == 1
    assert sum(parts.values()) == 1296


@given(any_code_pair)
@thorough
def test_codes_of_other_sizes_are_scored_as_by_crossing_pegs_off(pair):
    assert score(*pair) == cross_off(*pair)
