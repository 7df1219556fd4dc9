import pytest

from kit.people import sit_down
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import (
    JoinOptions,
    MatchOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.screen.pages.lists import ArchiveScreen, FindScreen, MatchesScreen
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.replay import ReplayScreen
from mastermind_client.screen.screen import Screen
from mastermind_protocol.rules import PRESETS


async def open_options(shown: Stage, options: MatchOptions, kind: type[Screen]) -> None:
    """Begin, and wait for a kind of screen."""
    shown.app.go(options)
    await shown.wait_for_screen(kind)


async def test_a_finished_match_opens_the_review(server, ada, bob):
    mirror, theirs = await sit_down(ada, bob)
    await ada.set(mirror, "1122")
    await bob.guess(theirs, "1122")
    async with stage() as shown:
        await open_options(shown, ReviewOptions(mirror.code, server.address), ReplayScreen)


async def test_a_running_match_opens_the_spectator_page(server, ada, bob):
    mirror, _theirs = await sit_down(ada, bob)
    async with stage() as shown:
        await open_options(shown, ReviewOptions(mirror.code, server.address), MatchScreen)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (JoinOptions(None, "ws://localhost:1"), FindScreen),
        (WatchOptions("ws://localhost:1"), MatchesScreen),
        (ReviewOptions(None, "ws://localhost:1"), ArchiveScreen),
    ],
)
async def test_options_without_a_code_open_a_list(options, kind):
    async with stage() as shown:
        await open_options(shown, options, kind)
        await shown.until("localhost:1")


async def test_options_of_the_command_line_are_not_saved():
    async with stage() as shown:
        await open_options(shown, PlayOptions(PRESETS["mini"], "easy"), MatchScreen)
        assert (shown.app.settings.rules, shown.app.settings.opponent) == ("classic", "hard")
