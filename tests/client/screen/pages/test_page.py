from collections.abc import Sequence

import pytest

from client.screen.looks import LOOK, assert_fits, show
from kit.screen.stage import Stage, stage
from mastermind_client.screen.app import App
from mastermind_client.screen.kit.forms import Form, Item, action, choice
from mastermind_client.screen.kit.lines import Extent, text
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.page import Page, Sheet, draw_sheet

SIZES = [Extent(60, 17), Extent(60, 18), Extent(80, 22), Extent(120, 38), Extent(300, 100)]


class Shop(Page):
    """A page with every part that pages can have."""

    def __init__(self, app: App) -> None:
        self.done: list[str] = []
        self.size = 0
        super().__init__(app, DataTable(lambda: [Column("Thing")], self.done.append))

    def sheet(self) -> Sheet:
        return make_sheet(self.form, self.table)

    def items(self) -> Sequence[Item]:
        def choose(index: int) -> None:
            self.size = index

        return [
            action("buy", "Buy", lambda: self.done.append("bought"), "All of it."),
            choice("size", "Size", ["small", "large"], self.size, choose, about="Of each."),
        ]


def choose_nothing(_key: str) -> None:
    return


def make_sheet(form: Form, table: DataTable | None = None) -> Sheet:
    return Sheet(
        title="Shop",
        form=form,
        note="open",
        above=[[text("* * *")]],
        below=[[text("Thank you.")]],
        heading="In stock",
        table=table,
        message="There is nothing left.",
    )


def fill(shop: Shop, number: int) -> None:
    assert shop.table is not None
    shop.table.fill([TableRow(f"thing{count}", (f"Thing {count}",)) for count in range(number)])


def shop_of(shown: Stage) -> Shop:
    return shown.on(Shop)


def make_form(number: int = 2) -> Form:
    return Form(
        lambda: [action(f"do{count}", f"Do {count}", lambda: None) for count in range(number)]
    )


def test_a_page_has_its_form_below_its_title_and_its_table_below_the_form():
    table = DataTable(lambda: [Column("Thing")], choose_nothing)
    table.fill([TableRow("a", ("Apple",))])
    shown = show(draw_sheet(make_sheet(make_form(), table), Extent(30, 18), LOOK))
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
        "  Apple",
    ]


def test_where_there_are_no_rows_there_is_the_message():
    table = DataTable(lambda: [Column("Thing")], choose_nothing)
    shown = show(draw_sheet(make_sheet(make_form(), table), Extent(30, 18), LOOK))
    assert shown[-1] == "There is nothing left."


def test_without_a_table_the_message_comes_first():
    shown = show(draw_sheet(make_sheet(make_form()), Extent(30, 18), LOOK))
    assert shown[2] == "There is nothing left."


@pytest.mark.parametrize("extent", SIZES)
@pytest.mark.parametrize("items", [1, 5, 14, 40])
@pytest.mark.parametrize("rows", [0, 3, 200])
def test_every_page_stays_within_its_extent_and_shows_what_is_selected(extent, items, rows):
    form, table = make_form(items), DataTable(lambda: [Column("Thing")], choose_nothing)
    table.fill([TableRow(str(row), (f"Thing {row}",)) for row in range(rows)])
    form.last()
    lines = draw_sheet(make_sheet(form, table), extent, LOOK)
    assert_fits(lines, extent)
    assert any(f"> Do {items - 1}" in line for line in show(lines))
    if rows:
        assert any("Thing 0" in line for line in show(lines))


async def test_down_goes_on_from_the_form_into_the_table_and_up_comes_back():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        fill(shop, 3)
        shown.press("down", "down", "down", "enter")
        await shown.until(lambda: shop.done == ["thing1"])
        shown.press("up", "up", "up", "enter")
        await shown.until(lambda: shop.done == ["thing1", "bought"])


async def test_down_stays_in_the_form_while_there_is_nothing_in_the_table():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        shown.press("down", "down", "down", "right")
        await shown.until("< large >" if shown.app.look.glyphs.left == "<" else "large")
        assert shop.size == 1


async def test_home_end_and_the_pages_go_through_the_table():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        fill(shop, 30)
        shown.press("pagedown", "end", "enter", "pagedown", "enter", "home", "enter")
        shown.press("pagedown", "pageup", "enter")
        await shown.until(lambda: shop.done == ["thing29", "thing29", "thing0", "thing0"])
        shown.press("pageup", "end", "enter")  # from the form it is the end of the table, too
        await shown.until(lambda: shop.done[-1] == "thing29")
        shown.press("home", "up", "home", "enter")
        await shown.until(lambda: shop.done[-1] == "bought")


async def test_keys_go_back_to_the_form_when_the_table_is_emptied():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        fill(shop, 3)
        shown.press("pagedown")
        await shown.until(lambda: not shop.form.focused)
        fill(shop, 0)
        shown.app.redraw()
        await shown.until(lambda: shop.form.focused)
        shown.press("enter")
        await shown.until("What was selected has gone from the list.")
        assert shop.done == []
        shown.press("enter")
        await shown.until(lambda: shop.done == ["bought"])


async def test_what_took_the_place_of_the_selected_row_is_not_chosen_unseen():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        assert shop.table is not None
        fill(shop, 3)
        shown.press("pagedown")
        await shown.until(lambda: not shop.form.focused)
        shop.table.fill(shop.table.rows[1:])
        shown.press("enter")
        await shown.until("What was selected has gone from the list.")
        assert shop.done == []
        shown.press("enter")
        await shown.until(lambda: shop.done == ["thing1"])


async def test_whoever_goes_on_to_another_row_chooses_that_one_at_once():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        assert shop.table is not None
        fill(shop, 3)
        shown.press("pagedown")
        await shown.until(lambda: not shop.form.focused)
        shop.table.fill(shop.table.rows[1:])
        shown.press("down", "enter")
        await shown.until(lambda: shop.done == ["thing2"])
        shop.table.fill(shop.table.rows[:1])
        shown.press("up", "up", "enter")
        await shown.until(lambda: shop.done[-1] != "thing2")
        assert shop.form.focused


async def test_the_wheel_goes_through_the_table_or_through_the_form():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        shown.app.scroll(1)
        assert shop.form.selected.name == "size"
        fill(shop, 9)
        shown.app.scroll(3)
        shown.press("enter")
        await shown.until(lambda: shop.done == ["thing3"])


async def test_a_click_takes_the_keys_to_where_it_is():
    async with stage(opening=Shop) as shown:
        shop = shop_of(shown)
        fill(shop, 3)
        shown.app.redraw()
        await shown.until("Thing 1")
        row = next(
            number for number, line in enumerate(shown.text().splitlines()) if "Thing 1" in line
        )
        shown.click(14, row)
        await shown.until(lambda: not shop.form.focused)
        shown.click(14, row)
        await shown.until(lambda: shop.done == ["thing1"])
        shown.click(14, 5)
        await shown.until(lambda: shop.done == ["thing1", "bought"])
        assert shop.form.focused


async def test_left_and_right_are_offered_only_where_they_change_something():
    async with stage(opening=Shop) as shown:
        assert "→ change" not in shown.text().splitlines()[-1]
        shown.press("down")
        await shown.until("→ change")
