from collections.abc import Sequence
from functools import partial

import pytest

from client.screen.looks import LOOK, assert_fits, show
from kit.screen.seats import find
from kit.screen.stage import stage
from mastermind_client.columns import Column
from mastermind_client.screen.app import App
from mastermind_client.screen.pages.page import Page, Sheet, draw_sheet
from mastermind_client.screen.toolkit.lines import Extent, text
from mastermind_client.screen.toolkit.list_view import Item, ListView, action, bind_choice, row

SIZES = [Extent(60, 17), Extent(60, 18), Extent(80, 22), Extent(120, 38), Extent(300, 100)]


class Shop(Page):
    """A page with every part that pages can have."""

    columns = (Column("Thing", lambda thing, _zone: str(thing), "crop"),)

    def __init__(self, app: App) -> None:
        self.done: list[str] = []
        self.size = 0
        super().__init__(app)

    def sheet(self) -> Sheet:
        return make_sheet(self.view)

    def items(self) -> Sequence[Item]:
        return [
            action("buy", "Buy", lambda: self.done.append("bought"), "All of it."),
            bind_choice(self, "size", "Size", [(0, "small", "Few."), (1, "large", "Many.")]),
        ]


def make_sheet(view: ListView, *, listed: bool = True) -> Sheet:
    return Sheet(
        title="Shop",
        view=view,
        note="open",
        above=[[text("* * *")]],
        below=[[text("Thank you.")]],
        heading="In stock",
        columns=Shop.columns if listed else (),
        message="There is nothing left.",
    )


def fill(shop: Shop, number: int) -> None:
    shop.view.rows = make_rows(shop.done, number)


def make_rows(done: list[str], number: int) -> list[Item]:
    return [
        row(f"thing{count}", (f"Thing {count}",), partial(done.append, f"thing{count}"))
        for count in range(number)
    ]


def make_view(items: int = 2, rows: int = 0) -> ListView:
    view = ListView(
        lambda: [action(f"do{count}", f"Do {count}", lambda: None) for count in range(items)]
    )
    view.rows = make_rows([], rows)
    return view


@pytest.fixture
async def shown():
    async with stage(opening=Shop) as shown:
        yield shown


def test_a_page_shows_its_title_then_its_form_then_its_table():
    shown = show(draw_sheet(make_sheet(make_view(rows=1)), Extent(30, 18), LOOK))
    assert shown == [
        "Shop                      open",
        "",
        "* * *",
        "",
        "",
        "> Do 0",
        "  Do 1",
        "",
        "",
        "Thank you.",
        "",
        "In stock",
        "  Thing",
        "  Thing 0",
    ]


@pytest.mark.parametrize(("has_table", "place"), [(True, -1), (False, 2)])
def test_a_page_without_rows_shows_its_message(has_table, place):
    shown = show(draw_sheet(make_sheet(make_view(), listed=has_table), Extent(30, 18), LOOK))
    assert shown[place] == "There is nothing left."


@pytest.mark.parametrize("extent", SIZES)
@pytest.mark.parametrize("items", [1, 5, 14, 40])
@pytest.mark.parametrize("rows", [0, 3, 200])
def test_a_page_fits_every_extent_and_shows_the_selected_item(extent, items, rows):
    view = make_view(items, rows)
    view.select(f"do{items - 1}")
    lines = draw_sheet(make_sheet(view), extent, LOOK)
    assert_fits(lines, extent)
    assert any(f"> Do {items - 1}" in line for line in show(lines))
    if rows:
        assert any("Thing 0" in line for line in show(lines))


async def test_down_moves_from_the_form_into_the_table_and_up_moves_back(shown):
    shop = shown.on(Shop)
    fill(shop, 3)
    shown.press("down", "down", "down", "enter")
    await shown.until(lambda: shop.done == ["thing1"])
    shown.press("up", "up", "up", "enter")
    await shown.until(lambda: shop.done == ["thing1", "bought"])


async def test_home_end_and_the_page_keys_move_in_the_table(shown):
    shop = shown.on(Shop)
    fill(shop, 30)
    shown.press("pagedown", "end", "enter", "pagedown", "enter", "home", "enter")
    shown.press("pagedown", "pageup", "enter")
    await shown.until(lambda: shop.done == ["thing29", "thing29", "thing0", "thing0"])
    shown.press("pageup", "end", "enter")  # from the form it is the end of the table, too
    await shown.until(lambda: shop.done[-1] == "thing29")
    shown.press("home", "up", "home", "enter")
    await shown.until(lambda: shop.done[-1] == "bought")


async def test_the_form_gets_the_focus_when_the_table_becomes_empty(shown):
    shop = shown.on(Shop)
    fill(shop, 3)
    shown.press("pagedown")
    await shown.until(lambda: shop.view.selected.cells)
    fill(shop, 0)
    shown.app.redraw()
    await shown.until(lambda: not shop.view.selected.cells)
    shown.press("enter")
    await shown.until("The selected row is no longer in the list.")
    assert shop.done == []
    shown.press("home", "enter")
    await shown.until(lambda: shop.done == ["bought"])


async def test_enter_first_selects_the_row_that_replaced_the_selected_one(shown):
    shop = shown.on(Shop)
    fill(shop, 4)
    shown.press("pagedown")
    await shown.until(lambda: shop.view.selected.cells)
    shop.view.rows = shop.view.rows[1:]
    shown.press("enter")
    await shown.until("The selected row is no longer in the list.")
    assert shop.done == []
    shown.press("enter")
    await shown.until(lambda: shop.done == ["thing1"])
    shop.view.rows = shop.view.rows[1:]
    shown.press("down", "enter")
    await shown.until(lambda: shop.done == ["thing1", "thing3"])


async def test_the_wheel_moves_in_the_table_or_without_one_in_the_form(shown):
    shop = shown.on(Shop)
    shown.app.scroll(1)
    assert shop.view.selected.name == "size"
    fill(shop, 9)
    shown.app.scroll(3)
    shown.press("enter")
    await shown.until(lambda: shop.done == ["thing3"])


async def test_a_click_moves_the_focus(shown):
    shop = shown.on(Shop)
    fill(shop, 3)
    shown.app.redraw()
    await shown.until("Thing 1")
    place = find(shown, "Thing 1")
    shown.click(*place)
    await shown.until(lambda: shop.view.selected.cells)
    shown.click(*place)
    await shown.until(lambda: shop.done == ["thing1"])
    shown.click(14, 5)
    await shown.until(lambda: shop.done == ["thing1", "bought"])
    assert not shop.view.selected.cells


async def test_hints_name_left_and_right_on_a_choice_only(shown):
    assert "→ change" not in shown.text().splitlines()[-1]
    shown.press("down", "down", "down")  # Down stays in the form while the table is empty
    await shown.until("→ change")
    shown.press("right")
    await shown.until(lambda: shown.on(Shop).size == 1)
