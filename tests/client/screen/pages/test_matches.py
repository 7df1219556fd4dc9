from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.matches import MatchesScreen
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from kit.people import Person
    from kit.server import RestartableServer

NOWHERE = "ws://127.0.0.1:1"


def match_of(shown: Stage) -> MatchScreen:
    screen = shown.app.screen
    assert isinstance(screen, MatchScreen)
    return screen


async def meet(ada: Person, bob: Person) -> str:
    """Let two people play in public; return the match's code."""
    mirror = await ada.session.seek("classic", seat=Seat.MAKER)
    await bob.session.seek("classic")
    return mirror.code


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_what_is_played_is_in_the_list_and_can_be_watched(
    server: RestartableServer, ada: Person, bob: Person, size: tuple[int, int]
) -> None:
    code = await meet(ada, bob)
    async with stage(*size, opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("Ada")
        assert "Bob" in shown.text()
        shown.press("pagedown", "enter")
        await shown.until(lambda: isinstance(shown.app.screen, MatchScreen))
        assert match_of(shown).mirror.code == code


async def test_bots_are_marked(server: RestartableServer, ada: Person) -> None:
    await ada.session.open("classic", maker="hard", breaker="me", public=True)
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("(bot)")


async def test_where_nothing_is_played_two_bots_can(server: RestartableServer) -> None:
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        await shown.until("No public match is being played.")
        shown.press("enter")
        await shown.until("breaks a code drawn by chance.")


async def test_a_private_match_is_watched_by_its_code(
    server: RestartableServer, ada: Person
) -> None:
    mirror = await ada.session.open("classic", maker="hard", breaker="me")
    async with stage(opening=lambda app: MatchesScreen(app, server.address)) as shown:
        shown.press("down", "enter")
        await shown.until("Code, or the whole line:")
        shown.type(mirror.code.lower())
        shown.press("enter")
        await shown.until(lambda: isinstance(shown.app.screen, MatchScreen))
        assert match_of(shown).mirror.code == mirror.code


async def test_the_usual_server_is_asked_where_none_is_named() -> None:
    settings = Settings(server=NOWHERE)
    async with stage(settings=settings, opening=lambda app: MatchesScreen(app, None)) as shown:
        await shown.until("nothing listens there")
        assert NOWHERE in shown.text()
