import pytest
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from mastermind_client.screen.toolkit.canvas import Canvas
from mastermind_client.screen.toolkit.lines import Extent, Line

COLUMNS, ROWS = 8, 3


class Painting:
    """Lines on a canvas as prompt_toolkit draws them, and a record of clicks."""

    def __init__(self, *lines: Line) -> None:
        self.lines = lines
        self.extents: list[Extent] = []
        self.scrolled: list[int] = []
        self.canvas = Canvas(self.draw, self.scrolled.append)
        self.paint()

    def draw(self, extent: Extent) -> tuple[Line, ...]:
        self.extents.append(extent)
        return self.lines

    def paint(self) -> None:
        self.screen, self.mouse = Screen(), MouseHandlers()
        place = WritePosition(xpos=0, ypos=0, width=COLUMNS, height=ROWS)
        self.canvas.write_to_screen(self.screen, self.mouse, place, "", erase_bg=False, z_index=0)

    def read(self, row: int) -> list[str]:
        """Return the content of each cell of a row."""
        return [self.screen.data_buffer[row][column].char for column in range(COLUMNS)]

    def report(self, column: int, row: int, event: MouseEventType) -> object:
        """Send a mouse event to a cell, and return the handler's result."""
        place = Point(x=column, y=row)
        happened = MouseEvent(place, event, MouseButton.LEFT, frozenset())
        return self.mouse.mouse_handlers[row][column](happened)


def test_lines_are_drawn_with_their_styles():
    painting = Painting([("class:a", "ab"), ("", "c")], [], [("", "d")])
    assert [painting.read(row) for row in range(ROWS)] == [
        ["a", "b", "c", *" " * 5],
        [*" " * 8],
        ["d", *" " * 7],
    ]
    assert [painting.screen.data_buffer[0][column].style for column in (0, 1, 2)] == [
        "class:a",
        "class:a",
        "",
    ]
    assert painting.extents == [(COLUMNS, ROWS)]
    assert painting.screen.height == ROWS


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ("a名b", ["a", "名", "", "b"]),
        ("e\N{COMBINING ACUTE ACCENT}b", ["e\N{COMBINING ACUTE ACCENT}", "b"]),
        ("名\N{COMBINING ACUTE ACCENT}b", ["名\N{COMBINING ACUTE ACCENT}", "", "b"]),
        ("\N{COMBINING ACUTE ACCENT}ab", ["a", "b"]),
        ("abcdefghijk", [*"abcdefgh"]),
        ("a\x1bb", ["a", "^[", "", "b"]),
    ],
)
def test_a_character_takes_as_many_cells_as_its_width(words, cells):
    assert Painting([("", words)]).read(0) == cells + [" "] * (COLUMNS - len(cells))


def test_lines_below_the_last_row_are_not_drawn():
    line: Line = [("", "a")]
    assert ROWS not in Painting(*[line] * (ROWS + 1)).screen.data_buffer


def test_the_next_drawing_restores_an_overwritten_row():
    painting = Painting([("", "abc")])
    painting.screen.data_buffer[0].clear()
    painting.paint()
    assert painting.read(0)[:3] == ["a", "b", "c"]


def test_releasing_the_left_button_calls_the_cells_handler():
    done: list[str] = []
    line: Line = [("", "名"), ("", "名", lambda: done.append("wide")), ("", "b", lambda: None)]
    painting = Painting(line)
    for column in range(COLUMNS):
        assert painting.report(column, 0, MouseEventType.MOUSE_DOWN) is NotImplemented
        known = painting.report(column, 0, MouseEventType.MOUSE_UP) is not NotImplemented
        assert known == (2 <= column <= 4), column
    assert painting.report(2, 2, MouseEventType.MOUSE_UP) is NotImplemented  # below the lines
    assert done == ["wide", "wide"]


def test_the_wheel_scrolls_at_every_cell():
    painting = Painting([("", "a")])
    painting.report(7, 2, MouseEventType.SCROLL_DOWN)
    painting.report(0, 0, MouseEventType.SCROLL_UP)
    assert painting.scrolled == [1, -1]
