from kit.screen.stage import stage
from mastermind_client.config.options import WatchOptions
from mastermind_client.config.settings import Settings
from mastermind_client.screen.navigation import make_screen
from mastermind_client.screen.pages.lists import MatchesScreen
from mastermind_client.screen.pages.match import MatchScreen

NOWHERE = "ws://127.0.0.1:1"


async def test_a_public_match_is_listed_and_can_be_watched(server, ada):
    mirror = await ada.session.open("classic", maker="hard", breaker="me", public=True)
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("hard (bot)")
        assert "Ada" in shown.text()
        shown.press("pagedown", "enter")
        assert (await shown.wait_for_screen(MatchScreen)).mirror.code == mirror.code


async def test_without_public_matches_enter_offers_a_match_of_bots(server):
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("No public match is being played.")
        shown.press("enter")
        await shown.until("breaks a code drawn by chance.")


async def test_a_private_match_is_watched_by_its_code(server, ada):
    mirror = await ada.session.open("classic", maker="hard", breaker="me")
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        shown.press("down", "enter")
        await shown.until("Code, link or whole line:")
        shown.type(mirror.code.lower())
        shown.press("enter")
        assert (await shown.wait_for_screen(MatchScreen)).mirror.code == mirror.code


async def test_the_server_of_the_settings_is_the_default():
    settings = Settings(server=NOWHERE)
    async with stage(
        settings=settings, opening=lambda app: make_screen(app, WatchOptions(None))
    ) as shown:
        await shown.until("nothing listens there")
        assert NOWHERE in shown.text()
