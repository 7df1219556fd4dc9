import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import game, pegs, play
from kit.strategies import brief, codes_of, thorough
from mastermind_client.colours import COLOURS
from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.messages.codes import (
    ASCII_MARKS,
    MARKS,
    find_colour,
    format_board,
    format_colours,
    format_count,
    format_example_code,
    format_feedback,
    format_share,
    read_code,
)
from mastermind_protocol.code import format_code, parse_code
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import CUSTOM_PALETTE, PRESETS, Rules, find_rules


@pytest.mark.parametrize(
    ("rules", "some", "none"),
    [
        ("classic", "1 black, 2 white", "0 black, 0 white"),
        ("4x6", "1 black, 2 white", "0 black, 0 white"),
        ("mini", "1 black, 2 gray, 1 empty", "0 black, 0 gray, 4 empty"),
        ("thirteen", "[X][O][O][ ]  1 black, 2 white", "[ ][ ][ ][ ]  0 black, 0 white"),
        ("eight", "KWW  1 black, 2 white", "-  0 black, 0 white"),
        ("knuth", "KWW  1 black, 2 white", "-  0 black, 0 white"),
        ("lab", "[1, 1, 2]  1 black, 2 white", "[]  0 black, 0 white"),
        ("bulls", "1 bull, 2 cows", "0 bulls, 0 cows"),
        ("4x10u", "1 black, 2 white", "0 black, 0 white"),
    ],
)
def test_feedback_is_in_the_presets_notation_and_in_words(rules, some, none):
    written = [
        format_feedback(feedback, find_rules(rules))
        for feedback in (Feedback(1, 2), Feedback(0, 0))
    ]
    assert written == [some, none]


def test_a_whole_board_has_its_empty_rows():
    rules = find_rules("5x3/4")
    turns = [Turn(pegs("11233"), Feedback(2, 1))]
    row = " 1  R R G B B  2 black, 1 white"
    assert format_board(turns, rules, whole=False) == [row]
    assert format_board(turns, rules, whole=True) == [
        row,
        *(f" {number}  . . . . ." for number in (2, 3, 4)),
    ]
    assert format_board([], rules, whole=False) == []


@pytest.mark.parametrize(
    ("name", "example"),
    [
        *[("classic", "1122"), ("eight", "RRGG"), ("9x12", "RRGGBBYYO"), ("5x2", "RRGGR")],
        *[("1x2", "R"), ("bulls", "0123"), ("5x5u", "RGBYO")],
    ],
)
def test_the_example_is_a_code_of_the_rules(name, example):
    assert format_example_code(find_rules(name)) == example
    parse_code(example, find_rules(name))


def test_every_colour_of_every_palette_has_a_name():
    palettes = [CUSTOM_PALETTE, *(rules.palette for rules in PRESETS.values())]
    assert {colour for palette in palettes for colour in palette} <= set(COLOURS)


def test_colours_and_feedback_are_in_the_readers_language():
    use_language("pl")
    rules = find_rules("thirteen")
    assert format_colours(pegs("16"), rules) == ["czerwony", "fioletowy"]
    assert format_feedback(Feedback(1, 2), rules) == "[X][O][O][ ]  czarne: 1, białe: 2"
    assert format_feedback(Feedback(1, 2), find_rules("mini")) == "czarne: 1, szare: 2, puste: 1"
    bulls = [(1, 2), (0, 0), (2, 1)]
    assert [format_feedback(Feedback(*each), find_rules("bulls")) for each in bulls] == [
        *("1 byk, 2 krowy", "0 byków, 0 krów", "2 byki, 1 krowa")
    ]


def test_no_other_character_is_a_colour():
    alike = [chr(code) for code in range(1, sys.maxunicode + 1) if chr(code).upper().isascii()]
    for rules in PRESETS.values():
        own = "".join(rules.alphabets) + "".join(colour[0] for colour in rules.palette)
        accepted = {symbol for symbol in alike if find_colour(symbol, rules) is not None}
        assert accepted == {*own.upper(), *own.lower()}
        assert find_colour("", rules) is find_colour("RG", rules) is None


def test_a_symbol_of_the_rules_comes_before_a_letter_of_another_colour():
    rules = Rules("swapped", 4, 10, ("red", "green", "blue"), ("GRX",))
    assert [find_colour(symbol, rules) for symbol in "GRXB"] == [0, 1, 2, 2]


RULES = find_rules("classic")


def test_an_estimated_number_of_codes_is_rounded_to_two_digits():
    numbers = [
        (7, "about 7"),
        (99, "about 99"),
        (41_237, "about 41,000"),
        (5_159_780_352, "about 5,200,000,000"),
    ]
    for number, written in numbers:
        assert format_count(number, estimated=True) == written
    assert format_count(41_237) == "41,237"
    use_language("pl")
    assert format_count(41_237, estimated=True) == "około 41\N{NO-BREAK SPACE}000"


def test_a_game_is_shared_as_its_marks():
    match = play(game("2513", "1122", "2344", "2536", "2513"))
    assert format_share(match).splitlines() == [
        "Mastermind 4x6 · 4/12",
        "○○··",
        "●○··",
        "●●○·",
        "●●●●",
    ]
    assert format_share(match, ASCII_MARKS).splitlines() == [
        "Mastermind 4x6 - 4/12",
        "oo..",
        "Xo..",
        "XXo.",
        "XXXX",
    ]
    assert format_share(match, ASCII_MARKS).isascii()


def test_a_game_without_repeats_is_shared_with_its_sign():
    match = play(game("1234", "1243", "1234"), rules="bulls")
    assert format_share(match).splitlines()[:2] == ["Mastermind 4x10u · 2/12", "●●○○"]


def test_a_code_that_was_not_broken_has_a_cross_as_its_number():
    assert format_share(play(game("1234", "5555"))) == "Mastermind 4x6 · X/12\n····"
    assert format_share(play(game("1234", "1234"), rules="knuth")) == "Mastermind 4x6 · 1\n●●●●"


def test_a_shared_game_names_the_advice_taken():
    match = play(game("1234", "1234", advised=(1,)))
    assert format_share(match) == "Mastermind 4x6 · 1/12, with advice\n●●●●"


def test_each_round_names_its_codebreaker():
    match = play(game("1234", "1122", "1234"), game("1234", "1234"))
    assert format_share(match) == (
        "Mastermind 4x6 · Bob 2/12\n●○··\n●●●●\n\nMastermind 4x6 · Ada 1/12\n●●●●"
    )


CYRILLIC, GREEK = "кпинщз", "ργβυοπ"  # R G B Y O P at their places
FULL_WIDTH, ARABIC = "ＲＧＢＹＯＰ", "١٢٣٤٥٦"


@given(codes_of(RULES), st.sampled_from([CYRILLIC, GREEK, FULL_WIDTH, ARABIC, "RGBYOP"]), st.data())
@thorough
def test_a_code_may_be_typed_in_another_layout(code, symbols, data):
    cased = [data.draw(st.sampled_from([str.lower, str.upper]))(symbols[peg]) for peg in code]
    assert read_code(data.draw(st.sampled_from(" ,;-，　")).join(cased), RULES) == code


def test_a_refusal_names_the_symbol_as_typed():
    with pytest.raises(InvalidCode) as refused:
        read_code("кпиЖ", RULES)
    assert refused.value.values["symbol"] == "Ж"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rules", [*PRESETS.values(), find_rules("4x12")], ids=str)
def test_latin_letters_of_the_rules_and_pegs_are_the_same_in_every_language(language, rules):
    use_language(language)
    for colour, name in enumerate(rules.palette):
        for symbol in (name[0], *(alphabet[colour] for alphabet in rules.alphabets)):
            assert find_colour(symbol, rules) == find_colour(symbol.lower(), rules) == colour


@pytest.mark.parametrize(
    ("rules", "initials", "colours"),
    [
        # czerwony, zielony, niebieski, żółty, fioletowy; P is purple, not pomarańczowy
        ("classic", "cZnŻżFp", ["red", "green", "blue", "yellow", "yellow", "purple", "purple"]),
        ("lab", "cf", ["red", "purple"]),  # its codes are digits
        ("eight", "cfr", ["red", "violet", "red"]),  # R is red, not różowy
        ("4x7", "cf", ["cyan", "purple"]),  # C is cyan, not czerwony
    ],
)
def test_initials_of_the_language_are_colours_where_no_other_letter_is(rules, initials, colours):
    played = find_rules(rules)
    use_language("pl")
    read = [find_colour(each, played) for each in initials]
    assert read == [played.palette.index(colour) for colour in colours]
    use_language("en")
    assert find_colour("ż", played) is find_colour("f", played) is None


def test_an_initial_of_two_colours_is_neither():
    use_language("pl")  # fioletowy, fiołkowy
    rules = Rules("two", 4, 10, ("purple", "violet", "red"), ("PVR",))
    assert [find_colour(each, rules) for each in "fcv"] == [None, 2, 1]


@brief
@given(codes_of(RULES), st.lists(codes_of(RULES), max_size=4), st.permutations(range(6)))
def test_a_picture_does_not_reveal_the_code(secret, guesses, others):
    """The picture depends on the feedback alone, not on the colours."""

    def dye(code):
        return tuple(others[colour] for colour in code)

    def shared(secret, guesses):
        typed = [format_code(code, RULES) for code in (secret, *guesses)]
        return format_share(play(game(*typed)))

    while secret in guesses:
        guesses.remove(secret)
    told = shared(secret, guesses)
    assert told == shared(dye(secret), [dye(code) for code in guesses])
    body = told.partition("\n")[2]
    assert set(body) <= {*MARKS.black, *MARKS.white, *MARKS.no_peg, "\n"}
    for code in (secret, *guesses):
        assert not any(name in told for name in format_colours(code, RULES))
