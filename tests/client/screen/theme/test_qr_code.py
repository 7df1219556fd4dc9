from dataclasses import replace

import numpy as np
import pytest
import zxingcpp
from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.glyphs import UNICODE
from mastermind_client.screen.theme.qr_code import QUIET_ZONE, draw_qr_code
from mastermind_client.screen.toolkit.lines import Line, width

LINK = "https://play.example.org/K7M2QX"
LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
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
