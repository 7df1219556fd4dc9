from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import zxingcpp
from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import show
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.lettering import (
    DIGIT_ROWS,
    LARGE_DIGITS,
    LARGE_LETTERS,
    LETTER_COLUMNS,
    LETTER_ROWS,
    QUIET_ZONE,
    draw_digits,
    draw_qr_code,
)
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import Line, width
from mastermind_protocol.events import MATCH_CODE_ALPHABET

LEAST_DIFFERENCES = 5  # cells of 35, so that a slip of the eye does not make one letter another


def test_the_letters_are_those_of_match_codes():
    assert set(LARGE_LETTERS) == set(MATCH_CODE_ALPHABET)


def test_all_letters_have_the_same_size():
    for letter, rows in LARGE_LETTERS.items():
        assert len(rows) == LETTER_ROWS, letter
        assert {len(row) for row in rows} == {LETTER_COLUMNS}, letter


def test_every_two_letters_differ_clearly():
    for one, other in combinations(MATCH_CODE_ALPHABET, 2):
        cells = zip("".join(LARGE_LETTERS[one]), "".join(LARGE_LETTERS[other]), strict=True)
        assert sum(here != there for here, there in cells) >= LEAST_DIFFERENCES, one + other


LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)


def test_a_time_is_three_rows_of_half_blocks():
    assert show(draw_digits("04:12", LOOK)) == [
        "█▀█ █ █ ▄ ▀█  ▀▀█",
        "█ █ ▀▀█ ▄  █  █▀▀",
        "▀▀▀   ▀   ▀▀▀ ▀▀▀",
    ]


def test_every_digit_is_unique():
    assert set(LARGE_DIGITS) == {*"0123456789:.!"}
    assert len(set(LARGE_DIGITS.values())) == len(LARGE_DIGITS)
    for rows in LARGE_DIGITS.values():
        assert len(rows) == DIGIT_ROWS
        assert len({len(row) for row in rows}) == 1


def test_ascii_digits_are_plain():
    assert show(draw_digits("4:0", PLAIN)) == ["", "4:0", ""]


LINK = "https://play.example.org/K7M2QX"
INKED = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}  # halves of a cell, from above
PIXELS = 4  # per module


def paint(lines: list[Line], look: Look) -> np.ndarray:
    """Return the picture in a dark terminal: 0 is black and 255 is white."""
    rows: list[list[int]] = []
    for line in lines:
        halves: list[list[int]] = [[], []]
        for fragment in line:
            style = look.style().get_attrs_for_style_str(fragment[0])
            ink, ground = int(style.color or "ffffff", 16), int(style.bgcolor or "000000", 16)
            if style.reverse:
                ink, ground = ground, ink
            for sign in fragment[1]:
                for half, inked in zip(halves, INKED[sign], strict=True):
                    half.append((ink if inked else ground) & 255)
        rows += halves
    return np.kron(np.array(rows, np.uint8), np.ones((PIXELS, PIXELS), np.uint8))


@pytest.mark.parametrize("link", [LINK, "http://192.168.0.7:8765/K7M2QX", LINK + "x" * 50])
def test_a_decoder_reads_the_link_without_inverting_the_picture(link):
    picture = np.pad(paint(draw_qr_code(link, LOOK), LOOK), PIXELS)
    (found,) = zxingcpp.read_barcodes(picture, try_invert=False)
    assert found.text == link


def test_a_dark_terminal_without_colours_shows_the_same_picture():
    lines = draw_qr_code(LINK, LOOK)
    attributes = LOOK.style().get_attrs_for_style_str(lines[0][0][0])
    assert attributes.reverse
    assert (attributes.color, attributes.bgcolor) == ("ffffff", "000000")


def test_the_picture_has_a_quiet_zone_and_half_as_many_rows_as_columns():
    lines = draw_qr_code(LINK, LOOK)
    (columns,) = {width(line) for line in lines}
    assert len(lines) == (columns + 1) // 2
    edge = " " * QUIET_ZONE
    assert all(line[0][1].startswith(edge) and line[0][1].endswith(edge) for line in lines)
    assert not "".join(lines[0][0][1]).strip()


def test_ascii_has_no_picture():
    assert draw_qr_code(LINK, PLAIN) == []
    assert draw_qr_code(LINK, replace(PLAIN, depth=ColorDepth.DEPTH_24_BIT)) == []
