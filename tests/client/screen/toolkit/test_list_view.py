from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import click, show
from kit.strategies import thorough
from mastermind_client.columns import Column
from mastermind_client.screen.theme.look import ASCII
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_client.screen.toolkit.list_drawing import draw_table
from mastermind_client.screen.toolkit.list_view import NO_ITEM, Item, ListView, action, row

numbers = st.integers(-5, 60)
operations: st.SearchStrategy[Callable[["Office"], object]] = st.one_of(
    st.builds(lambda count: lambda office: office.fill(range(count)), st.integers(0, 50)),
    st.builds(lambda count: lambda office: office.set_form(count), st.integers(0, 3)),
    st.builds(lambda index: lambda office: office.view.select(f"P{index}", listed=True), numbers),
    st.builds(lambda step: lambda office: office.view.move(step), numbers),
    st.builds(lambda step: lambda office: office.view.scroll(step), numbers),
    st.builds(
        lambda direction: lambda office: office.view.move_by_page(direction),
        st.sampled_from([-1, 1]),
    ),
    st.builds(lambda rows: lambda office: office.view.find_visible(rows, listed=True), numbers),
)

PLAIN: list[Column[object]] = [Column("", lambda person, _zone: str(person))]


class Office:
    """A view of a form and of visitors; it records what is pressed and the visits to its end."""

    def __init__(self, visitors: int = 0, form: int = 2) -> None:
        self.done: list[str] = []
        self.ends = 0
        self.set_form(form)
        self.view = ListView(lambda: self.form, self.on_last_row)
        self.fill(range(visitors))

    def set_form(self, count: int) -> None:
        self.form = [
            action(f"F{index}", f"Do {index}", lambda: None, live=index == 1)
            for index in range(count)
        ]

    def fill(self, visitors: range | list[int]) -> None:
        self.view.rows = [self.make_row(f"P{index}") for index in visitors]

    def make_row(self, name: str) -> Item:
        return row(name, (f"Person {name}",), lambda: self.done.append(name))

    def on_last_row(self) -> None:
        self.ends += 1

    @property
    def selected(self) -> str:
        return self.view.selected.name

    def see(self, rows: int = 5) -> list[str]:
        seen = self.view.find_visible(rows, listed=True)
        return [seen.items[index].name for index in seen.visible]


@thorough
@given(st.lists(operations), st.integers(1, 30))
def test_the_selected_item_exists_and_is_visible_after_every_operation(done, room):
    office = Office()
    for operation in done:
        operation(office)
    view = office.view
    parts = [view.find_visible(room, listed=listed) for listed in (False, True)]
    for part in parts:
        assert len(part.visible) == min(len(part.items), room)
    selected = [part.items[part.selected] for part in parts if part.selected is not None]
    assert selected == ([] if view.selected is NO_ITEM else [view.selected])
    assert all(part.selected in (None, *part.visible) for part in parts)
    assert (view.selected is NO_ITEM) is (view.is_lost or not view.items)


def test_down_moves_from_the_form_into_the_rows_and_up_moves_back():
    office = Office(2)
    seen = [office.selected]
    for step in (1, 1, 1, 1, -1, -1):
        office.view.move(step)
        seen.append(office.selected)
    assert seen == ["F0", "F1", "P0", "P1", "P1", "P0", "F1"]


def test_the_rows_scroll_as_little_as_possible():
    office = Office(20)
    office.view.select("P4", listed=True)
    assert office.see() == ["P0", "P1", "P2", "P3", "P4"]
    office.view.move(1)
    assert office.see() == ["P1", "P2", "P3", "P4", "P5"]
    office.view.move(-3)
    assert office.see() == ["P1", "P2", "P3", "P4", "P5"]


def test_a_page_keeps_one_visible_row_and_leads_back_to_the_form():
    office = Office(20)
    office.see(6)
    seen = []
    for direction in (-1, 1, 1, -1, -1, -1):
        office.view.move_by_page(direction)
        seen.append(office.selected)
    assert seen == ["F0", "P0", "P5", "P0", "F1", "F1"]


def test_the_view_stays_full_when_rows_are_removed():
    office = Office(20)
    office.view.select_last()
    office.see()
    office.fill(range(7))
    office.view.select_last()
    assert office.see() == ["P2", "P3", "P4", "P5", "P6"]


def test_the_selection_survives_other_items():
    office = Office(5)
    office.view.select("P3", listed=True)
    office.set_form(3)
    office.fill([2, 3, 4])
    assert office.selected == "P3"
    office.view.select_first()
    assert office.selected == "P2"


def test_a_removed_item_that_is_not_live_selects_its_neighbour():
    office = Office(form=3)
    office.view.select("F2")
    office.set_form(2)
    assert office.selected == "F1"


def test_an_item_and_a_row_of_one_name_are_told_apart():
    office = Office(2)
    office.form.append(action("P1", "Do P1", lambda: None))
    office.view.select_last()
    assert office.view.selected is office.view.rows[1]


@pytest.mark.parametrize("removed", [1, 4])
def test_enter_first_selects_the_neighbour_of_a_row_that_vanished(removed):
    office = Office(5)
    office.view.select(f"P{removed}", listed=True)
    office.fill([index for index in range(5) if index != removed])
    neighbour = "P2" if removed == 1 else "P3"

    def list_marked() -> list[str]:
        lines = show(draw_table(office.view, PLAIN, Extent(40, 6), ASCII))
        return [line.strip("> ") for line in lines if line[0] == ">"]

    assert list_marked() == []
    assert not office.view.press()
    assert (office.done, list_marked()) == ([], [f"Person {neighbour}"])
    assert office.view.press()
    assert office.done == [neighbour]


def test_enter_presses_no_item_when_all_rows_or_a_live_item_vanished():
    office = Office(3, form=1)
    office.view.select_last()
    office.fill([])
    assert not office.view.press()
    assert office.selected == "F0"
    office.set_form(2)
    office.view.select_last()
    office.set_form(1)
    assert not office.view.press()
    assert office.view.press()


def test_a_click_selects_a_row_and_a_second_click_presses_it():
    office = Office(5)
    office.view.select("P1", listed=True)
    office.fill([0, 2, 3, 4])  # the selection is lost
    for done in ([], ["P2"]):
        click(draw_table(office.view, PLAIN, Extent(40, 6), ASCII), "Person P2")
        assert (office.selected, office.done) == ("P2", done)


def test_selecting_the_last_row_requests_more():
    office = Office(3)
    office.view.scroll(1)
    assert office.ends == 0
    office.view.select_last()
    assert office.ends == 1
    office.fill(range(6))
    assert office.selected == "P2"
    office.view.move_by_page(1)
    assert office.ends == 1


def test_an_empty_view_has_no_selection():
    office = Office(0, form=0)
    office.view.select_first()
    office.view.select_last()
    assert office.view.press()
    assert office.view.selected is NO_ITEM
