from __future__ import annotations

import re
import sys
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_rules, codes_of, thorough
from mastermind_protocol.code import (
    check_code,
    check_feedback,
    format_code,
    parse_code,
    parse_symbol,
)
from mastermind_protocol.errors import ErrorCode, InvalidCode, InvalidFeedback, Reason
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

EIGHT = PRESETS["eight"]
LAB = PRESETS["lab"]
BULLS = PRESETS["bulls"]


@pytest.mark.parametrize(
    ("text", "rules", "code"),
    [
        ("1122", DEFAULT, (0, 0, 1, 1)),
        ("RGBY", DEFAULT, (0, 1, 2, 3)),
        ("rgby", DEFAULT, (0, 1, 2, 3)),
        ("r2B4", DEFAULT, (0, 1, 2, 3)),
        ("ROYG", PRESETS["thirteen"], (0, 1, 2, 3)),
        ("rgob", PRESETS["mini"], (0, 1, 2, 3)),
        ("vopt", EIGHT, (4, 5, 6, 7)),
        ("0005", LAB, (0, 0, 0, 5)),
        ("1122", PRESETS["knuth"], (0, 0, 1, 1)),
        ("cmltn", find_rules("5x12"), (6, 7, 8, 9, 10)),
        ("0918", BULLS, (0, 9, 1, 8)),
    ],
)
def test_a_code_is_read_in_any_alphabet_of_its_rules(text, rules, code):
    assert parse_code(text, rules) == code


@pytest.mark.parametrize(
    "text", ["1 2 3 4", "1,2,3,4", "1, 2, 3, 4", "1;2;3;4", "1-2-3-4", " 1\t2  34 ", "r g b y"]
)
def test_separators_between_the_pegs_do_not_matter(text):
    assert parse_code(text, DEFAULT) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("text", "rules", "peg", "told"),
    [
        ("7122", DEFAULT, 1, "'7' is no symbol of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)"),
        ("1102", DEFAULT, 3, "'0' is no symbol of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)"),
        ("1 1 1 x", DEFAULT, 4, "'x' is no symbol of classic"),
        ("rgbq", EIGHT, 4, "'q' is no symbol of eight; allowed: R G B Y V O P T"),
        ("0126", LAB, 4, "'6' is no symbol of lab; allowed: 0 1 2 3 4 5"),
        ("r111", LAB, 1, "'r' is no symbol of lab"),
        ("1z", DEFAULT, 2, "'z' is no symbol of classic"),  # before its length
        ("rgc", find_rules("3x6"), 3, "'c' is no symbol of 3x6/12; allowed: R G B Y O P"),
    ],
)
def test_an_unknown_colour_is_named_with_its_peg_and_the_allowed_ones(text, rules, peg, told):
    with pytest.raises(InvalidCode, match=re.escape(f"peg {peg}: {told}")) as refused:
        parse_code(text, rules)
    assert refused.value.values.get("peg") == peg
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_CODE, "code")


@pytest.mark.parametrize(
    ("text", "rules", "peg", "told"),
    [
        ("1213", BULLS, 3, "1 is on peg 1, and codes of bulls have no repeats"),
        ("0998", BULLS, 3, "9 is on peg 2"),
        ("00", BULLS, 2, "0 is on peg 1"),  # before its length
        ("RGBr", find_rules("4x10u"), 4, "R is on peg 1, and codes of 4x10u/12 have"),
    ],
)
def test_a_second_peg_of_a_colour_is_named_if_rules_have_no_repeats(text, rules, peg, told):
    with pytest.raises(InvalidCode, match=re.escape(f"peg {peg}: {told}")) as refused:
        parse_code(text, rules)
    assert refused.value.reason is Reason.REPEATED_COLOUR
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_CODE, "code")
    code = [parse_symbol(symbol, rules) or 0 for symbol in text.ljust(4, "8")]
    with pytest.raises(InvalidCode, match=re.escape(f"peg {peg}: {told}")) as checked:
        check_code(code, rules, "secret")
    assert checked.value.field == "secret"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no peg given, and a code of classic has 4"),
        (" , ", "no peg given"),
        ("1", "1 peg given, and a code of classic has 4"),
        ("112", "3 pegs given"),
        ("11223", "5 pegs given"),
        ("1122" * 1000, "4000 pegs given"),
    ],
)
def test_a_refusal_of_a_code_of_the_wrong_length_names_both_lengths(text, told):
    with pytest.raises(InvalidCode, match=told) as refused:
        parse_code(text, DEFAULT)
    assert "peg" not in refused.value.values


@cache
def find_alike() -> list[str]:
    """Return every non-ASCII character whose upper case is ASCII."""
    return [symbol for symbol in map(chr, range(1, sys.maxunicode + 1)) if symbol.upper().isascii()]


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_exactly_the_characters_of_the_alphabets_are_colours(rules):
    accepted = {symbol for symbol in find_alike() if parse_symbol(symbol, rules) is not None}
    own = "".join(rules.alphabets)
    assert accepted == set(own + own.lower())
    assert parse_symbol("\N{CYRILLIC CAPITAL LETTER O}", rules) is None
    assert parse_symbol("", rules) is parse_symbol(own[:2], rules) is None
    for alphabet in rules.alphabets:
        assert [parse_symbol(symbol, rules) for symbol in alphabet] == list(range(rules.colours))


@given(any_rules.flatmap(lambda rules: st.tuples(st.just(rules), codes_of(rules))))
@thorough
def test_a_written_code_is_read_back(drawn):
    rules, code = drawn
    written = format_code(code, rules)
    assert len(written) == rules.pegs
    assert parse_code(written, rules) == code
    assert parse_code(written.lower(), rules) == code
    assert parse_code(", ".join(written), rules) == code
    assert check_code(list(code), rules) == code


@given(any_rules, st.text(max_size=14))
@thorough
def test_any_text_is_read_as_a_code_or_refused(rules, text):
    try:
        code = parse_code(text, rules)
    except InvalidCode as error:
        refused = error
    else:
        assert check_code(code, rules) == code
        return
    assert refused.values.get("peg", 1) in range(1, rules.pegs + 1)


@pytest.mark.parametrize(
    ("colours", "peg", "told"),
    [
        ((6, 0, 0, 0), 1, "peg 1: 6 is no colour of classic; allowed: 0 to 5"),
        ((0, 0, -1, 0), 3, "peg 3: -1 is no colour"),
        ((0, 0, 0), None, "3 pegs given"),
        ((0, 0, 0, 0, 0), None, "5 pegs given"),
        ((), None, "no peg given"),
    ],
)
def test_colours_that_are_no_code_fail_the_check(colours, peg, told):
    with pytest.raises(InvalidCode, match=told) as refused:
        check_code(colours, DEFAULT)
    assert refused.value.values.get("peg") == peg


def test_a_code_is_shown_in_the_first_alphabet():
    assert format_code((0, 0, 1, 5), DEFAULT) == "1126"
    assert format_code((0, 0, 1, 5), LAB) == "0015"
    assert format_code((0, 0, 4, 7), EIGHT) == "RRVT"


@pytest.mark.parametrize(
    "name", ["1x2", "2x3", "4x3", "3x5", "1x3u", "2x2u", "3x4u", "4x5u", "3x6u"]
)
def test_feedback_that_no_guess_gets_is_refused(name):
    rules = find_rules(name)
    codes = list(rules.space.iterate_codes())
    possible = {score(code, guess) for code in codes for guess in codes}
    for black in range(rules.pegs + 2):
        for white in range(rules.pegs + 2):
            feedback = Feedback(black, white)
            if feedback in possible:
                check_feedback(feedback, rules)
                continue
            with pytest.raises(InvalidFeedback) as refused:
                check_feedback(feedback, rules, "turns[2]")
            assert (refused.value.code, refused.value.field) == ("invalid_feedback", "turns[2]")


def test_feedback_that_two_colours_exclude_is_a_contradiction_and_no_error():
    check_feedback(Feedback(0, 1), find_rules("2x2"))
