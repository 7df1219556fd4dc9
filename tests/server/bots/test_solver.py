from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_code_pair, any_rules, brief, code_pairs, codes_of, thorough
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import MAX_COLOURS
from mastermind_server.bots import solver
from mastermind_server.bots.bot import TABLED

SIZES = [(1, 2), (2, 1), (9, 2), (3, 5), (4, 6)]


def every(pegs: int, colours: int) -> list[Code]:
    return list(itertools.product(range(colours), repeat=pegs))


def row(code: Code) -> solver.Codes:
    return np.array([code], dtype=np.uint8)


def cell_of(secret: Code, guess: Code) -> int:
    return solver.find_cell(score(secret, guess), len(secret))


@pytest.mark.parametrize(("pegs", "colours"), SIZES)
def test_all_codes_are_there_once_in_numeric_order(pegs, colours):
    codes = solver.all_codes(pegs, colours)
    assert codes.dtype == np.uint8
    assert codes.shape == (colours**pegs, pegs)
    assert [tuple(code) for code in codes.tolist()] == every(pegs, colours)


def test_the_shared_codes_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        solver.all_codes(4, 6)[0, 0] = 1


def test_each_feedback_has_a_cell_of_its_own():
    for pegs in range(1, 10):
        feedbacks = [Feedback(b, w) for b in range(pegs + 1) for w in range(pegs + 1 - b)]
        cells = [solver.find_cell(feedback, pegs) for feedback in feedbacks]
        assert len(set(cells)) == len(feedbacks)
        assert [solver.read_cell(cell, pegs) for cell in cells] == feedbacks
        assert max(cells) < (pegs + 1) ** 2


def test_scores_are_the_protocols_for_every_pair_of_4x4():
    rows = solver.all_codes(4, 4)
    scores = solver.score_all(rows, rows, 4)
    assert (scores == scores.T).all()  # one half is enough
    codes = every(4, 4)
    for number, guess in enumerate(codes):
        expected = [cell_of(secret, guess) for secret in codes[number:]]
        assert scores[number, number:].tolist() == expected


@thorough
@given(any_code_pair)
def test_scores_are_the_protocols_at_any_size(pair):
    secret, guess = pair
    expected = cell_of(secret, guess)
    assert solver.score_all(row(guess), row(secret), MAX_COLOURS).tolist() == [[expected]]
    assert solver.score_one(guess, row(secret)).tolist() == [expected]


def test_parts_are_counted_right_across_blocks():
    rows, codes = solver.all_codes(4, 6), every(4, 6)
    assert len(codes) > solver.BLOCK
    sizes = solver.count_parts(rows, rows, 6)
    assert sizes.shape == (1296, 25)
    assert (sizes.sum(axis=1) == 1296).all()
    for number in (0, 7, solver.BLOCK - 1, solver.BLOCK, 1295):
        parts = Counter(cell_of(secret, codes[number]) for secret in codes)
        assert dict(enumerate(sizes[number].tolist())) == {c: parts[c] for c in range(25)}


def test_parts_are_counted_alike_for_few_guesses_and_for_many():
    rows = solver.all_codes(3, 5)
    many = solver.count_parts(rows, rows, 5)
    assert len(rows) > solver.FEW
    for start in range(0, 100, solver.FEW):
        few = solver.count_parts(rows[start : start + solver.FEW], rows, 5)
        assert (few == many[start : start + solver.FEW]).all()


@pytest.mark.parametrize(("pegs", "colours"), [(4, 6), (4, 9)])  # with a table, and without
@pytest.mark.parametrize("guesses", [slice(5, 9), slice(3, 1200, 7), slice(None)])
def test_numbers_stand_for_codes(pegs, colours, guesses):
    rows = solver.all_codes(pegs, colours)
    numbers = np.arange(len(rows), dtype=np.int32)
    some = numbers[11::97]
    scores = solver.score_all(rows[guesses], rows[some], colours)
    sizes = solver.count_numbered(pegs, colours, numbers[guesses], some)
    assert (sizes == solver.count_parts(rows[guesses], rows[some], colours)).all()
    assert sizes.sum() == scores.size
    for number, expected in list(zip(numbers[guesses].tolist(), scores, strict=True))[:9]:
        assert (solver.score_numbered(pegs, colours, number, some) == expected).all()
    each = solver.score_each(pegs, colours, some)
    assert (each == solver.score_all(rows[some], rows[some], colours)).all()


@pytest.mark.parametrize(("pegs", "colours"), [(4, 9), (6, 5)])
def test_openings_are_counted_against_all_codes(pegs, colours):
    rows = solver.all_codes(pegs, colours)
    numbers = np.arange(len(rows), dtype=np.int32)
    openings = numbers[5 : solver.FEW * 97 : 97]
    assert len(rows) > TABLED
    assert len(openings) <= solver.FEW
    sizes = solver.count_numbered(pegs, colours, openings, numbers)
    assert (sizes == solver.count_parts(rows[openings], rows, colours)).all()


def test_the_table_has_all_scores():
    rows = solver.all_codes(4, 6)
    table = solver.score_table(4, 6)
    assert table.dtype == np.uint8
    assert (table == solver.score_all(rows, rows, 6)).all()
    assert len(rows) > solver.BLOCK
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1


@brief
@given(any_rules.filter(lambda rules: rules.codes <= 20_000), st.data())
def test_a_number_is_the_place_of_a_code_in_numeric_order(rules, data):
    code = data.draw(codes_of(rules))
    number = solver.find_number(code, rules.colours)
    assert solver.find_code(rules.pegs, rules.colours, number) == code
    row = solver.find_codes(rules.pegs, rules.colours, np.array([number], dtype=np.int32))
    assert row.tolist() == [list(code)]
    assert number == int("".join("0123456789ab"[colour] for colour in code), rules.colours)


@pytest.mark.parametrize(
    ("pegs", "colours", "openings"),
    [
        (4, 6, ["0000", "0001", "0011", "0012", "0123"]),
        (4, 2, ["0000", "0001", "0011"]),
        (1, 9, ["0"]),
    ],
)
def test_openings_are_distinct_by_how_often_they_have_each_colour(pegs, colours, openings):
    distinct = solver.find_distinct(pegs, colours, ())
    codes = [solver.find_code(pegs, colours, number) for number in distinct.tolist()]
    assert ["".join(map(str, code)) for code in codes] == openings


def test_every_code_is_distinct_once_nothing_can_be_exchanged():
    turns = [Turn((0, 1, 2), Feedback(0, 0))]
    assert solver.find_distinct(3, 4, turns).tolist() == list(range(64))


@brief
@given(st.lists(code_pairs(3, 4), max_size=2), code_pairs(3, 4))
def test_every_guess_is_worth_what_a_distinct_one_no_higher_is(pairs, extra):
    secret, guess = extra
    turns = [Turn(first, score(secret, first)) for first, _ in pairs]
    codes = solver.all_codes(3, 4)
    possible = [
        all(score(code, turn.code) == turn.feedback for turn in turns) for code in every(3, 4)
    ]
    parts = solver.count_parts(codes, codes[possible], 4).tolist()
    distinct = solver.find_distinct(3, 4, turns).tolist()
    assert distinct == sorted(set(distinct))
    number = every(3, 4).index(guess)
    assert any(
        parts[other] == parts[number] and possible[other] == possible[number]
        for other in distinct
        if other <= number
    )
