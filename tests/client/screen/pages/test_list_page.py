import asyncio

from kit.screen.slate import Slate
from kit.screen.stage import stage
from mastermind_client.columns import Column
from mastermind_client.config.options import OFFLINE, JoinOptions
from mastermind_client.lists import ServerList
from mastermind_client.network.session import Session
from mastermind_client.screen.app import App
from mastermind_client.screen.pages import list_page
from mastermind_client.screen.pages.list_page import ListPage
from mastermind_protocol.errors import ErrorCode, Refused


class Shelf(ListPage):
    """A list of one row, which arrives once `ready` is set, unless `refusal` is."""

    refreshes = True

    def __init__(self, app: App, address: str = OFFLINE) -> None:
        self.asked = 0
        self.ready = asyncio.Event()
        self.ready.set()
        self.refusal: Refused | None = None
        listed = ServerList(
            "Shelf", "Things", "There is nothing.", self.load,
            (Column("Thing", lambda found, _zone: found, "crop"),), JoinOptions,
            refresh=self.refreshes, key=str,
        )  # fmt: skip
        super().__init__(app, listed, address)

    async def load(self, _session: Session, _after: str | None) -> tuple[list[str], bool]:
        self.asked += 1
        ready = self.ready
        found = f"number {self.asked} of {self.address or 'here'}"
        await ready.wait()
        if self.refusal is not None:
            raise self.refusal
        return [found], False


async def test_the_page_asks_to_wait_and_sends_one_request_at_a_time():
    async with stage(opening=Shelf) as shown:
        shelf = shown.on(Shelf)
        shelf.ready.clear()
        await shown.until("One moment ...")
        shelf.ready.set()
        await shown.until("number 1 of here")
        shelf.ready.clear()
        shown.press("r", "r", "r")
        await shown.until(lambda: shelf.asked == 2)
        shelf.ready.set()
        await shown.until("number 2 of here")
        assert shelf.asked == 2


async def test_a_late_answer_of_another_server_is_not_listed(server):
    async with stage(opening=Shelf) as shown:
        shelf = shown.on(Shelf)
        shelf.ready.clear()
        await shown.until(lambda: shelf.asked == 1)
        late, shelf.ready = shelf.ready, asyncio.Event()
        shelf.ready.set()
        shelf.go_to(server.address)
        await shown.until(f"number 2 of {server.address}")
        late.set()
        await shown.until(lambda: not shown.app.busy)
        assert [row.name for row in shelf.view.rows] == [f"number 2 of {server.address}"]


async def test_a_refusal_replaces_the_list():
    async with stage(opening=Shelf) as shown:
        await shown.until("number 1 of here")
        shown.on(Shelf).refusal = Refused.with_message(ErrorCode.INTERNAL, "the server failed")
        shown.press("r")
        await shown.until("The server failed.")
        shown.on(Shelf).refusal = None
        shown.press("r")
        await shown.until("number 3 of here")


async def test_a_failed_request_is_repeated(monkeypatch):
    monkeypatch.setattr(list_page, "REFRESH_SECONDS", 0.01)

    class Finished(Shelf):
        refreshes = False  # once there is a list

    async with stage(opening=Finished) as shown:
        shelf = shown.on(Shelf)
        shelf.refusal = Refused.with_message(ErrorCode.INTERNAL, "the server failed")
        await shown.until("The server failed.")
        shelf.refusal = None
        await shown.until("of here")
        assert shelf._timer is None or shelf._timer.when() < asyncio.get_running_loop().time()


async def test_a_covered_page_sends_no_requests_until_it_is_shown_again(monkeypatch):
    monkeypatch.setattr(list_page, "REFRESH_SECONDS", 0.01)
    async with stage(opening=Shelf) as shown:
        shelf = shown.on(Shelf)
        await shown.until(lambda: shelf.asked >= 3)
        shown.app.open(Slate(shown.app))
        loop = asyncio.get_running_loop()
        await shown.until(lambda: shelf._refresh_task is None)
        asked, timer = shelf.asked, shelf._timer
        assert timer is not None
        await shown.until(lambda: loop.time() > timer.when() + 10 * list_page.REFRESH_SECONDS)
        assert shelf.asked == asked
        shown.app.back()
        await shown.until(lambda: shelf.asked > asked)


async def test_a_lost_connection_keeps_the_list_on_the_screen(relay):
    async with stage(opening=lambda app: Shelf(app, relay.address)) as shown:
        await shown.until("number 1 of")
        relay.hold()
        relay.cut()
        await shown.until("Trying again")
        assert "number 1 of" in shown.text()
        relay.release()
        await shown.until(lambda: "Trying again" not in shown.text())
