import pytest
from hypothesis import given

from kit.strategies import any_rules, brief
from mastermind_protocol.errors import ErrorCode, InvalidRules
from mastermind_protocol.feedback import Feedback, KeyNotation
from mastermind_protocol.rules import (
    CUSTOM_PALETTE,
    DEFAULT,
    MAX_COLOURS,
    MAX_GUESSES,
    MAX_PEGS,
    PRESETS,
    UNLIMITED_GUESSES,
    Rules,
    find_rules,
)

# As the table of the five games has them: name, pegs, guesses, colours in order, alphabets.
TABLE = [
    ("classic", 4, 12, "red green blue yellow orange purple", ("123456", "RGBYOP")),
    ("thirteen", 4, 13, "red orange yellow green blue purple", ("ROYGBP",)),
    ("mini", 4, 6, "red green orange blue purple yellow", ("RGOBPY",)),
    ("eight", 4, 10, "red green blue yellow violet olive pink teal", ("RGBYVOPT",)),
    ("lab", 4, 10, "red orange yellow green blue purple", ("012345",)),
    ("knuth", 4, None, "red green blue yellow orange purple", ("123456",)),
]


@pytest.mark.parametrize(
    ("name", "pegs", "guesses", "colours", "alphabets"), TABLE, ids=[row[0] for row in TABLE]
)
def test_a_preset_is_the_game_of_the_table(name, pegs, guesses, colours, alphabets):
    rules = find_rules(name)

    assert rules.name == str(rules) == name
    assert (rules.pegs, rules.guesses) == (pegs, guesses)
    assert rules.palette == tuple(colours.split())
    assert rules.alphabets == alphabets


def test_there_are_six_presets_and_classic_is_the_default():
    assert list(PRESETS) == [row[0] for row in TABLE]
    assert PRESETS["classic"] is DEFAULT


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
    assert (DEFAULT.colours, DEFAULT.codes, DEFAULT.limit) == (6, 1296, 12)
    assert PRESETS["eight"].codes == 4096
    assert find_rules("9x12").codes == 12**9


def test_as_many_guesses_as_it_takes_are_still_bounded():
    assert PRESETS["knuth"].limit == UNLIMITED_GUESSES


@pytest.mark.parametrize("pegs", range(1, MAX_PEGS + 1))
@pytest.mark.parametrize("colours", range(2, MAX_COLOURS + 1))
def test_custom_rules_of_every_size_have_a_letter_of_its_own_for_each_colour(pegs, colours):
    rules = find_rules(f"{pegs}x{colours}")

    assert (rules.pegs, rules.colours, rules.guesses) == (pegs, colours, 12)
    assert rules.palette == CUSTOM_PALETTE[:colours]
    (letters,) = rules.alphabets
    assert len(letters) == len(set(letters)) == colours
    assert letters.isupper()
    assert [colour[0].upper() for colour in rules.palette] == list(letters)


def test_matches_of_the_same_custom_rules_share_them():
    assert find_rules("5x8/9") is find_rules(" 5X8/9 ")


@pytest.mark.parametrize("guesses", [1, 9, 10, MAX_GUESSES])
def test_custom_rules_say_how_many_guesses_there_are(guesses):
    rules = find_rules(f"5x8/{guesses}")

    assert rules.guesses == rules.limit == guesses


def test_custom_rules_of_the_classic_size_are_not_the_preset():
    assert find_rules("4x6").name == "4x6/12"
    assert find_rules("4x6") != DEFAULT


@pytest.mark.parametrize("spelling", ["5x8/12", "5X8/12", " 5x8 ", "5x8"])
def test_two_spellings_of_one_name_give_equal_rules(spelling):
    assert find_rules(spelling) == find_rules("5x8/12")


@pytest.mark.parametrize("spelling", ["classic", "Classic", "  CLASSIC "])
def test_a_preset_is_found_in_either_case(spelling):
    assert find_rules(spelling) is DEFAULT


@given(any_rules)
@brief
def test_rules_are_found_again_by_their_name(rules):
    assert find_rules(rules.name) == rules


OUTSIDE = [
    *("0x6", "10x6", "4x0", "4x1", "4x13", "4x20", "4x100"),
    *("4x6/0", "4x6/100", "4x6/-1", "4x6/", "4x6/012", "4x6/1/2", "04x6", "4x06"),
    *("", " ", "x", "4x", "x6", "4", "4 x 6", "4x6x", "-4x6", "4.0x6", "4*6", "chess"),
    "\N{ARABIC-INDIC DIGIT FOUR}x6",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_names_no_rules_is_refused_with_all_that_is_allowed(name):
    with pytest.raises(InvalidRules) as refused:
        find_rules(name)

    told = refused.value.message
    assert repr(name) in told
    assert all(preset in told for preset in PRESETS)
    assert "PEGSxCOLOURS[/GUESSES]" in told
    assert "1-9 pegs, 2-12 colours and 1-99 guesses" in told
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_RULES, "rules")


def test_a_long_name_is_not_repeated_in_full():
    with pytest.raises(InvalidRules) as refused:
        find_rules("z" * 5000)

    assert len(refused.value.message) < 300


def test_rules_whose_colours_share_a_letter_cannot_be_made():
    with pytest.raises(ValueError, match="share a letter"):
        Rules("broken", 4, 12, ("blue", "black"), ("12",))


@pytest.mark.parametrize(("pegs", "colours"), [(0, 2), (MAX_PEGS + 1, 2), (4, MAX_COLOURS + 1)])
def test_rules_beyond_what_the_wire_carries_cannot_be_made(pegs, colours):
    letters = "ABCDEFGHIJKLM"[:colours]
    with pytest.raises(ValueError, match="at most 9 pegs and 12 colours"):
        Rules("large", pegs, 12, tuple(letters), (letters,))


def test_rules_with_too_few_symbols_cannot_be_made():
    with pytest.raises(ValueError, match="one symbol a colour"):
        Rules("broken", 4, 12, ("red", "blue"), ("RB", "1"))


def test_an_alphabet_with_a_symbol_twice_is_an_error():
    with pytest.raises(ValueError, match="one symbol a colour"):
        Rules("x", 4, 12, ("red", "blue"), ("RBB",))
