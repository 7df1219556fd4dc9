from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.pages.invite import InviteScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from client.people import RestartableServer


async def invite(shown: Stage) -> WaitingScreen:
    shown.press("home", "enter")
    await shown.until(lambda: isinstance(shown.app.screen, WaitingScreen))
    screen = shown.app.screen
    assert isinstance(screen, WaitingScreen)
    return screen


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_a_friend_is_invited_to_what_was_played_last(
    server: RestartableServer, size: tuple[int, int]
) -> None:
    settings = Settings(server=server.address, rules="lab")
    async with stage(*size, settings=settings, opening=InviteScreen) as shown:
        assert "Server" in shown.text()
        screen = await invite(shown)
        match = screen.mirror.state
        assert match.rules.name == "lab"
        assert match.seat_of(screen.place.me) is Seat.BREAKER
        assert not match.opened.public
        await shown.until(screen.mirror.code)


async def test_every_answer_of_the_form_is_that_of_the_match(server: RestartableServer) -> None:
    settings = Settings(server=server.address)
    async with stage(settings=settings, opening=InviteScreen) as shown:
        shown.press("down", "right", "down", "right", "down", "right", "down", "right")
        await shown.until("without advice")
        screen = await invite(shown)
        match = screen.mirror.state
        assert (match.rules.name, match.opened.rounds, match.opened.rated) == ("thirteen", 2, True)
        assert match.seat_of(screen.place.me) is Seat.MAKER


async def test_the_server_can_be_another_one(server: RestartableServer) -> None:
    settings = Settings(server="ws://127.0.0.1:1")
    async with stage(settings=settings, opening=InviteScreen) as shown:
        shown.press("end", "enter")
        await shown.until("Server:")
        shown.press("c-u")
        shown.type(server.address)
        shown.press("enter")
        await shown.until(server.address)
        assert (await invite(shown)).place.address == server.address
