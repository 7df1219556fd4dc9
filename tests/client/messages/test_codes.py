import pytest

from kit.matches import pegs
from mastermind_client.colours import COLOURS
from mastermind_client.language import use_language
from mastermind_client.messages.codes import (
    name_colours,
    write_board,
    write_example,
    write_feedback,
)
from mastermind_protocol.code import parse_code
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import CUSTOM_PALETTE, PRESETS, find_rules


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
    ],
)
def test_feedback_is_in_the_presets_notation_and_in_words(rules, some, none):
    written = [
        write_feedback(feedback, find_rules(rules)) for feedback in (Feedback(1, 2), Feedback(0, 0))
    ]
    assert written == [some, none]


def test_a_whole_board_has_its_empty_rows():
    rules = find_rules("5x3/4")
    turns = [Turn(pegs("11233"), Feedback(2, 1))]
    row = " 1  R R G B B  2 black, 1 white"
    assert write_board(turns, rules, whole=False) == [row]
    assert write_board(turns, rules, whole=True) == [
        row,
        *(f" {number}  . . . . ." for number in (2, 3, 4)),
    ]
    assert write_board([], rules, whole=False) == []


@pytest.mark.parametrize(
    ("name", "example"),
    [("classic", "1122"), ("eight", "RRGG"), ("9x12", "RRGGBBYYO"), ("5x2", "RRGGR"), ("1x2", "R")],
)
def test_the_example_is_a_code_of_the_rules(name, example):
    assert write_example(find_rules(name)) == example
    parse_code(example, find_rules(name))


def test_every_colour_of_every_palette_has_a_name():
    palettes = [CUSTOM_PALETTE, *(rules.palette for rules in PRESETS.values())]
    assert {colour for palette in palettes for colour in palette} <= set(COLOURS)


def test_colours_and_feedback_are_in_the_readers_language():
    use_language("pl")
    rules = find_rules("thirteen")
    assert name_colours(pegs("16"), rules) == ["czerwony", "fioletowy"]
    assert write_feedback(Feedback(1, 2), rules) == "[X][O][O][ ]  czarne: 1, białe: 2"
    assert write_feedback(Feedback(1, 2), find_rules("mini")) == "czarne: 1, szare: 2, puste: 1"
