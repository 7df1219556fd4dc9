import re
from base64 import b64encode

from kit.people import SessionClient
from kit.screen.slate import Slate
from kit.screen.stage import Stage, stage
from kit.server import GameServer
from mastermind_client.config.settings import Settings
from mastermind_client.net.mirror import Mirror
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_client.screen.places.places import Place
from mastermind_protocol.events import Finished, MatchEnd
from mastermind_protocol.match import Phase

SETTINGS = Settings(name="Bob")


def bells(shown: Stage) -> int:
    """Return the number of bells without the BEL characters that end window titles."""
    return re.sub(r"\x1b\][^\a]*\a", "", shown.glass.written).count("\a")


async def wait_at(
    shown: Stage, server: GameServer, *, public: bool = False
) -> tuple[Place, Mirror]:
    """Open a match and its waiting screen, above the current screen."""
    place = await shown.app.connect(server.address)
    mirror = await place.session.open("classic", maker="open", breaker="me", public=public)
    shown.app.open(WaitingScreen(shown.app, place, mirror))
    await shown.until("Read this code to your friend:")
    return place, mirror


async def test_when_a_player_joins_the_bell_rings_and_the_match_replaces_a_question(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        assert not bells(shown)
        shown.press("escape")
        await shown.until("Close the invitation?")
        await ada.session.join(mirror.code)
        await shown.reaches(MatchScreen)
        await shown.until("Ada is here")
        assert bells(shown) == 1
        assert shown.app.card is None
        assert "Ada is here - Mastermind" in shown.glass.written


async def test_esc_closes_the_match_after_a_question(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server, public=True)
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("escape")
        await shown.until(lambda: shown.app.card is None)
        assert isinstance(shown.app.screen, WaitingScreen)
        assert len(await ada.session.list_matches("waiting")) == 1
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("down", "down", "enter")
        await shown.until("This is the slate.")
        closed = await ada.session.follow(mirror.code)
        await ada.wait_for_event(Finished)
        assert closed.state.outcome is not None
        assert closed.state.outcome.how is MatchEnd.CLOSED


async def test_an_invitation_is_kept_when_the_program_ends(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        shown.press("f10")
        await shown.ended()
        assert f"An invitation, {mirror.code}, waiting for a friend" in "".join(shown.app.farewell)
    assert (await ada.session.join(mirror.code)).state.phase is Phase.SETTING


async def test_an_invitation_that_is_put_aside_rings_when_somebody_comes(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("down", "enter")
        await shown.until("This is the slate.")
        await ada.session.join(mirror.code)
        await shown.until(lambda: mirror.state.phase is Phase.SETTING)


async def test_the_end_of_the_program_closes_a_match_that_is_in_the_list(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await wait_at(shown, server, public=True)
        shown.press("f10")
        await shown.ended()
    assert await ada.session.list_matches("waiting") == ()


async def test_code_and_command_can_be_copied(server):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place, mirror = await wait_at(shown, server)
        command = f"mastermind join {mirror.code} --server {place.session.server}"
        for key, told, copied in (
            ("c", "The code is copied, if your terminal allows it.", mirror.code),
            ("j", "The line is copied, if your terminal allows it.", command),
        ):
            shown.press(key)
            await shown.until(told)
            sent = b64encode(copied.encode()).decode()
            assert f"\x1b]52;c;{sent}\x07" in shown.glass.written


async def play_to_its_end(shown: Stage, server: GameServer, ada: SessionClient) -> Mirror:
    """Play a match of one round against Ada, who breaks the code at once; return it."""
    place = await shown.app.connect(server.address)
    mirror = await place.session.open("classic", maker="me", breaker="open")
    theirs = await ada.session.join(mirror.code)
    await shown.until(lambda: mirror.state.phase is Phase.SETTING)
    await place.session.set_secret(mirror, (0, 1, 2, 3))
    await ada.guess(theirs, "1234")
    await shown.until(lambda: mirror.state.phase is Phase.FINISHED)
    rematch = await place.session.rematch(mirror)
    shown.app.open(WaitingScreen(shown.app, place, rematch))
    await shown.until("Waiting for Ada …")
    return theirs


async def test_a_rematch_is_given_up_when_the_other_leaves(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        played = await play_to_its_end(shown, server, ada)
        await ada.session.leave(played)
        await shown.until("Ada has left: there will be no rematch.")
        assert isinstance(shown.app.screen, Slate)


async def test_a_match_that_has_begun_before_it_is_shown_goes_on_at_once(server, ada):
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.open("classic", maker="open", breaker="me")
        await ada.session.join(mirror.code)
        await shown.until(lambda: mirror.state.phase is Phase.SETTING)
        shown.app.open(WaitingScreen(shown.app, place, mirror))
        assert isinstance(shown.app.screen, MatchScreen)
        await shown.until("Ada is here")
