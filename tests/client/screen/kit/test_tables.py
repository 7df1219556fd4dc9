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


def test_rows_stand_below_their_titles():
    assert show(draw_table(Visitors().table, SIZE, ASCII)) == [
        "  Name      Town    Code",
        "> Person 0  London  AB0",
        "  Person 1  London  AB1",
        "  Person 2  London  AB2",
    ]


def test_an_arrow_says_that_there_is_more():
    visitors = Visitors(20)
    visitors.table.select("P5")
    shown = show(draw_table(visitors.table, SIZE, ASCII))
    assert [line.split()[-1] for line in (shown[1], shown[-1])] == ["^", "v"]


@pytest.mark.parametrize("key", ["P0", "P7", "P19"])
@pytest.mark.parametrize("size", [Extent(60, 4), Extent(16, 8), Extent(10, 2), Extent(300, 90)])
def test_it_stays_within_its_extent_and_shows_what_is_selected(key, size):
    visitors = Visitors(20)
    visitors.table.select(key)
    lines = draw_table(visitors.table, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_enter_chooses_the_selected_row():
    visitors = Visitors()
    visitors.table.move(1)
    visitors.table.press()
    assert visitors.chosen == ["P1"]


def test_nothing_can_be_chosen_of_nothing():
    visitors = Visitors(0)
    visitors.table.press()
    visitors.table.first()
    visitors.table.last()
    assert (visitors.chosen, visitors.table.selected) == ([], None)


def test_whoever_reaches_the_end_is_given_more():
    visitors = Visitors(3)
    visitors.table.move(1)
    assert visitors.ends == 0
    visitors.table.last()
    assert visitors.ends == 1
    visitors.table.fill(people(6))
    assert visitors.selected == "P2"
    visitors.table.page(1)
    assert visitors.ends == 1


def test_a_page_is_what_is_seen():
    visitors = Visitors(20)
    draw_table(visitors.table, SIZE, ASCII)
    visitors.table.page(1)
    assert visitors.selected == "P4"


def test_what_is_selected_stays_so_when_the_list_is_another():
    visitors = Visitors(5)
    visitors.table.select("P3")
    visitors.table.fill(people(5)[2:])
    assert visitors.selected == "P3"
    visitors.table.fill(people(2))
    assert visitors.selected == "P1"


def test_what_took_the_place_of_the_selected_row_is_selected_before_it_is_chosen():
    visitors = Visitors(5)
    visitors.table.select("P1")
    visitors.table.fill([row for row in people(5) if row.key != "P1"])
    assert not any(line.startswith(">") for line in show(draw_table(visitors.table, SIZE, ASCII)))
    visitors.table.press()
    assert (visitors.chosen, visitors.selected) == ([], "P2")
    assert any(
        line.startswith("> Person 2") for line in show(draw_table(visitors.table, SIZE, ASCII))
    )
    visitors.table.press()
    assert visitors.chosen == ["P2"]


def test_a_click_on_what_took_the_place_of_the_selected_row_selects_it_first():
    visitors = Visitors(5)
    visitors.table.select("P1")
    visitors.table.fill([row for row in people(5) if row.key != "P1"])
    click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
    assert visitors.chosen == []
    click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
    assert visitors.chosen == ["P2"]


def test_nothing_is_lost_by_whoever_is_not_at_the_table():
    visitors = Visitors(5)
    visitors.table.focused = False
    visitors.table.fill(people(5)[2:])
    assert not visitors.table.lost


def test_a_click_selects_a_row_and_another_one_chooses_it():
    visitors = Visitors()
    visitors.table.focused = False
    click(draw_table(visitors.table, SIZE, ASCII), "Person 0")
    assert (visitors.selected, visitors.table.focused, visitors.chosen) == ("P0", True, [])
    click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
    assert (visitors.selected, visitors.chosen) == ("P2", [])
    click(draw_table(visitors.table, SIZE, ASCII), "Person 2")
    assert visitors.chosen == ["P2"]


def test_long_texts_are_cropped_before_a_column_is_left_out():
    rows = [TableRow("a", ("A name that is very long", "London", "AB1234"))]
    assert fit_columns(COLUMNS, rows, 34) == [18, 6, 6]
    assert fit_columns(COLUMNS, rows, 22) == [6, 6, 6]
    assert fit_columns(COLUMNS, rows, 21) == [13, 6, 0]


def test_what_is_longest_is_cropped_first():
    rows = [TableRow("a", ("A name that is very long", "Llanfairpwll", "AB1234"))]
    assert fit_columns(COLUMNS, rows, 36) == [14, 12, 6]
    assert fit_columns(COLUMNS, rows, 30) == [10, 10, 6]


@brief
@given(
    st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=5),
    st.integers(14, 80),
)
def test_whatever_is_in_them_the_columns_fit(cells, room):
    columns = [Column("Name"), Column("Town", spare=1)]
    widths = fit_columns(
        columns, [TableRow(str(key), cell) for key, cell in enumerate(cells)], room
    )
    assert sum(widths) + 2 * (widths.count(0) == 0) <= room
