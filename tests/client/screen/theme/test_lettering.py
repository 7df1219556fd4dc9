from itertools import combinations

from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import show
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.glyphs import UNICODE
from mastermind_client.screen.theme.lettering import (
    DIGIT_ROWS,
    DIGITS,
    LETTER_COLUMNS,
    LETTER_ROWS,
    LETTERS,
    draw_digits,
)
from mastermind_protocol.events import MATCH_CODE_ALPHABET

LEAST_DIFFERENCES = 5  # cells of 35, so that a slip of the eye does not make one letter another


def test_the_letters_are_those_of_match_codes():
    assert set(LETTERS) == set(MATCH_CODE_ALPHABET)


def test_all_letters_have_the_same_size():
    for letter, rows in LETTERS.items():
        assert len(rows) == LETTER_ROWS, letter
        assert {len(row) for row in rows} == {LETTER_COLUMNS}, letter


def test_every_two_letters_differ_clearly():
    for one, other in combinations(MATCH_CODE_ALPHABET, 2):
        cells = zip("".join(LETTERS[one]), "".join(LETTERS[other]), strict=True)
        assert sum(here != there for here, there in cells) >= LEAST_DIFFERENCES, one + other


LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)


def test_a_time_is_three_rows_of_half_blocks():
    assert show(draw_digits("04:12", LOOK)) == [
        "█▀█ █ █ ▄ ▀█  ▀▀█",
        "█ █ ▀▀█ ▄  █  █▀▀",
        "▀▀▀   ▀   ▀▀▀ ▀▀▀",
    ]


def test_every_digit_is_unique():
    assert set(DIGITS) == {*"0123456789:.!"}
    assert len(set(DIGITS.values())) == len(DIGITS)
    for rows in DIGITS.values():
        assert len(rows) == DIGIT_ROWS
        assert len({len(row) for row in rows}) == 1


def test_ascii_digits_are_plain():
    assert show(draw_digits("4:0", PLAIN)) == ["", "4:0", ""]
