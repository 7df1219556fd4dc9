"""A match with a friend on the server in the player's own program."""

from kit.players import identities
from kit.screen.stage import stage
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import FRIEND, HOSTED, PlayOptions
from mastermind_client.config.settings import Settings
from mastermind_client.config.values import Invitation, write_join_command
from mastermind_client.network.embedded import embedded_server
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_protocol.rules import DEFAULT

HOSTING = PlayOptions(DEFAULT, FRIEND, server=HOSTED)


async def test_a_friend_joins_the_host_and_the_match_outlives_the_program(people):
    async with stage(settings=Settings(name="Eve")) as shown:
        shown.press("2")
        await shown.until("host here")
        shown.press("home", "enter")
        waiting = await shown.wait_for_screen(WaitingScreen)
        address, code = waiting.server.session.server, waiting.mirror.code
        await shown.until(write_join_command(Invitation(code, address, "Eve")))
        await shown.until(f"http://{address.removeprefix('ws://')}/{code}")
        ada = await people.meet("Ada", address)
        await ada.session.join(code)
        await shown.wait_for_screen(MatchScreen)
        shown.press("f10")
        await shown.until("The match with Ada is saved for")
        shown.press("escape")
        await shown.until(lambda: not shown.app.has_overlay)
        shown.press("f10", "f10")
        await shown.ended()
        assert code in "".join(shown.app.farewell)
    async with stage() as shown:
        await shown.until(f"Ada · {code}")
        shown.press("home", "enter")
        screen = await shown.wait_for_screen(MatchScreen)
        assert screen.match.players


async def test_a_second_host_of_one_player_is_refused():
    folder = make_context().hosted_folder
    async with embedded_server(folder), stage() as shown:
        shown.app.go(HOSTING)
        await shown.until("Another terminal here is hosting already")
        assert "Try again" in shown.text()


async def test_a_player_elsewhere_is_not_offered_to_host():
    async with stage(local=False) as shown:
        shown.press("2")
        await shown.until("Server        ws:")
        assert "host here" not in shown.text()
        assert not identities().list_with_matches()
