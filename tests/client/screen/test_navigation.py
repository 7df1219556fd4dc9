import pytest

from kit.matches import pegs
from kit.people import sit_down
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    OFFLINE,
    JoinOptions,
    MatchOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.screen.pages.archive import ArchiveScreen
from mastermind_client.screen.pages.find import FindScreen
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.matches import MatchesScreen
from mastermind_client.screen.pages.replay import ReplayScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_client.screen.screen import Screen
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import DEFAULT, PRESETS


async def begun(shown: Stage, options: MatchOptions, kind: type[Screen]) -> None:
    """Begin, and wait for a kind of screen."""
    shown.app.go(options)
    await shown.reaches(kind)


def match_of(shown: Stage) -> MatchScreen:
    return shown.on(MatchScreen)


async def test_a_game_against_a_bot_begins_in_this_process():
    async with stage() as shown:
        await begun(shown, PlayOptions(DEFAULT, "easy"), MatchScreen)
        screen = match_of(shown)
        assert screen.place.address == OFFLINE
        assert screen.mirror.state.seat_of(screen.place.me) is Seat.BREAKER


async def test_a_game_against_a_bot_of_a_server_begins_there(server):
    async with stage() as shown:
        options = PlayOptions(DEFAULT, "easy", Seat.MAKER, server.address, rounds=2)
        await begun(shown, options, MatchScreen)
        screen = match_of(shown)
        assert screen.place.address == server.address
        assert screen.mirror.state.seat_of(screen.place.me) is Seat.MAKER
        assert screen.mirror.state.opened.rounds == 2


@pytest.mark.parametrize("versus", [FRIEND, ANYONE])
async def test_whoever_has_to_wait_for_a_person_sees_that(server, versus):
    async with stage() as shown:
        await begun(shown, PlayOptions(DEFAULT, versus, server=server.address), WaitingScreen)


async def test_whoever_joins_plays_at_once(server, ada):
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage() as shown:
        await begun(shown, JoinOptions(mirror.code, server.address, "Bob"), MatchScreen)
        names = [player.name for player in match_of(shown).mirror.state.players]
        assert names == ["Ada", "Bob"]


async def test_whoever_watches_has_no_seat(server, ada, bob):
    mirror, _theirs = await sit_down(ada, bob)
    async with stage() as shown:
        await begun(shown, WatchOptions(server.address, mirror.code), MatchScreen)
        screen = match_of(shown)
        assert screen.mirror.state.seat_of(screen.place.me) is None


async def test_two_bots_can_be_watched_without_a_server():
    options = WatchOptions(None, bot="hard", rules=PRESETS["knuth"], secret=pegs("1234"))
    async with stage() as shown:
        await begun(shown, options, MatchScreen)
        screen = match_of(shown)
        assert screen.place.address == OFFLINE
        await shown.until(lambda: screen.mirror.state.phase is Phase.FINISHED)
        assert screen.mirror.state.played[0].secret == pegs("1234")


async def test_a_finished_match_is_reviewed(server, ada, bob):
    mirror, theirs = await sit_down(ada, bob)
    await ada.set(mirror, "1122")
    await bob.guess(theirs, "1122")
    async with stage() as shown:
        await begun(shown, ReviewOptions(mirror.code, server.address), ReplayScreen)


async def test_a_match_that_goes_on_is_watched_rather_than_reviewed(server, ada, bob):
    mirror, _theirs = await sit_down(ada, bob)
    async with stage() as shown:
        await begun(shown, ReviewOptions(mirror.code, server.address), MatchScreen)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (JoinOptions(None, "ws://localhost:1"), FindScreen),
        (WatchOptions("ws://localhost:1"), MatchesScreen),
        (ReviewOptions(None, "ws://localhost:1"), ArchiveScreen),
    ],
)
async def test_where_no_match_is_named_there_is_the_list_to_pick_one_from(options, kind):
    async with stage() as shown:
        await begun(shown, options, kind)
        await shown.until("localhost:1")


async def test_what_a_command_line_asks_for_is_not_offered_again():
    async with stage() as shown:
        await begun(shown, PlayOptions(PRESETS["mini"], "easy"), MatchScreen)
        assert (shown.app.settings.rules, shown.app.settings.opponent) == ("classic", "hard")
