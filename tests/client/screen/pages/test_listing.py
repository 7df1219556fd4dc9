import asyncio
from collections.abc import Sequence

from kit.screen.slate import Slate
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.screen.app import App
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages import listing
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.screen.places.places import Place
from mastermind_protocol.errors import ErrorCode, Refused


class Shelf(ListPage):
    """A list of one row, which arrives once `ready` is set, unless `refusal` is."""

    def __init__(self, app: App, address: str = OFFLINE) -> None:
        self.asked = 0
        self.ready = asyncio.Event()
        self.ready.set()
        self.refusal: Refused | None = None
        super().__init__(app, DataTable(lambda: [Column("Thing")], self.ignore), address)

    def ignore(self, _key: str) -> None:
        return

    def items(self) -> Sequence[Item]:
        return [action("go", "Go", lambda: None)]

    def nothing(self) -> str:
        return "There is nothing."

    async def load(self, place: Place) -> None:
        self.asked += 1
        ready = self.ready
        found = f"number {self.asked} of {place.address or 'here'}"
        await ready.wait()
        if self.refusal is not None:
            raise self.refusal
        self.fill([TableRow(found, (found,))])


def shelf_of(shown: Stage) -> Shelf:
    return shown.on(Shelf)


async def test_until_something_is_known_it_says_that_one_has_to_wait():
    async with stage(opening=Shelf) as shown:
        shelf_of(shown).ready.clear()
        await shown.until("One moment ...")
        shelf_of(shown).ready.set()
        await shown.until("number 1 of here")


async def test_it_is_asked_once_at_a_time():
    async with stage(opening=Shelf) as shown:
        await shown.until("number 1 of here")
        shelf = shelf_of(shown)
        shelf.ready.clear()
        shown.press("r", "r", "r")
        await shown.until(lambda: shelf.asked == 2)
        shelf.ready.set()
        await shown.until("number 2 of here")
        assert shelf.asked == 2


async def test_what_comes_late_from_another_place_is_not_listed(server):
    async with stage(opening=Shelf) as shown:
        shelf = shelf_of(shown)
        shelf.ready.clear()
        await shown.until(lambda: shelf.asked == 1)
        late, shelf.ready = shelf.ready, asyncio.Event()
        shelf.ready.set()
        shelf.go_to(server.address)
        await shown.until(f"number 2 of {server.address}")
        late.set()
        await shown.until(lambda: not shown.app.busy)
        assert shelf.table is not None
        assert [row.key for row in shelf.table.rows] == [f"number 2 of {server.address}"]


async def test_a_refusal_is_told_in_the_place_of_the_list():
    async with stage(opening=Shelf) as shown:
        await shown.until("number 1 of here")
        shelf_of(shown).refusal = Refused.told(ErrorCode.INTERNAL, "the server failed")
        shown.press("r")
        await shown.until("The server failed.")
        shelf_of(shown).refusal = None
        shown.press("r")
        await shown.until("number 3 of here")


async def test_what_failed_is_asked_again_by_itself(monkeypatch):
    monkeypatch.setattr(listing, "REFRESH_SECONDS", 0.01)

    class Finished(Shelf):
        refreshing = False  # once there is a list

    async with stage(opening=Finished) as shown:
        shelf = shelf_of(shown)
        shelf.refusal = Refused.told(ErrorCode.INTERNAL, "the server failed")
        await shown.until("The server failed.")
        shelf.refusal = None
        await shown.until("of here")
        assert shelf._timer is None or shelf._timer.when() < asyncio.get_running_loop().time()


async def test_what_fails_when_nobody_looks_any_more_is_not_asked_again():
    async with stage(opening=Slate) as shown:
        shelf = Shelf(shown.app)
        shelf.refusal = Refused.told(ErrorCode.INTERNAL, "the server failed")
        shelf.ready.clear()
        shown.app.open(shelf)
        await shown.until(lambda: shelf.asked == 1)
        shown.app.back()
        await shown.until(lambda: shelf._loading is None)
        shelf.ready.set()
        await shown.until(lambda: not shown.app.busy)
        assert shelf._timer is None


async def test_it_is_not_asked_while_another_screen_is_shown_but_again_afterwards(monkeypatch):
    monkeypatch.setattr(listing, "REFRESH_SECONDS", 0.01)
    async with stage(opening=Shelf) as shown:
        shelf = shelf_of(shown)
        await shown.until(lambda: shelf.asked >= 3)
        shown.app.open(Slate(shown.app))
        loop = asyncio.get_running_loop()
        await shown.until(lambda: shelf._loading is None)
        asked, timer = shelf.asked, shelf._timer
        assert timer is not None
        await shown.until(lambda: loop.time() > timer.when() + 10 * listing.REFRESH_SECONDS)
        assert shelf.asked == asked
        shown.app.back()
        await shown.until(lambda: shelf.asked > asked)


async def test_a_connection_that_is_lost_is_shown_with_what_was_listed_last(relay):
    async with stage(opening=lambda app: Shelf(app, relay.address)) as shown:
        await shown.until("number 1 of")
        relay.hold()
        relay.cut()
        await shown.until("Trying again")
        assert "number 1 of" in shown.text()
        relay.release()
        await shown.until(lambda: "Trying again" not in shown.text())
