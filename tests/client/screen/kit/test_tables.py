import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import assert_fits, click, show
from kit.strategies import brief
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow, draw_table, fit_columns
from mastermind_client.screen.look.glyphs import ASCII

COLUMNS = [Column("Name"), Column("Town"), Column("Code", spare=1, rigid=True)]
SIZE = Extent(40, 6)


def people(number: int) -> list[TableRow]:
    return [
        TableRow(f"P{count}", (f"Person {count}", "London", f"AB{count}"))
        for count in range(number)
    ]


class Visitors:
    """A table that records the chosen rows and counts the visits to its end."""

    def __init__(self, number: int = 3) -> None:
        self.chosen: list[str] = []
        self.ends = 0
        self.table = DataTable(lambda: COLUMNS, self.chosen.append, self.reach_end)
        self.table.fill(people(number))
        self.table.focused = True

    def reach_end(self) -> None:
        self.ends += 1

    @property
    def selected(self) -> str:
        assert self.table.selected is not None
        return self.table.selected.key


def test_arrows_show_that_more_rows_exist():
    visitors = Visitors(20)
    visitors.table.select("P5")
    shown = show(draw_table(visitors.table, SIZE, ASCII))
    assert [line.split()[-1] for line in (shown[1], shown[-1])] == ["^", "v"]


@pytest.mark.parametrize("key", ["P0", "P7", "P19"])
@pytest.mark.parametrize("size", [Extent(60, 4), Extent(16, 8), Extent(10, 2), Extent(300, 90)])
def test_a_table_fits_its_extent_and_shows_the_selected_row(key, size):
    visitors = Visitors(20)
    visitors.table.select(key)
    lines = draw_table(visitors.table, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_an_empty_table_has_no_selection():
    visitors = Visitors(0)
    visitors.table.press()
    visitors.table.first()
    visitors.table.last()
    assert (visitors.chosen, visitors.table.selected) == ([], None)


def test_reaching_the_end_requests_more_rows():
    visitors = Visitors(3)
    visitors.table.move(1)
    assert visitors.ends == 0
    visitors.table.last()
    assert visitors.ends == 1
    visitors.table.fill(people(6))
    assert visitors.selected == "P2"
    visitors.table.page(1)
    assert visitors.ends == 1


def test_a_page_moves_by_the_visible_rows():
    visitors = Visitors(20)
    draw_table(visitors.table, SIZE, ASCII)
    visitors.table.page(1)
    assert visitors.selected == "P4"


def test_the_selection_survives_a_new_list():
    visitors = Visitors(5)
    visitors.table.select("P3")
    visitors.table.fill(people(5)[2:])
    assert visitors.selected == "P3"
    visitors.table.fill(people(2))
    assert visitors.selected == "P1"


def test_enter_first_selects_the_row_that_replaced_the_selected_one():
    visitors = Visitors(5)
    visitors.table.select("P1")
    visitors.table.fill([row for row in people(5) if row.key != "P1"])

    def marked() -> list[str]:
        return [line for line in show(draw_table(visitors.table, SIZE, ASCII)) if line[0] == ">"]

    assert not marked()
    visitors.table.press()
    assert (visitors.chosen, visitors.selected) == ([], "P2")
    assert marked()[0].startswith("> Person 2")
    visitors.table.press()
    assert visitors.chosen == ["P2"]


def test_a_click_first_selects_the_row_that_replaced_the_selected_one():
    visitors = Visitors(5)
    visitors.table.select("P1")
    visitors.table.fill([row for row in people(5) if row.key != "P1"])
    for chosen in ([], ["P2"]):
        click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
        assert visitors.chosen == chosen


def test_a_table_without_focus_does_not_report_a_lost_row():
    visitors = Visitors(5)
    visitors.table.focused = False
    visitors.table.fill(people(5)[2:])
    assert not visitors.table.lost


def test_a_click_selects_a_row_and_a_second_click_chooses_it():
    visitors = Visitors()
    visitors.table.focused = False
    click(draw_table(visitors.table, SIZE, ASCII), "Person 0")
    assert (visitors.selected, visitors.table.focused, visitors.chosen) == ("P0", True, [])
    click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
    assert (visitors.selected, visitors.chosen) == ("P2", [])
    click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
    assert visitors.chosen == ["P2"]


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
    rows = [TableRow("a", ("A name that is very long", town, "AB1234"))]
    assert fit_columns(COLUMNS, rows, room) == widths


@brief
@given(
    st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=5),
    st.integers(14, 80),
)
def test_columns_fit_every_content(cells, room):
    columns = [Column("Name"), Column("Town", spare=1)]
    widths = fit_columns(
        columns, [TableRow(str(key), cell) for key, cell in enumerate(cells)], room
    )
    assert sum(widths) + 2 * (widths.count(0) == 0) <= room
