import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from kit.clocked import pass_time
from kit.people import SessionClient, offer_rematch
from kit.players import identities
from kit.rated import store_rated
from kit.screen.stage import Stage, stage
from kit.server import GameServer
from mastermind_client.config.options import ProfileOptions
from mastermind_client.config.settings import Settings
from mastermind_client.network.updates import ChallengeReceived
from mastermind_client.screen.app import App
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.profile import ProfileScreen
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Declined
from mastermind_protocol.match import Phase
from mastermind_server.storage.records import CHALLENGE_SECONDS


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[GameServer]:
    """A running server whose clock the tests control."""
    server = GameServer(tmp_path)
    await server.start()
    yield server
    await server.close()


async def connect(app: App, address: str) -> str:
    """Connect an app to a server, and return the id of its player there."""
    return (await app.connect(address)).me


async def receive(client: SessionClient) -> str:
    """Wait until a player is challenged, and return the code of the match."""
    return (await client.wait_for_update(ChallengeReceived)).challenge.match


async def test_an_incoming_challenge_rings_and_can_be_accepted(server, ada):
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        await ada.session.challenge(bob, "mini", rated=True, clock="5+3")
        await shown.until("Ada 1500? challenges you.")
        await shown.until("mini, 2 rounds, 5+3, rated")
        assert "\a" in shown.glass.written
        shown.press("down", "enter")
        await shown.wait_for_screen(PlayerScreen)


async def test_a_player_at_home_is_challenged_and_plays_in_the_session_of_home(server, people):
    with identities().claim(server.address) as identity:
        bob = (await people.meet("Bob", identity=identity)).id
        await people.close_all()
    ada = await people.meet("Ada")
    async with stage_of_bob(server) as shown:
        await shown.until(lambda: bool(shown.app.open_servers))
        (home,) = shown.app.open_servers
        await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you.")
        shown.press("down", "enter")
        screen = await shown.wait_for_screen(PlayerScreen)
        assert screen.server is home
        assert server.server.gateway.count_connections() == 2


async def test_a_rematch_offered_during_an_absence_is_asked_about_and_on_home(server, ada, people):
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
        mirror = await offer_rematch(ada, bob)
    async with stage_of_bob(server) as shown:
        await connect(shown.app, server.address)
        await shown.until("Ada offers a rematch.")
        await shown.until("It stays on the home screen.")
        shown.press("escape")
        await shown.until("your turn")
        shown.press("c")
        await shown.wait_for_screen(PlayerScreen)
        assert mirror.state.phase is Phase.SETTING


async def test_an_incoming_challenge_can_be_declined(server, ada):
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you.")
        shown.press("down", "down", "enter")
        await ada.wait_for_event(Declined)
        await shown.wait_for_screen(HomeScreen)


async def test_a_challenge_in_a_match_is_a_notice_and_asked_on_the_next_page(server, ada, people):
    eve = await people.meet("Eve")
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you.")
        shown.press("down", "enter")
        await shown.wait_for_screen(PlayerScreen)
        await eve.session.challenge(bob, "mini")
        await shown.until("Eve challenges you. Answer on another page.")
        assert "Accept" not in shown.text()
        shown.app.home()
        await shown.until("Accept")


async def test_a_challenge_below_a_question_is_asked_about_when_that_is_answered(server, ada):
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        shown.press("escape")
        await shown.until("End the program?")
        await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you. You are asked when this is closed.")
        shown.press("escape")
        await shown.until("Accept")


async def test_the_next_challenge_is_asked_about_after_the_first_is_put_off(server, ada, people):
    eve = await people.meet("Eve")
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you.")
        await eve.session.challenge(bob, "mini")
        await shown.until("Eve challenges you. You are asked when this is closed.")
        shown.press("escape")
        await shown.until(lambda: "Accept" in shown.text() and "Ada" not in shown.text())
        shown.press("escape")
        await shown.until(lambda: "Accept" not in shown.text())


async def test_a_challenge_that_ends_closes_its_question(server, ada):
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        mirror = await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you.")
        await ada.session.leave(mirror)
        await shown.until("Ada takes the challenge back.")
        assert "Accept" not in shown.text()


def stage_of_bob(server: GameServer) -> AbstractAsyncContextManager[Stage]:
    """Return the app of Bob, a player of the server."""
    return stage(settings=Settings(name="Bob", server=server.address))


async def challenge(shown: Stage, server: GameServer, ada: SessionClient) -> None:
    """Challenge Ada to a match that is not rated, from her profile."""
    await open_profile_of(shown, server, ada)
    shown.press("down", "down", "enter")
    await shown.wait_for_screen(WaitingScreen)


async def open_profile_of(shown: Stage, server: GameServer, ada: SessionClient) -> None:
    """Store a rated match of Ada with the app's player, and open Ada's profile."""
    bob = (await shown.app.connect(server.address)).session.player
    now = int(time.time() * 1000)
    await server.store.write(store_rated, "MATCHA", ada.session.player, bob, at=now)
    shown.app.go(ProfileOptions(server.address, player=ada.id))
    await shown.until("You and Ada: 0 won, 0 drawn, 1 lost")
    shown.press("enter")
    await shown.until("Challenge Ada?")


async def test_enter_on_a_player_challenges_and_the_answer_is_awaited(server, ada):
    async with stage_of_bob(server) as shown:
        await open_profile_of(shown, server, ada)
        shown.press("down", "enter")
        await shown.wait_for_screen(WaitingScreen)
        await shown.until("Your challenge")
        await shown.until("The other player is asked while online, for two minutes.")
        mirror = await ada.session.join(await receive(ada))
        assert (mirror.state.rated, mirror.state.opened.clock) == (True, "5+3")
        await shown.wait_for_screen(PlayerScreen)


async def test_a_declined_challenge_goes_back_to_the_profile(server, ada):
    async with stage_of_bob(server) as shown:
        await challenge(shown, server, ada)
        await ada.session.decline(await receive(ada))
        await shown.until("The challenge was declined.")
        assert shown.on(ProfileScreen)


async def test_a_challenge_without_an_answer_goes_back_to_the_profile(server, ada):
    async with stage_of_bob(server) as shown:
        await challenge(shown, server, ada)
        await receive(ada)
        await pass_time(server, CHALLENGE_SECONDS)
        await shown.until("The challenge has expired: there was no answer.")
        assert shown.on(ProfileScreen)


async def test_the_question_of_a_challenge_closes_when_it_expires(server, ada):
    async with stage_of_bob(server) as shown:
        bob = await connect(shown.app, server.address)
        await ada.session.challenge(bob, "mini")
        await shown.until("Ada challenges you.")
        await pass_time(server, CHALLENGE_SECONDS)
        await shown.until("The challenge of Ada has expired.")
        assert "Accept" not in shown.text()


async def test_a_challenge_can_be_taken_back(server, ada):
    async with stage_of_bob(server) as shown:
        await challenge(shown, server, ada)
        shown.press("escape")
        await shown.until("Take the challenge back?")
        shown.press("down", "enter")
        await shown.wait_for_screen(ProfileScreen)


async def test_a_challenge_is_taken_back_when_the_program_ends(server, ada):
    async with stage_of_bob(server) as shown:
        await challenge(shown, server, ada)
        match = await receive(ada)
        shown.press("f10")
        await shown.ended()
    with pytest.raises(Refused):
        await ada.session.join(match)


async def test_a_player_who_is_not_connected_cannot_be_challenged(server, people, ada):
    async with stage_of_bob(server) as shown:
        await open_profile_of(shown, server, ada)
        await people.close_all()
        await server.until_connections(1)
        shown.press("down", "enter")
        await shown.until("is not connected")
        assert shown.on(ProfileScreen)
