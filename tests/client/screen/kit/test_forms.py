from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from client.screen.looks import assert_fits, click, show
from mastermind_client.screen.kit.forms import (
    Form,
    Item,
    action,
    choice,
    draw_about,
    draw_form,
    field,
    fits_inline,
)
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.look.glyphs import ASCII

if TYPE_CHECKING:
    from mastermind_client.screen.kit.forms import LinePrompt

SIZE = Extent(40, 10)


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
def order() -> Order:
    return Order()


def test_enter_does_what_is_selected(order: Order) -> None:
    order.form.press()
    order.form.move(1)
    order.form.press()
    assert order.done == ["brewed", "sugared"]


def test_left_and_right_change_a_choice_and_begin_again_after_the_last(order: Order) -> None:
    order.form.select("tea")
    order.form.change(-1)
    assert order.tea == 2
    order.form.change(1)
    order.form.change(1)
    assert order.tea == 1


def test_enter_goes_on_to_the_next_choice(order: Order) -> None:
    order.form.select("tea")
    order.form.press()
    assert order.tea == 1


def test_left_and_right_do_nothing_to_what_has_no_choice(order: Order) -> None:
    order.form.change(1)
    assert (order.tea, order.done) == (0, [])


def test_enter_on_a_field_lets_its_value_be_typed(order: Order) -> None:
    order.guest = "Ada"
    order.form.select("guest")
    order.form.press()
    (asked,) = order.asked
    assert (asked.label, asked.text) == ("Guest:", "Ada")
    assert asked.accept("") == "Somebody has to come."
    assert asked.accept("Bob") is None
    assert order.guest == "Bob"


def test_what_is_selected_stays_so_when_items_come_and_go(order: Order) -> None:
    order.form.select("tea")
    order.sugar = False
    assert order.form.selected.name == "tea"
    order.sugar = True
    assert order.form.selected.name == "tea"


def test_when_the_selected_item_goes_its_neighbour_is_selected(order: Order) -> None:
    order.form.select("sugar")
    order.sugar = False
    assert order.form.selected.name == "tea"


def test_it_tells_when_there_is_nowhere_to_go(order: Order) -> None:
    assert not order.form.move(-1)
    order.form.last()
    assert order.form.selected.name == "guest"
    assert not order.form.move(1)
    order.form.first()
    assert order.form.selected.name == "brew"


def test_the_selected_row_has_a_mark_and_a_choice_has_arrows(order: Order) -> None:
    order.form.select("tea")
    assert show(draw_form(order.form, SIZE, ASCII)) == [
        "  Brew it     With water.",
        "  Sugar",
        "> Tea         < green >",
        "  Guest         nobody",
    ]


def test_without_the_focus_no_row_has_a_mark(order: Order) -> None:
    order.form.focused = False
    assert not any(line.startswith(">") for line in show(draw_form(order.form, SIZE, ASCII)))


def test_what_an_item_does_is_told_below_where_it_cannot_be_told_beside(order: Order) -> None:
    assert show(draw_form(order.form, SIZE, ASCII, inline=False))[0] == "> Brew it"
    assert show(draw_about(order.form, 40, 2)) == ["  With water."]
    assert fits_inline(order.build(), 40)
    assert not fits_inline(order.build(), 24)


@pytest.mark.parametrize("name", ["brew", "sugar", "tea", "guest"])
@pytest.mark.parametrize("size", [Extent(60, 1), Extent(60, 2), Extent(20, 3), Extent(8, 4)])
def test_it_stays_within_its_extent_and_shows_what_is_selected(
    order: Order, name: str, size: Extent
) -> None:
    order.form.select(name)
    lines = draw_form(order.form, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_a_click_does_what_enter_does(order: Order) -> None:
    order.form.select("tea")
    click(draw_form(order.form, SIZE, ASCII), "Brew")
    assert order.done == ["brewed"]
    assert order.form.selected.name == "brew"


def test_a_click_on_an_arrow_changes_the_choice(order: Order) -> None:
    order.form.select("tea")
    click(draw_form(order.form, SIZE, ASCII), "<")
    assert order.tea == 2
    click(draw_form(order.form, SIZE, ASCII), ">")
    assert order.tea == 0


def test_a_click_brings_the_focus_back() -> None:
    clicks: list[str] = []
    form = Form(lambda: [action("go", "Go", lambda: None)], lambda: clicks.append("here"))
    form.focused = False
    click(draw_form(form, SIZE, ASCII), "Go")
    assert form.focused
    assert clicks == ["here"]
