from kit.players import identities
from kit.screen.scenes import SETTINGS, counted
from kit.screen.stage import stage
from mastermind_client.cli.process import make_context
from mastermind_client.config.puzzle_record import record_answer
from mastermind_client.config.settings import Settings
from mastermind_client.screen.screen import MenuPage
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import ShowStatistics

NOWHERE = "ws://127.0.0.1:9"


async def test_the_page_counts_games_on_the_server(server, people, ada):
    await people.win_here(ada)
    async with stage(settings=Settings(server=server.address)) as shown:
        shown.app.go(MenuPage.STATISTICS)
        await shown.until("1 match, 1 won, 0 lost")
        await shown.until("best 2 · average 2.0")


def register(address: str) -> None:
    """Store a player of this computer on a server."""
    with identities().claim(address) as identity:
        identity.store_token("x" * 43)


async def test_the_page_names_no_server_on_which_this_computer_has_no_player():
    async with stage(settings=Settings(server=NOWHERE)) as shown:
        shown.app.go(MenuPage.STATISTICS)
        await shown.until("You have finished no match yet.")
        await shown.until(lambda: not shown.app.busy)
        assert NOWHERE not in shown.text()


async def test_the_page_names_an_unreachable_server_and_counts_offline_games():
    register(NOWHERE)
    async with stage(settings=Settings(server=NOWHERE)) as shown:
        shown.app.go(MenuPage.STATISTICS)
        await shown.until("You have finished no match yet.")
        await shown.until("annot reach")
        shown.press("escape")
        await shown.until("Play a bot")


async def test_the_page_names_a_server_without_statistics(relay):
    relay.answer(
        ShowStatistics, lambda request: Error(id=request.id, code="unknown_message", message="?")
    )
    register(relay.address)
    async with stage(settings=Settings(server=relay.address)) as shown:
        shown.app.go(MenuPage.STATISTICS)
        await shown.until("You have finished no match yet.")
        await shown.until("is not counted: the server is older")


async def test_the_page_shows_the_puzzles_of_this_computer_without_a_server():
    record_answer(make_context({}).folder, "4x6/1/7", right=True)
    async with stage(settings=Settings(server=NOWHERE)) as shown:
        shown.app.go(MenuPage.STATISTICS)
        await shown.until("1 puzzle solved")


async def test_a_small_window_scrolls():
    async with stage(60, 20, settings=SETTINGS, opening=counted) as shown:
        await shown.until("more lines")
        assert "Against" not in shown.text()
        for _time in range(4):
            shown.press("pagedown")
        await shown.until("Bob ")
        assert "more line" not in shown.text()
        shown.press("pageup", "pageup", "pageup", "pageup")
        await shown.until("19 matches, 16 won")
