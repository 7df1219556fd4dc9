from kit.screen.stage import stage
from mastermind_client.config.options import WatchOptions
from mastermind_client.config.settings import Settings
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.pages.list_page import FindOpponentScreen, RunningMatchesScreen
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_client.screen.pages.settings import SettingsScreen
from mastermind_protocol.events import Seat


async def test_a_waiting_program_is_marked_and_can_be_joined(server, people):
    robot = await people.connect_program("Robbie")
    await robot.session.seek("lab", rounds=2, seat=Seat.MAKER)
    async with stage(opening=lambda app: FindOpponentScreen(app, server.address)) as shown:
        await shown.until("Robbie (bot)")
        shown.press("pagedown", "enter")
        screen = await shown.wait_for_screen(MatchScreen)
        assert screen.mirror.state.seat_of(screen.server.me) is Seat.BREAKER


async def test_without_waiting_players_enter_offers_a_public_match(server):
    async with stage(opening=lambda app: FindOpponentScreen(app, server.address)) as shown:
        await shown.until("Nobody is waiting.")
        shown.press("down", *("down", "right") * 3, "home", "enter")
        screen = await shown.wait_for_screen(WaitingScreen)
        match = screen.mirror.state
        assert (match.rules.name, match.opened.rounds) == ("thirteen", 2)
        assert match.seat_of(screen.server.me) is Seat.BREAKER
        assert match.opened.public


async def test_an_invited_player_types_the_code_beside_the_list(server, ada):
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage(opening=lambda app: FindOpponentScreen(app, server.address)) as shown:
        await shown.until("Nobody is waiting.")
        shown.press("down", "enter")
        shown.type(f"{server.address}/{mirror.code}\r")
        await shown.until("Ada")


NOWHERE = "ws://127.0.0.1:1"


async def test_a_public_match_is_listed_and_can_be_watched(server, ada):
    mirror = await ada.session.open("classic", maker="hard", breaker="me", public=True)
    async with stage(opening=lambda app: RunningMatchesScreen(app, server.address)) as shown:
        await shown.until("hard (bot)")
        assert "Ada" in shown.text()
        shown.press("pagedown", "enter")
        assert (await shown.wait_for_screen(MatchScreen)).mirror.code == mirror.code


async def test_without_public_matches_enter_offers_a_match_of_bots(server):
    async with stage(opening=lambda app: RunningMatchesScreen(app, server.address)) as shown:
        await shown.until("No public match is being played.")
        shown.press("enter")
        await shown.until("breaks a code drawn by chance.")


async def test_a_private_match_is_watched_by_its_code(server, ada):
    mirror = await ada.session.open("classic", maker="hard", breaker="me")
    async with stage(opening=lambda app: RunningMatchesScreen(app, server.address)) as shown:
        shown.press("down", "enter")
        await shown.until("Code, link or whole line:")
        shown.type(mirror.code.lower())
        shown.press("enter")
        assert (await shown.wait_for_screen(MatchScreen)).mirror.code == mirror.code


async def test_without_a_server_other_ways_to_play_are_offered():
    async with stage(opening=lambda app: FindOpponentScreen(app, NOWHERE)) as shown:
        await shown.until("nothing listens there")
        assert "mastermind-server" not in shown.text()
        for name, page in (("Play a bot", OpeningScreen), ("Settings", SettingsScreen)):
            await shown.until(name)
            shown.on(FindOpponentScreen).view.select("bot" if name == "Play a bot" else "settings")
            shown.press("enter")
            await shown.wait_for_screen(page)
            shown.press("escape")
            await shown.wait_for_screen(FindOpponentScreen)


async def test_the_server_of_the_settings_is_the_default():
    settings = Settings(server=NOWHERE)
    async with stage(
        settings=settings, opening=lambda app: make_screen(app, WatchOptions(None))
    ) as shown:
        await shown.until("nothing listens there")
        assert NOWHERE in shown.text()
