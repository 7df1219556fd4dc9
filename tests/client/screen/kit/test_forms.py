from functools import partial

import pytest

from client.screen.looks import assert_fits, click, show
from mastermind_client.screen.kit.forms import (
    Form,
    Item,
    LinePrompt,
    action,
    choice,
    draw_about,
    draw_form,
    field,
    measure_form,
)
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.look.glyphs import ASCII

SIZE = Extent(42, 10)


class Order:
    """A form for tea, as a screen would have one."""

    def __init__(self) -> None:
        self.tea, self.guest = 0, ""
        self.done: list[str] = []
        self.asked: list[LinePrompt] = []
        self.sugar = True
        self.form = Form(self.build)

    def build(self) -> list[Item]:
        items = [
            action("brew", "Brew it", partial(self.done.append, "brewed"), "With water."),
            choice(
                "tea", "Tea", ["green", "black", "white"], self.tea, self.choose, about="Leaves."
            ),
            field(
                "guest", "Guest", self.guest, self.guest or "nobody", self.asked.append, self.seat
            ),
        ]
        if self.sugar:
            items.insert(1, action("sugar", "Sugar", partial(self.done.append, "sugared")))
        return items

    def choose(self, index: int) -> None:
        self.tea = index

    def seat(self, text: str) -> str | None:
        self.guest = text
        return None if text else "Somebody has to come."


@pytest.fixture
def order():
    return Order()


def test_enter_does_what_is_selected(order):
    order.form.press()
    order.form.move(1)
    order.form.press()
    assert order.done == ["brewed", "sugared"]


def test_left_and_right_change_a_choice_and_begin_again_after_the_last(order):
    order.form.select("tea")
    order.form.change(-1)
    assert order.tea == 2
    order.form.change(1)
    order.form.change(1)
    assert order.tea == 1


def test_enter_goes_on_to_the_next_choice(order):
    order.form.select("tea")
    order.form.press()
    assert order.tea == 1


def test_left_and_right_do_nothing_to_what_has_no_choice(order):
    order.form.change(1)
    assert (order.tea, order.done) == (0, [])


def test_enter_on_a_field_lets_its_value_be_typed(order):
    order.guest = "Ada"
    order.form.select("guest")
    order.form.press()
    (asked,) = order.asked
    assert (asked.label, asked.text) == ("Guest:", "Ada")
    assert asked.accept("") == "Somebody has to come."
    assert asked.accept("Bob") is None
    assert order.guest == "Bob"


def test_what_is_selected_stays_so_when_items_come_and_go(order):
    order.form.select("tea")
    order.sugar = False
    assert order.form.selected.name == "tea"
    order.sugar = True
    assert order.form.selected.name == "tea"


def test_when_the_selected_item_goes_its_neighbour_is_selected(order):
    order.form.select("sugar")
    order.sugar = False
    assert order.form.selected.name == "tea"


def test_it_tells_when_there_is_nowhere_to_go(order):
    assert not order.form.move(-1)
    order.form.last()
    assert order.form.selected.name == "guest"
    assert not order.form.move(1)
    order.form.first()
    assert order.form.selected.name == "brew"


def test_the_selected_row_has_a_mark_and_a_choice_has_arrows(order):
    order.form.select("tea")
    assert show(draw_form(order.form, SIZE, ASCII)) == [
        "  Brew it       With water.",
        "  Sugar",
        "> Tea         < green >           Leaves.",
        "  Guest         nobody",
    ]


def test_without_the_focus_no_row_has_a_mark(order):
    order.form.focused = False
    assert not any(line.startswith(">") for line in show(draw_form(order.form, SIZE, ASCII)))


def test_what_an_item_means_is_told_below_where_it_cannot_be_told_beside(order):
    assert "With water." in show(draw_form(order.form, SIZE, ASCII))[0]
    assert draw_about(order.form, 40, 2) == []

    assert "With water." not in show(draw_form(order.form, Extent(24, 10), ASCII))[0]
    assert show(draw_about(order.form, 24, 2)) == ["  With water."]


def test_a_field_is_given_what_was_typed_already(order):
    order.form.select("guest")
    edit = order.form.selected.edit
    assert edit is not None
    edit("B")
    edit("")
    begun, anew = order.asked
    assert (begun.text, begun.begun) == ("B", True)
    assert (anew.text, anew.begun) == ("", False)


def test_groups_have_headings_and_blank_lines_as_far_as_there_is_room():
    form = Form(
        lambda: [
            action("go", "Go", lambda: None, heading="On foot", key="1"),
            action("run", "Run", lambda: None, heading="On foot", key="2"),
            action("fly", "Fly", lambda: None, heading="By air", key="3"),
            action("fall", "Fall", lambda: None, heading="By air", key="4"),
        ]
    )
    form.focused = False

    def draw(rows: int, *, airy: bool = False) -> list[str]:
        return show(draw_form(form, Extent(40, rows), ASCII, airy=airy))

    assert measure_form(form.items) == 7
    assert draw(7) == ["On foot", "1 Go", "2 Run", "", "By air", "3 Fly", "4 Fall"]
    assert draw(6) == ["1 Go", "2 Run", "", "3 Fly", "4 Fall"]
    assert draw(4) == ["1 Go", "2 Run", "3 Fly", "4 Fall"]
    assert draw(2) == ["1 Go", "2 Run"]


def test_where_there_is_room_there_is_air_after_every_two():
    form = Form(lambda: [action(str(n), f"Do {n}", lambda: None) for n in range(4)])
    form.focused = False
    shown = show(draw_form(form, Extent(40, 9), ASCII, airy=True))
    assert shown == ["  Do 0", "  Do 1", "", "  Do 2", "  Do 3"]


@pytest.mark.parametrize("name", ["brew", "sugar", "tea", "guest"])
@pytest.mark.parametrize("size", [Extent(60, 1), Extent(60, 2), Extent(20, 3), Extent(8, 4)])
def test_it_stays_within_its_extent_and_shows_what_is_selected(order, name, size):
    order.form.select(name)
    lines = draw_form(order.form, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_a_click_does_what_enter_does(order):
    order.form.select("tea")
    click(draw_form(order.form, SIZE, ASCII), "Brew")
    assert order.done == ["brewed"]
    assert order.form.selected.name == "brew"


def test_a_click_on_an_arrow_changes_the_choice(order):
    order.form.select("tea")
    click(draw_form(order.form, SIZE, ASCII), "<")
    assert order.tea == 2
    click(draw_form(order.form, SIZE, ASCII), ">")
    assert order.tea == 0


def test_a_click_brings_the_focus_back():
    clicks: list[str] = []
    form = Form(lambda: [action("go", "Go", lambda: None)], lambda: clicks.append("here"))
    form.focused = False
    click(draw_form(form, SIZE, ASCII), "Go")
    assert form.focused
    assert clicks == ["here"]
