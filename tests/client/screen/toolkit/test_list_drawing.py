import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import assert_fits, click, show
from kit.strategies import brief
from mastermind_client.columns import Column, Fit
from mastermind_client.screen.theme.look import ASCII
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_client.screen.toolkit.list_drawing import (
    draw_about,
    draw_form,
    draw_table,
    fit_columns,
    measure_form,
)
from mastermind_client.screen.toolkit.list_view import (
    Item,
    ListView,
    action,
    bind_choice,
    field,
    row,
)
from mastermind_client.screen.toolkit.overlays import LinePrompt

SIZE = Extent(42, 10)


class Order:
    """A form for tea, as a screen would have one."""

    def __init__(self) -> None:
        self.tea, self.guest = 0, ""
        self.done: list[str] = []
        self.asked: list[LinePrompt] = []
        self.sugar = True
        self.view = ListView(self.build)

    def build(self) -> list[Item]:
        items = [
            action("brew", "Brew it", partial(self.done.append, "brewed"), "With water."),
            bind_choice(
                self,
                "tea",
                "Tea",
                [(0, "green", "Leaves."), (1, "black", "Leaves."), (2, "white", "Buds.")],
            ),
            field(
                "guest", "Guest", self.guest, self.guest or "nobody", self.asked.append, self.seat
            ),
        ]
        if self.sugar:
            items.insert(1, action("sugar", "Sugar", partial(self.done.append, "sugared")))
        return items

    def seat(self, text: str) -> str | None:
        self.guest = text
        return None if text else "Somebody has to come."


@pytest.fixture
def order():
    return Order()


def test_left_and_right_change_a_choice_and_wrap(order):
    order.view.select("tea")
    order.view.change(-1)
    assert order.tea == 2
    order.view.change(1)
    order.view.change(1)
    assert order.tea == 1


def test_enter_on_a_field_opens_a_prompt(order):
    order.guest = "Ada"
    order.view.select("guest")
    order.view.press()
    (asked,) = order.asked
    assert (asked.label, asked.text) == ("Guest:", "Ada")
    assert asked.accept("") == "Somebody has to come."
    assert asked.accept("Bob") is None
    assert order.guest == "Bob"


def test_no_item_of_the_form_is_marked_while_a_row_is_selected(order):
    order.view.rows = [row("cup", ("Cup",), lambda: None)]
    order.view.select_last()
    assert not any(line.startswith(">") for line in show(draw_form(order.view, SIZE, ASCII)))


def test_a_description_moves_below_a_narrow_form(order):
    assert "With water." in show(draw_form(order.view, SIZE, ASCII))[0]
    assert draw_about(order.view, 40, 2) == []
    assert "With water." not in show(draw_form(order.view, Extent(24, 10), ASCII))[0]
    assert show(draw_about(order.view, 24, 2)) == ["  With water."]


def test_a_field_prompt_starts_with_the_typed_text(order):
    order.view.select("guest")
    edit = order.view.selected.edit
    assert edit is not None
    edit("B")
    edit("")
    begun, anew = order.asked
    assert (begun.text, begun.begun) == ("B", True)
    assert (anew.text, anew.begun) == ("", False)


def test_headings_and_blank_lines_disappear_when_rows_are_few():
    form = ListView(
        lambda: [
            action("go", "Go", lambda: None, heading="On foot", key="1"),
            action("run", "Run", lambda: None, heading="On foot", key="2"),
            action("fly", "Fly", lambda: None, heading="By air", key="3"),
            action("fall", "Fall", lambda: None, heading="By air", key="4"),
        ]
    )
    form.rows = [row("swim", ("Swim",), lambda: None)]
    form.select_last()

    def draw(rows: int, *, airy: bool = False) -> list[str]:
        return show(draw_form(form, Extent(40, rows), ASCII, airy=airy))

    assert measure_form(form.form) == 7
    assert draw(7) == ["On foot", "1 Go", "2 Run", "", "By air", "3 Fly", "4 Fall"]
    assert draw(6) == ["1 Go", "2 Run", "", "3 Fly", "4 Fall"]
    assert draw(4) == ["1 Go", "2 Run", "3 Fly", "4 Fall"]
    assert draw(2) == ["1 Go", f"{'2 Run':<39}v"]


def test_an_airy_form_has_a_blank_line_after_every_two_items():
    form = ListView(lambda: [action(str(n), f"Do {n}", lambda: None) for n in range(4)])
    shown = show(draw_form(form, Extent(40, 9), ASCII, airy=True))
    assert shown == ["> Do 0", "  Do 1", "", "  Do 2", "  Do 3"]


def test_a_form_that_is_cut_has_an_arrow_where_items_are_hidden():
    view = Order().view

    view.select_last()
    assert show(draw_form(view, SIZE._replace(rows=2), ASCII))[0].endswith("^")


@pytest.mark.parametrize("name", ["brew", "sugar", "tea", "guest"])
@pytest.mark.parametrize("size", [Extent(60, 1), Extent(60, 2), Extent(20, 3), Extent(8, 4)])
def test_a_form_fits_its_extent_and_shows_the_selected_item(order, name, size):
    order.view.select(name)
    lines = draw_form(order.view, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_a_click_activates_an_item(order):
    order.view.select("tea")
    click(draw_form(order.view, SIZE, ASCII), "Brew")
    assert order.done == ["brewed"]
    assert order.view.selected.name == "brew"


def test_a_click_on_an_arrow_changes_the_choice(order):
    order.view.select("tea")
    click(draw_form(order.view, SIZE, ASCII), "<")
    assert order.tea == 2
    click(draw_form(order.view, SIZE, ASCII), ">")
    assert order.tea == 0


def make_column(title: str, fit: Fit, *, right: bool = False) -> Column[object]:
    return Column(title, lambda entry, _zone: str(entry), fit, right)


COLUMNS = [make_column("Name", "crop"), make_column("Town", "crop"), make_column("Code", "drop")]
TABLE = Extent(40, 6)


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
    shown = show(draw_table(make_view(20, "P5"), COLUMNS, TABLE, ASCII))
    assert [line.split()[-1] for line in (shown[1], shown[-1])] == ["^", "v"]


@pytest.mark.parametrize("key", ["P0", "P7", "P19"])
@pytest.mark.parametrize("size", [Extent(60, 4), Extent(16, 8), Extent(10, 2), Extent(300, 90)])
def test_a_table_fits_its_extent_and_shows_the_selected_row(key, size):
    lines = draw_table(make_view(20, key), COLUMNS, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_a_pinned_row_outside_the_visible_part_is_drawn_below():
    pressed: list[str] = []
    pinned = row("P15", ("Person 15", "Paris", "15"), partial(pressed.append, "P15"))
    lines = draw_table(make_view(20, "P5"), COLUMNS, TABLE, ASCII, pinned)
    shown = show(lines)
    assert len(lines) == TABLE.rows
    assert shown[-2].strip() == ASCII.ellipsis
    assert "Person 15" in shown[-1]
    assert "selected" in lines[-1][0][0]
    click(lines, "Person 15")
    assert pressed == ["P15"]


def test_a_visible_pinned_row_is_reversed_in_its_place():
    pinned = row("P5", ("Person 5", "Paris", "5"), lambda: None)
    lines = draw_table(make_view(20, "P6"), COLUMNS, TABLE, ASCII, pinned)
    assert [ASCII.ellipsis in line for line in show(lines)[-2:]] == [False, False]
    reversed_ = [line for line in lines if "selected" in line[0][0]]
    assert [re.findall(r"Person \d", line) for line in show(reversed_)] == [
        ["Person 5"],
        ["Person 6"],
    ]


def test_a_right_column_and_its_title_end_in_one_column():
    view = ListView(list)
    view.rows = [row(name, (name, name), lambda: None) for name in ("7", "1000")]
    columns = [make_column("A", "keep"), make_column("B", "keep", right=True)]
    lines = show(draw_table(view, columns, TABLE, ASCII))
    assert lines == ["  A        B", "> 7        7", "  1000  1000"]


def test_a_click_selects_a_row():
    view = make_view(3, "P0")
    click(draw_table(view, COLUMNS, TABLE, ASCII), "Person 2")
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
    columns = [make_column("Name", "crop"), make_column("Town", "drop")]
    rows = [row(str(key), cell, lambda: None) for key, cell in enumerate(cells)]
    widths = fit_columns(columns, rows, room)
    assert sum(widths) + 2 * (widths.count(0) == 0) <= room
