import pytest

from kit.people import sit_down
from kit.screen.stage import stage
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import FRIEND, JoinOptions, PlayOptions
from mastermind_client.config.settings import Settings, load
from mastermind_client.network.updates import SpectatorsChanged
from mastermind_client.screen.pages.entering import EnteringScreen
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.pages.matches.watching import SpectatorScreen
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.events import Joined
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import PRESETS

GAME = PlayOptions(PRESETS["classic"], versus="random", rounds=1)
TYPE = "Type colours by their letters: R is red."
SEND = "The row is full: Enter sends it."
MARKS = "black: right place; white: wrong place."
NAME = "Your name (Enter for a guest's):"


@pytest.fixture
async def shown():
    """The screen of a new player."""
    async with stage(introduction="all", settings=Settings(pace=0)) as shown:
        yield shown


async def test_the_first_game_asks_for_the_name_and_the_second_does_not(shown):
    shown.app.go(GAME)
    await shown.until(NAME)
    shown.type("Ada")
    shown.press("enter")
    await shown.wait_for_screen(PlayerScreen)
    await shown.until(lambda: load(settings_path()).settings.name == "Ada")
    first = shown.app.screen
    shown.app.go(GAME)
    await shown.until(lambda: not isinstance(shown.app.screen, EnteringScreen))
    assert isinstance(shown.app.screen, PlayerScreen)
    assert shown.app.screen is not first


async def test_a_refused_name_is_asked_again_and_an_empty_one_makes_a_guest(shown):
    shown.app.go(GAME)
    await shown.until(NAME)
    shown.type("x" * 25)
    shown.press("enter")
    await shown.until("24 characters")
    shown.press("c-u", "enter")
    await shown.wait_for_screen(PlayerScreen)
    assert (shown.app.settings.name, shown.app.settings.introduction) == (None, "hints")


@pytest.mark.parametrize("options", [GAME, PlayOptions(PRESETS["classic"], versus=FRIEND)])
async def test_esc_at_the_name_opens_no_match(shown, options):
    shown.app.go(options)
    await shown.until(NAME)
    shown.type("Ada")
    shown.press("escape")
    await shown.wait_for_screen(HomeScreen)
    assert not shown.app.open_servers
    assert (shown.app.settings.name, shown.app.settings.introduction) == (None, "all")
    shown.app.go(options)
    await shown.until(NAME)


async def test_an_invitation_is_shown_before_the_name_is_asked(shown, server, people):
    inviting = await people.meet("Eve")
    mirror = await inviting.session.open("mini", maker="me", breaker="open", rounds=2)
    shown.app.go(JoinOptions(mirror.code, server.address))
    await shown.until(NAME)
    for told in (f"Invitation {mirror.code}", server.address, "Eve invites you.", "mini: 4 pegs",
                 "► Accept"):  # fmt: skip
        assert told in shown.text()
    inviting.drain()
    assert mirror.state.phase is Phase.GATHERING
    shown.type("Ada")
    shown.press("enter")
    joined = await inviting.wait_for_event(Joined)
    assert joined.player.name == "Ada"
    await shown.wait_for_screen(PlayerScreen)


async def test_a_player_with_a_name_accepts_the_terms_of_a_typed_invitation(server, people):
    inviting = await people.meet("Eve")
    mirror = await inviting.session.open(
        "mini", maker="me", breaker="open", rounds=2, rated=True, clock="5+3"
    )
    async with stage(settings=Settings(name="Ada", pace=0)) as shown:
        shown.app.go(JoinOptions(mirror.code, server.address, typed=True))
        await shown.until("► Accept")
        told = " ".join(shown.text().split())
        for term in ("Eve invites you. You break a code. Then the seats change. 2 rounds.",
                     "mini: 4 pegs", "5 minutes", "Rated"):  # fmt: skip
            assert term in told
        assert mirror.state.phase is Phase.GATHERING
        shown.press("enter")
        await shown.wait_for_screen(PlayerScreen)
    await inviting.wait_for_event(Joined)


async def test_a_third_person_reads_that_both_seats_are_taken_before_the_name_is_asked(
    shown, server, ada, bob
):
    mirror, _theirs = await sit_down(ada, bob)
    shown.app.go(JoinOptions(mirror.code, server.address, typed=True))
    await shown.until("Both seats are taken")
    assert NAME not in shown.text()
    await shown.until("► Watch it")
    shown.press("enter")
    await shown.wait_for_screen(SpectatorScreen)


async def test_esc_at_the_name_joins_nothing(shown, server, people):
    inviting = await people.meet("Eve")
    mirror = await inviting.session.open("mini", maker="me", breaker="open")
    shown.app.go(JoinOptions(mirror.code, server.address))
    await shown.until(NAME)
    await inviting.wait_for_update(SpectatorsChanged, lambda _: mirror.spectators == 1)
    shown.press("escape")
    await shown.wait_for_screen(HomeScreen)
    await inviting.wait_for_update(SpectatorsChanged, lambda _: mirror.spectators == 0)
    assert mirror.state.phase is Phase.GATHERING
    assert shown.app.settings.introduction == "all"


async def test_an_unreachable_server_is_reported_before_the_name_is_asked(shown):
    shown.app.go(JoinOptions("ABCDEF", "ws://127.0.0.1:1"))
    await shown.until("Try again")
    assert NAME not in shown.text()


async def test_a_known_name_is_not_asked():
    async with stage(introduction="all", settings=Settings(name="Ada", pace=0)) as shown:
        shown.app.go(GAME)
        await shown.wait_for_screen(PlayerScreen)
        assert shown.app.settings.introduction == "all"


async def test_hints_appear_until_the_first_game_ends():
    async with stage(introduction="hints") as shown:
        shown.app.go(GAME)
        await shown.until(TYPE)
        shown.type("RRGG")
        await shown.until(SEND)
        shown.press("enter")
        await shown.until(MARKS)
        shown.type("RRGG")
        shown.press("enter")
        await shown.until(lambda: MARKS not in shown.text())
        screen = shown.on(PlayerScreen)
        await screen.server.session.perform(screen.mirror, ResignRound())
        await shown.until(lambda: load(settings_path()).settings.introduction == "none")


async def test_advice_replaces_a_hint():
    async with stage(60, 20, introduction="hints") as shown:
        shown.app.go(GAME)
        await shown.until(TYPE)
        shown.press("f2")
        await shown.until("1296 codes fit.")
        assert TYPE not in shown.text()
        shown.press("f2")
        await shown.until(TYPE)
