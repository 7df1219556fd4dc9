from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.people import pegs
from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.bots import BotsScreen
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from client.people import RestartableServer


def form_of(shown: Stage) -> BotsScreen:
    screen = shown.app.screen
    assert isinstance(screen, BotsScreen)
    return screen


async def watch(shown: Stage) -> MatchScreen:
    shown.press("home", "enter")
    await shown.until(lambda: isinstance(shown.app.screen, MatchScreen))
    screen = shown.app.screen
    assert isinstance(screen, MatchScreen)
    return screen


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_a_bot_breaks_the_code_that_is_typed(size: tuple[int, int]) -> None:
    async with stage(*size, opening=BotsScreen) as shown:
        await shown.until("hard (optimal)")
        form_of(shown).form.select("secret")
        shown.press("enter")
        shown.type("1x34")
        shown.press("enter")
        await shown.until("Peg 2: 'x' is no colour of knuth; allowed: ")
        shown.press("c-u")
        shown.type("1234")
        shown.press("enter")
        await shown.until("1 2 3 4")
        screen = await watch(shown)
        await shown.until(lambda: screen.mirror.state.phase is Phase.FINISHED)
        assert screen.mirror.state.played[0].secret == pegs("0123")


async def test_a_secret_of_other_rules_is_forgotten_and_can_be_taken_back() -> None:
    async with stage(opening=BotsScreen) as shown:
        form = form_of(shown).form
        form.select("secret")
        shown.press("enter")
        shown.type("1234")
        shown.press("enter")
        await shown.until("1 2 3 4")
        form.select("rules")
        shown.press("right")
        await shown.until("drawn by chance")
        shown.press("left")
        await shown.until("1 2 3 4")
        form.select("secret")
        shown.press("enter", "c-u", "enter")
        await shown.until("drawn by chance")


async def test_bots_on_the_server_may_play_in_public(server: RestartableServer) -> None:
    settings = Settings(server=server.address, opponent="devious")
    async with stage(settings=settings, opening=BotsScreen) as shown:
        await shown.until("hard (optimal)")
        form_of(shown).form.select("place")
        shown.press("right")
        await shown.until("Public")
        shown.press("down", "right")
        await shown.until("in the list of matches to watch")
        screen = await watch(shown)
        assert screen.place.address == server.address
        assert screen.mirror.state.opened.public
