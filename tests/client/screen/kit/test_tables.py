import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import assert_fits, click, show
from kit.strategies import brief
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.kit.list_view import Item, ListView, row
from mastermind_client.screen.kit.tables import Column, draw_table, fit_columns
from mastermind_client.screen.look.glyphs import ASCII

COLUMNS: list[Column] = [("Name", "crop"), ("Town", "crop"), ("Code", "drop")]
SIZE = Extent(40, 6)


def people(number: int) -> list[Item]:
    return [
        row(f"P{count}", (f"Person {count}", "London", f"AB{count}"), lambda: None)
        for count in range(number)
    ]


def make_view(number: int, selected: str) -> ListView:
    view = ListView(list)
    view.rows = people(number)
    view.select(selected, listed=True)
    return view


def test_arrows_show_that_more_rows_exist():
    shown = show(draw_table(make_view(20, "P5"), COLUMNS, SIZE, ASCII))
    assert [line.split()[-1] for line in (shown[1], shown[-1])] == ["^", "v"]


@pytest.mark.parametrize("key", ["P0", "P7", "P19"])
@pytest.mark.parametrize("size", [Extent(60, 4), Extent(16, 8), Extent(10, 2), Extent(300, 90)])
def test_a_table_fits_its_extent_and_shows_the_selected_row(key, size):
    lines = draw_table(make_view(20, key), COLUMNS, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_a_click_selects_a_row():
    view = make_view(3, "P0")
    click(draw_table(view, COLUMNS, SIZE, ASCII), "Person 2")
    assert view.selected.name == "P2"


@pytest.mark.parametrize(
    ("town", "room", "widths"),
    [
        ("London", 34, [18, 6, 6]),
        ("London", 22, [6, 6, 6]),
        ("London", 21, [13, 6, 0]),
        ("Llanfairpwll", 36, [14, 12, 6]),
        ("Llanfairpwll", 30, [10, 10, 6]),
    ],
)
def test_the_longest_text_is_cropped_first_and_then_a_column_is_dropped(town, room, widths):
    rows = [row("a", ("A name that is very long", town, "AB1234"), lambda: None)]
    assert fit_columns(COLUMNS, rows, room) == widths


@brief
@given(
    st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=5),
    st.integers(14, 80),
)
def test_columns_fit_every_content(cells, room):
    columns: list[Column] = [("Name", "crop"), ("Town", "drop")]
    rows = [row(str(key), cell, lambda: None) for key, cell in enumerate(cells)]
    widths = fit_columns(columns, rows, room)
    assert sum(widths) + 2 * (widths.count(0) == 0) <= room
