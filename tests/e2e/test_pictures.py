"""The pictures of the README: what is drawn, and that they are of the program as it is."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyte
import pytest

from display import DimScreen

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
NAMESPACE = "{http://www.w3.org/2000/svg}"
SVG: dict[str, Any] = runpy.run_path(str(PICTURES / "svg.py"))
write_svg: Callable[[pyte.Screen, str], str] = SVG["write_svg"]


def show(text: str, columns: int = 24, rows: int = 3) -> pyte.Screen:
    """Return a screen that a text has been written to, as a terminal is sent it."""
    screen = DimScreen(columns, rows)
    pyte.Stream(screen).feed(text)
    return screen


def read_svg(picture: str) -> list[str]:
    """Return the rows of a picture, from where its texts are and how long they are."""
    root = ElementTree.fromstring(picture)  # noqa: S314 - we have just written it
    cells: dict[tuple[int, int], str] = {}
    for text in root.iter(f"{NAMESPACE}text"):
        words = text.text or ""
        left, baseline = int(text.attrib["x"]), int(text.attrib["y"])
        row, over = divmod(baseline - SVG["BASELINE"] - SVG["MARGIN"], SVG["ROW"])
        column, rest = divmod(left - SVG["MARGIN"], SVG["COLUMN"])
        assert (over, rest) == (0, 0)
        assert int(text.attrib["textLength"]) == len(words) * SVG["COLUMN"]
        cells |= {(row, column + place): letter for place, letter in enumerate(words)}
    rows, columns = (max(place) + 1 for place in zip(*cells, strict=True))
    lines = ["".join(cells.get((row, at), " ") for at in range(columns)) for row in range(rows)]
    return [line.rstrip() for line in lines]


def test_a_picture_has_every_letter_where_the_screen_has_it():
    screen = show(" 1  R   <&>\r\n\r\n   ●○·· a  b")
    assert read_svg(write_svg(screen, "a board")) == [" 1  R   <&>", "", "   ●○·· a  b"]


def test_a_picture_has_the_colours_of_the_screen_and_its_attributes():
    picture = write_svg(
        show("\x1b[38;2;0;0;0;48;2;255;255;0;1m Y \x1b[0m \x1b[7mtitle\x1b[0m \x1b[4mline"), "<>"
    )
    assert '<rect x="12" y="12" width="27" height="18" fill="#ffff00"/>' in picture
    assert 'class="b" style="fill:#000000">Y</text>' in picture
    assert f'<rect x="48" y="12" width="45" height="18" fill="{SVG["FOREGROUND"]}"/>' in picture
    assert f'style="fill:{SVG["BACKGROUND"]}">title</text>' in picture
    assert 'class="u">line</text>' in picture
    assert "<title>&lt;&gt;</title>" in picture


def test_a_picture_draws_blocks_and_frames_where_every_font_would_have_gaps():
    picture = write_svg(show("\x1b[38;2;255;255;0m▀▀▀▐\x1b[0m ───╮"), "a tile")
    assert '<rect x="12" y="12" width="27" height="9" fill="#ffff00"/>' in picture
    assert '<rect x="43.5" y="12" width="4.5" height="18" fill="#ffff00"/>' in picture
    assert '<path d="M0 9H27" ' in picture
    assert "<text" not in picture


def test_a_picture_has_what_is_dim_and_no_colour_for_it():
    picture = write_svg(show("\x1b[0;38;2;5;2;2;2m 4\x1b[0;38;5;2mok"), "a number")
    assert 'class="d" style="fill:#050202">4</text>' in picture
    assert '">ok</text>' in picture
    assert picture.count('class="d"') == 1


def test_a_picture_needs_nothing_from_elsewhere():
    picture = write_svg(show("hello"), "hello")
    assert picture.count("http") == 1  # the name of what it is
    assert "href" not in picture


def test_a_colour_that_is_a_themes_own_is_refused():
    with pytest.raises(ValueError, match="red"):
        write_svg(show("\x1b[31mred"), "")


def test_the_pictures_are_of_the_program_as_it_is(tmp_path):
    kept = {path.stem: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    make: Callable[..., dict[str, str]] = runpy.run_path(str(PICTURES / "render.py"))[
        "make_pictures"
    ]
    assert make(tmp_path, kept) == kept  # if the program is to be another one: make pictures
