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


def test_left_and_right_change_a_choice_and_wrap(order):
    order.form.select("tea")
    order.form.change(-1)
    assert order.tea == 2
    order.form.change(1)
    order.form.change(1)
    assert order.tea == 1


def test_enter_on_a_field_opens_a_prompt(order):
    order.guest = "Ada"
    order.form.select("guest")
    order.form.press()
    (asked,) = order.asked
    assert (asked.label, asked.text) == ("Guest:", "Ada")
    assert asked.accept("") == "Somebody has to come."
    assert asked.accept("Bob") is None
    assert order.guest == "Bob"


def test_the_selection_survives_other_items(order):
    order.form.select("tea")
    order.sugar = False
    assert order.form.selected.name == "tea"
    order.sugar = True
    assert order.form.selected.name == "tea"


def test_removing_the_selected_item_selects_its_neighbour(order):
    order.form.select("sugar")
    order.sugar = False
    assert order.form.selected.name == "tea"


def test_move_returns_whether_the_selection_moved(order):
    assert not order.form.move(-1)
    order.form.last()
    assert order.form.selected.name == "guest"
    assert not order.form.move(1)
    order.form.first()
    assert order.form.selected.name == "brew"


def test_a_form_without_focus_marks_no_item(order):
    order.form.focused = False
    assert not any(line.startswith(">") for line in show(draw_form(order.form, SIZE, ASCII)))


def test_a_description_moves_below_a_narrow_form(order):
    assert "With water." in show(draw_form(order.form, SIZE, ASCII))[0]
    assert draw_about(order.form, 40, 2) == []
    assert "With water." not in show(draw_form(order.form, Extent(24, 10), ASCII))[0]
    assert show(draw_about(order.form, 24, 2)) == ["  With water."]


def test_a_field_prompt_starts_with_the_typed_text(order):
    order.form.select("guest")
    edit = order.form.selected.edit
    assert edit is not None
    edit("B")
    edit("")
    begun, anew = order.asked
    assert (begun.text, begun.begun) == ("B", True)
    assert (anew.text, anew.begun) == ("", False)


def test_headings_and_blank_lines_disappear_when_rows_are_few():
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


def test_an_airy_form_has_a_blank_line_after_every_two_items():
    form = Form(lambda: [action(str(n), f"Do {n}", lambda: None) for n in range(4)])
    form.focused = False
    shown = show(draw_form(form, Extent(40, 9), ASCII, airy=True))
    assert shown == ["  Do 0", "  Do 1", "", "  Do 2", "  Do 3"]


@pytest.mark.parametrize("name", ["brew", "sugar", "tea", "guest"])
@pytest.mark.parametrize("size", [Extent(60, 1), Extent(60, 2), Extent(20, 3), Extent(8, 4)])
def test_a_form_fits_its_extent_and_shows_the_selected_item(order, name, size):
    order.form.select(name)
    lines = draw_form(order.form, size, ASCII)
    assert_fits(lines, size)
    assert sum(line.startswith(">") for line in show(lines)) == 1


def test_a_click_activates_an_item(order):
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


def test_a_click_focuses_the_form():
    clicks: list[str] = []
    form = Form(lambda: [action("go", "Go", lambda: None)], lambda: clicks.append("here"))
    form.focused = False
    click(draw_form(form, SIZE, ASCII), "Go")
    assert form.focused
    assert clicks == ["here"]
