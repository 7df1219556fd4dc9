from functools import partial

import pytest

from kit.matches import pegs
from kit.proxy import Proxy
from kit.screen.moves import count_bells
from kit.screen.scenes import CODE, invite
from kit.screen.slate import Slate
from kit.screen.stage import Stage, stage
from kit.server import GameServer
from mastermind_client.config.settings import Settings
from mastermind_client.network.mirror import Mirror
from mastermind_client.screen.pages.matches import waiting
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.servers.server import Server
from mastermind_client.screen.toolkit.overlays import Card
from mastermind_protocol.events import Finished, MatchEnd
from mastermind_protocol.match import Phase

SETTINGS = Settings(name="Bob")


async def wait_at(
    shown: Stage, server: GameServer | Proxy, *, public: bool = False
) -> tuple[Server, Mirror]:
    """Open a match and its waiting screen, above the current screen."""
    place = await shown.app.connect(server.address)
    mirror = await place.session.open("classic", maker="open", breaker="me", public=public)
    shown.app.open(WaitingScreen(shown.app, place, mirror))
    await shown.until("Read this code to your friend:")
    return place, mirror


async def test_a_player_who_joins_rings_the_bell_and_opens_the_match(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        assert not count_bells(shown)
        shown.press("escape")
        await shown.until("Close the invitation?")
        await ada.session.join(mirror.code)
        await shown.wait_for_screen(MatchScreen)
        await shown.until("Ada is here")
        assert count_bells(shown) == 1
        assert shown.app.find_overlay(Card) is None
        assert "Ada is here - Mastermind" in shown.glass.written


async def test_esc_opens_the_match_during_the_greeting(server, ada, monkeypatch):
    monkeypatch.setattr(waiting, "GREETING_SECONDS", 3600.0)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        await ada.session.join(mirror.code)
        await shown.until("Ada is here")
        assert isinstance(shown.app.screen, WaitingScreen)
        shown.press("escape")
        await shown.wait_for_screen(MatchScreen)


async def test_esc_asks_before_it_closes_the_match(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server, public=True)
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("escape")
        await shown.until(lambda: shown.app.find_overlay(Card) is None)
        assert isinstance(shown.app.screen, WaitingScreen)
        assert len(await ada.session.list_matches("waiting")) == 1
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("down", "down", "enter")
        await shown.wait_for_screen(Slate)
        closed = await ada.session.follow(mirror.code)
        await ada.wait_for_event(Finished)
        assert closed.state.outcome is not None
        assert closed.state.outcome.how is MatchEnd.CLOSED


@pytest.mark.parametrize("public", [True, False])
async def test_the_end_of_the_program_closes_a_public_match_only(server, ada, public):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server, public=public)
        shown.press("f10")
        await shown.ended()
        kept = f"An invitation, {mirror.code}, waiting for a friend"
        assert (kept in "".join(shown.app.farewell)) != public
    if public:
        assert await ada.session.list_matches("waiting") == ()
    else:
        assert (await ada.session.join(mirror.code)).state.phase is Phase.SETTING


async def test_a_match_that_fills_while_it_is_closed_is_shown(proxy, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, proxy)
        proxy.freeze()
        await ada.session.join(mirror.code)
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("down", "down", "enter")
        await shown.wait_for_screen(Slate)
        proxy.restore()
        await shown.wait_for_screen(MatchScreen)
        await shown.until("Ada has just joined: the match begins.")
        assert mirror.state.phase is Phase.SETTING


async def test_the_code_and_the_command_can_be_copied(server):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place, mirror = await wait_at(shown, server)
        command = f"mastermind join {place.session.server.removeprefix('ws://')}/{mirror.code}"
        for key, told, copied in (
            ("c", "The code is copied, if your terminal allows it.", mirror.code),
            ("j", "The line is copied, if your terminal allows it.", command),
        ):
            shown.press(key)
            await shown.until(told)
            assert shown.copied()[-1] == copied


async def test_a_link_to_the_page_can_be_copied():
    async with stage(settings=SETTINGS, opening=partial(invite, page="/")) as shown:
        shown.press("c")
        await shown.until("The link is copied, if your terminal allows it.")
        assert shown.copied() == [f"https://play.example.org/{CODE}"]


async def test_an_offered_rematch_closes_when_the_opponent_leaves(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.open("classic", maker="me", breaker="open")
        theirs = await ada.session.join(mirror.code)
        await shown.until(lambda: mirror.state.phase is Phase.SETTING)
        await place.session.set_secret(mirror, pegs("1234"))
        await ada.guess(theirs, "1234")
        await shown.until(lambda: mirror.state.phase is Phase.FINISHED)
        rematch = await place.session.rematch(mirror)
        shown.app.open(WaitingScreen(shown.app, place, rematch))
        await shown.until("Waiting for Ada …")
        await ada.session.leave(theirs)
        await shown.until("Ada has left: there will be no rematch.")
        assert isinstance(shown.app.screen, Slate)
        offered = await ada.session.follow(rematch.code)
        await shown.until(lambda: offered.state.outcome is not None)


async def test_a_match_that_has_already_begun_opens_at_once(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.open("classic", maker="open", breaker="me")
        await ada.session.join(mirror.code)
        await shown.until(lambda: mirror.state.phase is Phase.SETTING)
        shown.app.open(WaitingScreen(shown.app, place, mirror))
        assert isinstance(shown.app.screen, MatchScreen)
        await shown.until("Ada is here")
