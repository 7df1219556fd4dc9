from kit.people import SessionClient
from kit.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.matches import MatchesScreen
from mastermind_protocol.events import Seat

NOWHERE = "ws://127.0.0.1:1"


def match_of(shown: Stage) -> MatchScreen:
    return shown.on(MatchScreen)


async def meet(ada: SessionClient, bob: SessionClient) -> str:
    """Start a public match of two players; return the match's code."""
    mirror = await ada.session.seek("classic", seat=Seat.MAKER)
    await bob.session.seek("classic")
    return mirror.code


async def test_what_is_played_is_in_the_list_and_can_be_watched(server, ada, bob):
    code = await meet(ada, bob)
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("Ada")
        assert "Bob" in shown.text()
        shown.press("pagedown", "enter")
        await shown.reaches(MatchScreen)
        assert match_of(shown).mirror.code == code


async def test_bots_are_marked(server, ada):
    await ada.session.open("classic", maker="hard", breaker="me", public=True)
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("(bot)")


async def test_where_nothing_is_played_two_bots_can(server):
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("No public match is being played.")
        shown.press("enter")
        await shown.until("breaks a code drawn by chance.")


async def test_a_private_match_is_watched_by_its_code(server, ada):
    mirror = await ada.session.open("classic", maker="hard", breaker="me")
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        shown.press("down", "enter")
        await shown.until("Code, or the whole line:")
        shown.type(mirror.code.lower())
        shown.press("enter")
        await shown.reaches(MatchScreen)
        assert match_of(shown).mirror.code == mirror.code


async def test_the_usual_server_is_asked_where_none_is_named():
    settings = Settings(server=NOWHERE)
    async with stage(settings=settings, opening=lambda app: MatchesScreen(app, None)) as shown:
        await shown.until("nothing listens there")
        assert NOWHERE in shown.text()
