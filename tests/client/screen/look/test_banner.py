from itertools import combinations

from mastermind_client.screen.look.banner import COLUMNS, LETTERS, ROWS
from mastermind_protocol.events import MATCH_CODE_ALPHABET

LEAST_DIFFERENCES = 5  # cells of 35, so that a slip of the eye does not make one letter another


def test_the_letters_are_those_of_match_codes():
    assert set(LETTERS) == set(MATCH_CODE_ALPHABET)


def test_all_letters_have_the_same_size():
    for letter, rows in LETTERS.items():
        assert len(rows) == ROWS, letter
        assert {len(row) for row in rows} == {COLUMNS}, letter


def test_every_two_letters_differ_clearly():
    for one, other in combinations(MATCH_CODE_ALPHABET, 2):
        cells = zip("".join(LETTERS[one]), "".join(LETTERS[other]), strict=True)
        assert sum(here != there for here, there in cells) >= LEAST_DIFFERENCES, one + other
