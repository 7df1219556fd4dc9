import pytest
from hypothesis import given

from kit.strategies import any_rules, brief
from mastermind_protocol.errors import ErrorCode, InvalidRules, Reason
from mastermind_protocol.feedback import Feedback, KeyNotation
from mastermind_protocol.rules import (
    CUSTOM_PALETTE,
    DEFAULT,
    MAX_COLOURS,
    MAX_PEGS,
    PRESETS,
    Rules,
    find_rules,
)

# Feedback to a guess of four pegs, as each preset writes it.
WRITTEN = [
    ("classic", (0, 0), "0 black, 0 white"),
    ("classic", (1, 2), "1 black, 2 white"),
    ("classic", (4, 0), "4 black, 0 white"),
    ("thirteen", (0, 0), "[ ][ ][ ][ ]"),
    ("thirteen", (1, 1), "[X][O][ ][ ]"),
    ("thirteen", (2, 2), "[X][X][O][O]"),
    ("thirteen", (4, 0), "[X][X][X][X]"),
    ("mini", (0, 0), "0 black, 0 gray, 4 empty"),
    ("mini", (1, 2), "1 black, 2 gray, 1 empty"),
    ("mini", (4, 0), "4 black, 0 gray, 0 empty"),
    ("eight", (0, 0), "-"),
    ("eight", (1, 2), "KWW"),
    ("eight", (4, 0), "KKKK"),
    ("lab", (0, 0), "[]"),
    ("lab", (1, 0), "[2]"),
    ("lab", (0, 1), "[1]"),
    ("lab", (2, 1), "[1, 2, 2]"),
    ("lab", (4, 0), "[2, 2, 2, 2]"),
    ("knuth", (0, 0), "-"),
    ("knuth", (1, 1), "KW"),
    ("knuth", (0, 4), "WWWW"),
    ("bulls", (0, 0), "0 bulls, 0 cows"),
    ("bulls", (2, 1), "2 bulls, 1 cow"),
    ("bulls", (1, 2), "1 bull, 2 cows"),
]


@pytest.mark.parametrize(("name", "feedback", "text"), WRITTEN)
def test_feedback_is_written_in_the_notation_of_the_preset(name, feedback, text):
    assert PRESETS[name].keys.write(Feedback(*feedback), 4) == text


def test_counted_notation_may_name_white_first():
    notation = KeyNotation(white_first=True)
    assert notation.write(Feedback(1, 2), 4) == "2 white, 1 black"


def test_empty_pegs_are_counted_by_the_length_of_the_guess():
    assert PRESETS["thirteen"].keys.write(Feedback(1, 0), 6) == "[X][ ][ ][ ][ ][ ]"
    assert PRESETS["mini"].keys.write(Feedback(1, 0), 6) == "1 black, 0 gray, 5 empty"


def test_the_number_of_codes_and_the_limit_follow_from_the_rules():
    assert (DEFAULT.colours, DEFAULT.codes, DEFAULT.guess_limit) == (6, 1296, 12)
    assert PRESETS["eight"].codes == 4096
    assert find_rules("9x12").codes == 12**9
    assert PRESETS["bulls"].codes == 10 * 9 * 8 * 7
    assert find_rules("9x9u").codes == 362_880


@pytest.mark.parametrize("pegs", range(1, MAX_PEGS + 1))
@pytest.mark.parametrize("colours", range(2, MAX_COLOURS + 1))
def test_each_colour_of_custom_rules_has_its_own_letter(pegs, colours):
    rules = find_rules(f"{pegs}x{colours}")
    assert (rules.pegs, rules.colours, rules.guesses) == (pegs, colours, 12)
    assert rules.repeats
    assert rules.palette == CUSTOM_PALETTE[:colours]
    letters, *digits = rules.alphabets
    assert digits == (["1234567890"[:colours]] if colours <= 10 else [])
    assert len(letters) == len(set(letters)) == colours
    assert letters.isupper()
    assert [colour[0].upper() for colour in rules.palette] == list(letters)


def test_custom_rules_of_the_classic_size_are_not_the_preset():
    assert find_rules("4x6").name == "4x6/12"
    assert find_rules("4x6") != DEFAULT


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        *[(spelling, "5x8/12") for spelling in ("5x8/12", "5X8/12", " 5x8 ", "5x8")],
        *[(spelling, "4x10u/12") for spelling in ("4x10u", "4X10U", " 4x10u/12")],
        *[(spelling, "classic") for spelling in ("classic", "Classic", "  CLASSIC ")],
    ],
)
def test_the_spellings_of_a_name_give_the_same_rules(spelling, name):
    assert find_rules(spelling) is find_rules(name)


@given(any_rules)
@brief
def test_rules_are_found_again_by_their_name(rules):
    assert find_rules(rules.name) == rules


OUTSIDE = [
    *("0x6", "10x6", "4x0", "4x1", "4x13", "4x20", "4x100"),
    *("4x6/0", "4x6/100", "4x6/-1", "4x6/", "4x6/012", "4x6/1/2", "04x6", "4x06"),
    *("", " ", "x", "4x", "x6", "4", "4 x 6", "4x6x", "-4x6", "4.0x6", "4*6", "chess"),
    *("u4x6", "4ux6", "4x6/12u", "4x6uu", "4x6 u", "4x1u", "10x12u"),
    "\N{ARABIC-INDIC DIGIT FOUR}x6",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_wrong_name_is_refused_with_the_allowed_ones(name):
    with pytest.raises(InvalidRules) as refused:
        find_rules(name)
    told = refused.value.message
    assert repr(name) in told
    assert all(preset in told for preset in PRESETS)
    assert "PEGSxCOLOURS[u][/GUESSES]" in told
    assert "4x10u for no colour twice" in told
    assert "1-9 pegs, 2-12 colours and 1-99 guesses" in told
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_RULES, "rules")


@pytest.mark.parametrize(("pegs", "colours"), [(1, 2), (4, 4), (4, 10), (9, 9), (9, 12)])
def test_the_sign_u_forbids_a_colour_twice(pegs, colours):
    rules, usual = find_rules(f"{pegs}x{colours}u/7"), find_rules(f"{pegs}x{colours}/7")
    assert not rules.repeats
    assert (rules.pegs, rules.palette, rules.guesses) == (pegs, usual.palette, 7)
    assert str(rules.space) == f"{pegs}x{colours}u"


@pytest.mark.parametrize("name", ["1x2", "3x4", "4x2", "1x2u", "3x4u", "4x4u"])
def test_all_codes_are_iterated_in_numeric_order(name):
    space = find_rules(name).space
    codes = list(space.iterate_codes())
    assert codes == sorted(set(codes))
    assert len(codes) == space.codes
    for code in codes:
        assert len(code) == space.pegs
        assert set(code) <= set(range(space.colours))
        assert space.repeats or len(set(code)) == space.pegs


@pytest.mark.parametrize("name", ["3x2u", "5x4u/12", "9x8u"])
def test_more_pegs_than_colours_leave_no_code_without_repeats(name):
    with pytest.raises(InvalidRules) as refused:
        find_rules(name)
    assert refused.value.reason is Reason.TOO_FEW_COLOURS
    told = f"{name[:4]} has no code: without a colour twice, {name[0]} pegs need {name[0]} colours"
    assert refused.value.message == told
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_RULES, "rules")


def test_a_long_name_is_not_repeated_in_full():
    with pytest.raises(InvalidRules) as refused:
        find_rules("z" * 5000)
    assert len(refused.value.message) < 300


LETTERS = tuple("ABCDEFGHIJKLM")


@pytest.mark.parametrize(
    ("pegs", "palette", "alphabets", "why"),
    [
        (0, LETTERS[:2], ("AB",), "at most 9 pegs and 12 colours"),
        (MAX_PEGS + 1, LETTERS[:2], ("AB",), "at most 9 pegs and 12 colours"),
        (4, LETTERS, ("".join(LETTERS),), "at most 9 pegs and 12 colours"),
        (4, ("blue", "black"), ("12",), "start with the same letter"),
        (4, ("red", "blue"), ("RB", "1"), "one symbol for each colour"),
        (4, ("red", "blue"), ("RBB",), "one symbol for each colour"),
    ],
)
def test_impossible_rules_cannot_be_made(pegs, palette, alphabets, why):
    with pytest.raises(ValueError, match=why):
        Rules("broken", pegs, 12, palette, alphabets)


def test_rules_without_repeats_need_a_colour_for_each_peg():
    with pytest.raises(ValueError, match="3 pegs need as many colours"):
        Rules("broken", 3, 12, ("red", "blue"), ("RB",), repeats=False)
