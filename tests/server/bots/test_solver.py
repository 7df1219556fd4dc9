from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.codes import list_codes, list_left, see
from kit.strategies import any_code_pair, any_rules, brief, codes_of, rounds, thorough
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import MAX_COLOURS, CodeSpace, find_rules
from mastermind_server.bots import solver
from mastermind_server.bots.bot import MAX_CODES_IN_SCORE_TABLE, MAX_LISTED_CODES


def row(code: Code) -> solver.Codes:
    return np.array([code], dtype=np.uint8)


def spaces(*names: str) -> list[CodeSpace]:
    return [find_rules(name).space for name in names]


def cell_of(secret: Code, guess: Code) -> int:
    return solver.encode_feedback(score(secret, guess), len(secret))


@pytest.mark.parametrize(
    "space",
    [CodeSpace(2, 1), *spaces("1x2", "9x2", "3x5", "4x6", "1x2u", "4x6u", "6x6u", "bulls")],
    ids=str,
)
def test_all_codes_are_in_numeric_order_and_read_only(space):
    codes = solver.list_codes(space)
    assert codes.dtype == np.uint8
    assert codes.shape == (space.codes, space.pegs)
    assert codes.flags.f_contiguous
    assert [tuple(code) for code in codes.tolist()] == list_codes(space)
    with pytest.raises(ValueError, match="read-only"):
        codes[0, 0] = 1


def test_each_feedback_has_its_own_cell():
    for pegs in range(1, 10):
        feedbacks = [Feedback(b, w) for b in range(pegs + 1) for w in range(pegs + 1 - b)]
        cells = [solver.encode_feedback(feedback, pegs) for feedback in feedbacks]
        assert len(set(cells)) == len(feedbacks)
        assert [solver.decode_feedback(cell, pegs) for cell in cells] == feedbacks
        assert max(cells) < (pegs + 1) ** 2


def test_scores_equal_the_protocols_for_every_pair_of_4x4():
    rows = solver.list_codes(CodeSpace(4, 4))
    scores = solver.score_all(rows, rows, 4)
    assert (scores == scores.T).all()  # one half is enough
    codes = list_codes(CodeSpace(4, 4))
    for number, guess in enumerate(codes):
        expected = [cell_of(secret, guess) for secret in codes[number:]]
        assert scores[number, number:].tolist() == expected


@thorough
@given(any_code_pair)
def test_scores_equal_the_protocols_at_any_size(pair):
    secret, guess = pair
    expected = cell_of(secret, guess)
    assert solver.score_all(row(guess), row(secret), MAX_COLOURS).tolist() == [[expected]]
    assert solver.score_one(guess, row(secret)).tolist() == [expected]


def test_parts_are_counted_across_blocks():
    rows, codes = solver.list_codes(CodeSpace(4, 6)), list_codes(CodeSpace(4, 6))
    assert len(codes) > solver.CODES_PER_BLOCK
    sizes = solver.find_cell_sizes(rows, rows, 6)
    assert sizes.shape == (1296, 25)
    assert (sizes.sum(axis=1) == 1296).all()
    for number in (0, 7, solver.CODES_PER_BLOCK - 1, solver.CODES_PER_BLOCK, 1295):
        parts = Counter(cell_of(secret, codes[number]) for secret in codes)
        assert dict(enumerate(sizes[number].tolist())) == {c: parts[c] for c in range(25)}


def test_few_guesses_get_the_same_counts_as_many():
    rows = solver.list_codes(CodeSpace(3, 5))
    many = solver.find_cell_sizes(rows, rows, 5)
    assert len(rows) > solver.MAX_GUESSES_TO_COUNT
    for start in range(0, 100, solver.MAX_GUESSES_TO_COUNT):
        few = solver.find_cell_sizes(rows[start : start + solver.MAX_GUESSES_TO_COUNT], rows, 5)
        assert (few == many[start : start + solver.MAX_GUESSES_TO_COUNT]).all()


@pytest.mark.parametrize("space", spaces("4x6", "4x9", "4x8u", "4x9u"), ids=str)
@pytest.mark.parametrize("guesses", [slice(5, 9), slice(3, 1200, 7), slice(None)])
def test_numbered_codes_get_the_same_scores_and_counts(space, guesses):  # by a table, and without
    rows, colours = solver.list_codes(space), space.colours
    numbers = np.arange(len(rows), dtype=np.int32)
    some = numbers[11::97]
    scores = solver.score_all(rows[guesses], rows[some], colours)
    sizes = solver.find_cell_sizes_of_numbers(space, numbers[guesses], some)
    assert (sizes == solver.find_cell_sizes(rows[guesses], rows[some], colours)).all()
    assert sizes.sum() == scores.size
    for number, expected in list(zip(numbers[guesses].tolist(), scores, strict=True))[:9]:
        assert (solver.score_by_number(space, number, some) == expected).all()
    each = solver.score_pairs(space, some)
    assert (each == solver.score_all(rows[some], rows[some], colours)).all()


@pytest.mark.parametrize("space", spaces("4x9", "6x5", "bulls"), ids=str)
def test_few_numbered_guesses_are_counted_against_all_codes(space):
    rows = solver.list_codes(space)
    numbers = np.arange(len(rows), dtype=np.int32)
    openings = numbers[5 : solver.MAX_GUESSES_TO_COUNT * 97 : 97]
    assert len(rows) > MAX_CODES_IN_SCORE_TABLE
    assert len(openings) <= solver.MAX_GUESSES_TO_COUNT
    sizes = solver.find_cell_sizes_of_numbers(space, openings, numbers)
    assert (sizes == solver.find_cell_sizes(rows[openings], rows, space.colours)).all()


def test_the_table_has_all_scores_and_is_read_only():
    rows = solver.list_codes(CodeSpace(4, 6))
    table = solver.make_score_table(CodeSpace(4, 6))
    assert table.dtype == np.uint8
    assert (table == solver.score_all(rows, rows, 6)).all()
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1


@brief
@given(any_rules.filter(lambda rules: not 20_000 < rules.codes <= MAX_LISTED_CODES), st.data())
def test_the_number_of_a_code_is_its_index_in_numeric_order(rules, data):
    code = data.draw(codes_of(rules))
    number = solver.find_code_number(code, rules.space)
    assert solver.find_code_by_number(rules.space, number) == code
    found = solver.find_codes_by_number(rules.space, np.array([number], dtype=np.int64))
    assert found.tolist() == [list(code)]


@pytest.mark.parametrize(
    ("name", "turns", "distinct"),
    [
        ("4x6", (), [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1), (0, 0, 1, 2), (0, 1, 2, 3)]),
        ("4x2", (), [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)]),
        ("1x9", (), [(0,)]),
        ("bulls", (), [(0, 1, 2, 3)]),
        ("3x4u", (Turn((0, 1, 2), Feedback(2, 0)),), list_codes(CodeSpace(3, 4, repeats=False))),
        # Nothing is exchangeable.
        ("3x4", (Turn((0, 1, 2), Feedback(0, 0)),), list_codes(CodeSpace(3, 4))),
    ],
)
def test_guesses_are_distinct_unless_pegs_or_colours_are_exchangeable(name, turns, distinct):
    space = find_rules(name).space
    numbers = solver.find_distinct_guesses(space, turns).tolist()
    assert [solver.find_code_by_number(space, number) for number in numbers] == distinct


@brief
@given(rounds("3x4", "3x4u", "2x6u", "4x5u", most=2), st.data())
def test_every_guess_is_worth_as_much_as_a_distinct_guess_that_is_no_higher(drawn, data):
    rules, secret, guesses = drawn
    number = data.draw(st.integers(0, rules.codes - 1))
    view = see(rules, secret, *guesses)
    codes, left = solver.list_codes(rules.space), list_left(view)
    possible = [code in left for code in list_codes(rules.space)]
    parts = solver.find_cell_sizes(codes, codes[possible], rules.colours).tolist()
    distinct = solver.find_distinct_guesses(rules.space, view.turns).tolist()
    assert distinct == sorted(set(distinct))
    assert any(
        parts[other] == parts[number] and possible[other] == possible[number]
        for other in distinct
        if other <= number
    )
