from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType

from mastermind_client.screen.kit.canvas import ROWS_KEPT, Canvas
from mastermind_client.screen.kit.lines import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

    from mastermind_client.screen.kit.lines import Extent, Line


class Easel:
    """A canvas whose lines a test changes, on a screen of prompt_toolkit's own."""

    def __init__(self, lines: Sequence[Line], columns: int = 20, rows: int = 5) -> None:
        self.lines: Sequence[Line] = lines
        self.columns, self.rows = columns, rows
        self.extents: list[Extent] = []
        self.scrolled: list[int] = []
        self.screen, self._mouse = Screen(), MouseHandlers()
        self.canvas = Canvas(self._draw, self.scrolled.append)

    def paint(self, *, left: int = 0, top: int = 0) -> None:
        self.screen, self._mouse = Screen(), MouseHandlers()
        position = WritePosition(left, top, self.columns, self.rows)
        self.canvas.write_to_screen(self.screen, self._mouse, position, "", False, None)

    def row(self, y: int) -> str:
        return "".join(self.screen.data_buffer[y][x].char for x in range(self.columns)).rstrip()

    def point(
        self,
        x: int,
        y: int,
        kind: MouseEventType = MouseEventType.MOUSE_UP,
        button: MouseButton = MouseButton.LEFT,
    ) -> NotImplementedOrNone:
        handler = self._mouse.mouse_handlers[y][x]
        return handler(MouseEvent(Point(x, y), kind, button, frozenset()))

    def _draw(self, extent: Extent) -> Sequence[Line]:
        self.extents.append(extent)
        return self.lines


def test_lines_are_painted_in_their_styles() -> None:
    easel = Easel([[("class:a", "ab"), ("class:b", "c")], [], text("last")])

    easel.paint()

    assert [easel.row(y) for y in range(4)] == ["abc", "", "last", ""]
    assert [easel.screen.data_buffer[0][x].style for x in range(4)] == ["class:a"] * 2 + [
        "class:b",
        "",
    ]
    assert easel.extents == [(20, 5)]
    assert easel.canvas.painted == 1


def test_no_more_lines_are_painted_than_there_are_rows() -> None:
    easel = Easel([text(str(number)) for number in range(9)], rows=3)

    easel.paint()

    assert [easel.row(y) for y in range(5)] == ["0", "1", "2", "", ""]


def test_a_row_is_painted_anew_only_when_it_has_changed() -> None:
    easel = Easel([text("title"), text("first")])
    easel.paint()
    title, first = (easel.screen.data_buffer[y] for y in range(2))

    easel.lines = [text("title"), text("second")]
    easel.paint()

    assert easel.screen.data_buffer[0] is title
    assert easel.screen.data_buffer[1] is not first
    assert [easel.row(y) for y in range(2)] == ["title", "second"]


def test_the_same_words_in_another_style_are_another_row() -> None:
    easel = Easel([text("title", "class:a")])
    easel.paint()

    easel.lines = [text("title", "class:b")]
    easel.paint()

    assert easel.screen.data_buffer[0][0].style == "class:b"


def test_only_so_many_rows_are_kept_and_those_in_use_are_among_them() -> None:
    easel = Easel([text("always"), text("0")])
    easel.paint()
    always, first = (easel.screen.data_buffer[y] for y in range(2))

    for number in range(ROWS_KEPT + 1):
        easel.lines = [text("always"), text(str(number))]
        easel.paint()
    assert easel.screen.data_buffer[0] is always

    easel.lines = [text("always"), text("0")]
    easel.paint()
    assert easel.screen.data_buffer[1] is not first


def test_a_wide_letter_takes_two_cells_and_a_mark_none() -> None:
    easel = Easel([text("名e\u0301x")])

    easel.paint()

    cells = [easel.screen.data_buffer[0][x].char for x in range(5)]
    assert cells == ["名", "", "e\u0301", "x", " "]


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ("か\u3099x", ["か\u3099", "", "x"]),
        ("\u0301x", ["x", " ", " "]),
        ("e\u0301\u0323x", ["e\u0301\u0323", "x", " "]),
    ],
)
def test_a_mark_belongs_to_the_letter_before_it(words: str, cells: list[str]) -> None:
    easel = Easel([text(words)])

    easel.paint()

    assert [easel.screen.data_buffer[0][x].char for x in range(3)] == cells


def test_a_click_does_what_belongs_to_the_fragment_under_it() -> None:
    clicked: list[str] = []
    line: Line = [
        ("", "名 "),  # three columns
        ("", "red", lambda: clicked.append("red")),
        ("", " "),
        ("", "green", lambda: clicked.append("green")),
    ]
    easel = Easel([text("title"), line])
    easel.paint()

    for x in (3, 5, 7, 11):
        assert easel.point(x, 1) is None
    for x, y in ((2, 1), (6, 1), (12, 1), (3, 0), (3, 2)):
        assert easel.point(x, y) is NotImplemented

    assert clicked == ["red", "red", "green", "green"]


def test_only_letting_go_of_the_left_button_is_a_click() -> None:
    clicked: list[str] = []
    easel = Easel([[("", "red", lambda: clicked.append("red"))]])
    easel.paint()

    assert easel.point(0, 0, MouseEventType.MOUSE_DOWN) is NotImplemented
    assert easel.point(0, 0, MouseEventType.MOUSE_MOVE) is NotImplemented
    assert easel.point(0, 0, button=MouseButton.RIGHT) is NotImplemented
    assert clicked == []


@pytest.mark.parametrize(("x", "y"), [(0, 0), (10, 0), (10, 4)])
def test_the_wheel_scrolls_wherever_it_is_turned(x: int, y: int) -> None:
    easel = Easel([[("", "red", lambda: None)]])
    easel.paint()

    assert easel.point(x, y, MouseEventType.SCROLL_UP, MouseButton.NONE) is None
    assert easel.point(x, y, MouseEventType.SCROLL_DOWN, MouseButton.NONE) is None

    assert easel.scrolled == [-1, 1]


def test_nothing_can_be_clicked_where_the_canvas_is_not() -> None:
    clicked: list[str] = []
    easel = Easel([[("", "red", lambda: clicked.append("red"))]], columns=10, rows=2)
    easel.paint()

    assert easel.point(10, 0) is NotImplemented
    assert easel.point(0, 2, MouseEventType.SCROLL_UP) is NotImplemented
    assert not clicked
    assert not easel.scrolled


def test_the_canvas_takes_all_the_room_there_is_and_has_no_keys() -> None:
    canvas = Easel([]).canvas
    canvas.reset()

    assert canvas.preferred_width(80).preferred == 80
    assert canvas.preferred_height(80, 24).preferred == 24
    assert canvas.get_children() == []
    assert canvas.get_key_bindings() is None
