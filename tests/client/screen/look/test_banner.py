from itertools import combinations

import pytest

from mastermind_client.config.settings import Glyphs
from mastermind_client.screen.kit.lines import width
from mastermind_client.screen.look import Look
from mastermind_client.screen.look.banner import COLUMNS, LETTERS, ROWS, draw_banner
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH

LEAST_COLUMNS = 60  # of any terminal
LEAST_DIFFERENCES = 5  # cells of 35, so that a slip of the eye does not make one letter another


def make_look(glyphs: Glyphs) -> Look:
    return Look.choose("default", "auto", glyphs, {"TERM": "xterm"}, "utf-8")


def test_every_letter_of_a_match_code_is_drawn_and_no_other():
    assert set(LETTERS) == set(MATCH_CODE_ALPHABET)


def test_all_letters_are_of_one_size():
    for letter, rows in LETTERS.items():
        assert len(rows) == ROWS, letter
        assert {len(row) for row in rows} == {COLUMNS}, letter


def test_no_letter_can_be_taken_for_another():
    for one, other in combinations(MATCH_CODE_ALPHABET, 2):
        cells = zip("".join(LETTERS[one]), "".join(LETTERS[other]), strict=True)
        assert sum(here != there for here, there in cells) >= LEAST_DIFFERENCES, one + other


def test_the_longest_match_code_fits_the_smallest_terminal():
    widest = MATCH_CODE_ALPHABET[:MATCH_CODE_LENGTH]
    assert all(width(line) <= LEAST_COLUMNS for line in draw_banner(widest, make_look("unicode")))


def test_letters_are_blocks_and_numbers_signs_where_there_are_only_ascii_characters():
    blocks = ["".join(part[1] for part in line) for line in draw_banner("HT", make_look("unicode"))]
    signs = ["".join(part[1] for part in line) for line in draw_banner("HT", make_look("ascii"))]
    assert blocks == [
        "██   ██  ███████",
        "██   ██    ███  ",
        "███████    ███  ",
        "██   ██    ███  ",
        "██   ██    ███  ",
    ]
    assert signs == [row.replace("█", "#") for row in blocks]


def test_what_is_in_no_match_code_has_no_letter():
    with pytest.raises(KeyError, match="O"):
        draw_banner("O", make_look("ascii"))
