from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import MAX_COLOURS
from mastermind_server.bots import ContradictionError, solver
from strategies import any_code_pair, brief, code_pairs, thorough

if TYPE_CHECKING:
    from mastermind_protocol.code import Code

SIZES = [(1, 2), (2, 1), (9, 2), (3, 5), (4, 6)]


def every(pegs: int, colours: int) -> list[Code]:
    return list(itertools.product(range(colours), repeat=pegs))


def row(code: Code) -> solver.Codes:
    return np.array([code], dtype=np.uint8)


def cell_of(secret: Code, guess: Code) -> int:
    return solver.find_cell(score(secret, guess), len(secret))


@pytest.mark.parametrize(("pegs", "colours"), SIZES)
def test_all_codes_are_there_once_in_numeric_order(pegs: int, colours: int) -> None:
    codes = solver.all_codes(pegs, colours)
    assert codes.dtype == np.uint8
    assert codes.shape == (colours**pegs, pegs)
    assert [tuple(code) for code in codes.tolist()] == every(pegs, colours)


def test_the_shared_codes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        solver.all_codes(4, 6)[0, 0] = 1


def test_each_feedback_has_a_cell_of_its_own() -> None:
    for pegs in range(1, 10):
        feedbacks = [Feedback(b, w) for b in range(pegs + 1) for w in range(pegs + 1 - b)]
        cells = {solver.find_cell(feedback, pegs) for feedback in feedbacks}
        assert len(cells) == len(feedbacks)
        assert max(cells) < (pegs + 1) ** 2


def test_scores_are_the_protocols_for_every_pair_of_4x4() -> None:
    rows = solver.all_codes(4, 4)
    scores = solver.score_all(rows, rows, 4)
    assert (scores == scores.T).all()  # so that one half can stand for both
    codes = every(4, 4)
    for number, guess in enumerate(codes):
        expected = [cell_of(secret, guess) for secret in codes[number:]]
        assert scores[number, number:].tolist() == expected


@thorough
@given(any_code_pair)
def test_scores_are_the_protocols_at_any_size(pair: tuple[Code, Code]) -> None:
    secret, guess = pair
    expected = cell_of(secret, guess)
    assert solver.score_all(row(guess), row(secret), MAX_COLOURS).tolist() == [[expected]]
    assert solver.score_one(guess, row(secret)).tolist() == [expected]


@brief
@given(st.lists(code_pairs(4, 3), max_size=3), code_pairs(4, 3))
def test_consistent_codes_would_have_got_the_same_feedback(
    pairs: list[tuple[Code, Code]], extra: tuple[Code, Code]
) -> None:
    secret, first = extra
    guesses = [first, *(guess for _, guess in pairs)]
    turns = [Turn(guess, score(secret, guess)) for guess in guesses]
    expected = [
        all(score(code, turn.code) == turn.feedback for turn in turns) for code in every(4, 3)
    ]
    assert solver.find_consistent(4, 3, turns).tolist() == expected


def test_before_the_first_turn_every_code_is_consistent() -> None:
    assert solver.find_consistent(3, 5, ()).tolist() == [True] * 125


def test_feedback_that_no_code_explains_is_an_error() -> None:
    turns = [Turn((0, 0), Feedback(0, 0)), Turn((0, 1), Feedback(1, 1))]
    with pytest.raises(ContradictionError, match="2 pegs and 3 colours"):
        solver.find_consistent(2, 3, turns)


def test_parts_are_counted_right_across_blocks() -> None:
    rows, codes = solver.all_codes(4, 6), every(4, 6)
    assert len(codes) > solver.BLOCK
    sizes = solver.count_parts(rows, rows, 6)
    assert sizes.shape == (1296, 25)
    assert (sizes.sum(axis=1) == 1296).all()
    for number in (0, 7, solver.BLOCK - 1, solver.BLOCK, 1295):
        parts = Counter(cell_of(secret, codes[number]) for secret in codes)
        assert dict(enumerate(sizes[number].tolist())) == {c: parts[c] for c in range(25)}


def test_only_eight_openings_of_4x6_are_distinct() -> None:
    distinct = solver.all_codes(4, 6)[solver.find_distinct(4, 6, ())]
    openings = ["".join(map(str, code)) for code in distinct.tolist()]
    assert openings == ["0000", "0001", "0011", "0012", "0111", "0112", "0122", "0123"]


@brief
@given(st.lists(code_pairs(3, 4), max_size=2), code_pairs(3, 4))
def test_every_guess_is_worth_what_a_distinct_one_no_higher_is(
    pairs: list[tuple[Code, Code]], extra: tuple[Code, Code]
) -> None:
    secret, guess = extra
    turns = [Turn(first, score(secret, first)) for first, _ in pairs]
    codes = solver.all_codes(3, 4)
    possible = solver.find_consistent(3, 4, turns)
    parts = solver.count_parts(codes, codes[possible], 4).tolist()
    distinct = solver.find_distinct(3, 4, turns).tolist()
    number = every(3, 4).index(guess)
    assert any(
        distinct[other] and parts[other] == parts[number] and possible[other] == possible[number]
        for other in range(number + 1)
    )


@pytest.mark.parametrize(("given_threads", "expected"), [(None, "1"), ("3", "3")])
def test_blas_has_one_thread_unless_the_environment_says_otherwise(
    given_threads: str | None, expected: str
) -> None:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    if given_threads is not None:
        environment |= dict.fromkeys(names, given_threads)
    program = f"""
import os
import mastermind_server.bots.solver
print(*[os.environ[name] for name in {names}])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [expected] * 3
