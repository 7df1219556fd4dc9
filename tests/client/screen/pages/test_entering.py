import gc

import pytest

from kit.people import sit_down
from kit.players import identities
from kit.proxy import RelayProxy
from kit.screen.stage import Stage, stage
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    OFFLINE,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
    find_address,
)
from mastermind_client.config.settings import Settings, load
from mastermind_client.network.connection import link
from mastermind_client.network.embedded import embedded_server
from mastermind_client.screen import app
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.matches.watching import SpectatorScreen
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_protocol.events import Joined, MatchEnd
from mastermind_protocol.requests import Join, Leave, Open, Seek
from mastermind_protocol.rules import DEFAULT

NOWHERE = "ws://127.0.0.1:1"  # a port without a listener
INVITATION = PlayOptions(DEFAULT, FRIEND, server=NOWHERE)


async def test_connecting_shows_the_screen_before_and_esc_cancels(relay, monkeypatch):
    monkeypatch.setattr(link, "OPEN_SECONDS", 1000.0)  # longer than any test
    relay.hold()
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=relay.address))
        await shown.until(f"Connecting to {relay.address} ...")
        assert "Invite a friend" in shown.text()
        (row,) = [row for row, line in enumerate(shown.text().splitlines()) if "Settings" in line]
        shown.click(6, row)
        shown.press("enter", "enter", "escape")
        await shown.wait_for_screen(HomeScreen)
        await shown.until(lambda: "(Esc gives it up)" not in shown.text())
        assert not shown.app.busy


async def test_without_a_server_the_page_offers_ways_on(server):
    await server.stop()
    async with stage(60, 20) as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=server.address))
        await shown.until("Cannot reach")
        await shown.until("mastermind-server")
        for way in ("Try again", "Another server", "Play a bot", "Back"):
            assert way in shown.text()
        shown.press("down", "down", "enter")
        await shown.wait_for_screen(OpeningScreen)
        shown.press("escape")
        await shown.wait_for_screen(HomeScreen)
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=server.address))
        await shown.until("Try again")
        await server.start()
        shown.press("enter")
        await shown.wait_for_screen(WaitingScreen)


async def test_another_server_can_be_typed_and_is_saved(server):
    async with stage(settings=Settings(server=NOWHERE)) as shown:
        shown.app.go(INVITATION)
        await shown.until("Try again")
        shown.press("down", "enter")
        await shown.until("Server:")
        shown.press("c-u")
        shown.type("two words")
        shown.press("enter")
        await shown.until("use HOST")
        shown.press("c-u")
        shown.type(server.address)
        shown.press("enter")
        await shown.wait_for_screen(WaitingScreen)
        assert shown.app.settings.server == server.address


async def test_a_full_match_can_be_watched(server, ada, bob):
    mirror, _theirs = await sit_down(ada, bob)
    async with stage() as shown:
        shown.app.go(JoinOptions(mirror.code, server.address))
        await shown.until("Both seats are taken")
        shown.press("enter")
        await shown.wait_for_screen(MatchScreen)
        shown.press("escape")
        await shown.wait_for_screen(HomeScreen)


async def test_a_wrong_code_can_be_corrected(server, ada):
    code = (await ada.session.open("classic", maker="me", breaker="open")).code
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    async with stage() as shown:
        shown.app.go(JoinOptions(wrong, server.address))
        await shown.until("Another code")
        shown.press("enter")
        await shown.until(f"Code, link or whole line: {wrong}")
        shown.press("backspace", code[-1], "enter")
        await shown.until("► Accept")
        shown.press("enter")
        await shown.wait_for_screen(MatchScreen)


async def test_the_host_that_an_invitation_names_is_that_of_its_server_only(server):
    async with stage() as shown:
        shown.app.go(JoinOptions("ABCDEF", server.address))
        await shown.until("Another code")
        shown.press("enter")
        await shown.until("Code, link or whole line: ABCDEF")
        shown.press("c-u")
        shown.type("127.0.0.1:1/ABCDEF#Ada")
        shown.press("enter")
        await shown.until(f"Ada has closed the game at {NOWHERE}")
        shown.press("down", "enter")
        await shown.until("Server:")
        shown.type("127.0.0.1:2")
        shown.press("enter")
        await shown.until("Cannot reach ws://127.0.0.1:2")


async def test_the_server_of_an_invitation_is_remembered_after_joining(server, ada):
    code = (await ada.session.open("classic", maker="me", breaker="open")).code
    usual = Settings(server=NOWHERE)
    async with stage(settings=usual) as shown:
        shown.app.go(JoinOptions("ABCDEF", server.address, names_server=True))
        await shown.until("Another code")
        assert shown.app.settings.server == NOWHERE
        shown.app.go(JoinOptions(code, server.address, names_server=True))
        await shown.until(f"{server.address} is your server for friends from now on.")
        await shown.until(lambda: load(settings_path()).settings.server == server.address)
        assert shown.app.settings.server == server.address


async def test_the_server_of_another_join_is_not_remembered(server, ada):
    code = (await ada.session.open("classic", maker="me", breaker="open")).code
    async with stage(settings=Settings(server=NOWHERE)) as shown:
        shown.app.go(JoinOptions(code, server.address))
        await shown.wait_for_screen(MatchScreen)
        assert shown.app.settings.server == NOWHERE


async def test_cancelling_before_the_connection_opens_no_match(server, ada):
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, ANYONE, server=server.address))
        shown.app.back()
        await shown.app.connect(server.address)
        assert await ada.session.list_matches("waiting") == ()


async def test_a_cancelled_connection_that_fails_is_not_reported(relay):
    relay.hold()
    relay.reject_connections(404)
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=relay.address))
        await shown.until("(Esc gives it up)")
        connecting = shown.app.servers._servers[relay.address, None]
        shown.press("escape")
        await shown.until(lambda: not shown.app.busy)
        relay.release()
        await shown.until(connecting.done)
        del connecting, shown.app.servers._servers[relay.address, None]
        gc.collect()  # reports exceptions that no task retrieved
        shown.press("down")
        await shown.until("► Invite a friend")


async def test_a_notice_says_that_an_offline_game_is_not_kept():
    folder = identities().offline_folder
    folder.mkdir(parents=True)
    async with embedded_server(folder), stage() as shown:
        shown.app.go(PlayOptions(DEFAULT))
        await shown.until("no game of this one is kept")


@pytest.mark.parametrize(
    ("versus", "key"), [(FRIEND, "escape"), (FRIEND, "f10"), (ANYONE, "escape")]
)
async def test_a_match_opened_after_the_player_cancelled_is_closed(relay, ada, versus, key):
    async with stage() as shown:
        await lose_answer(relay, shown, PlayOptions(DEFAULT, versus, server=relay.address), key)
        relay.release()
        await shown.until(lambda: any(isinstance(asked, Leave) for asked in relay.asked))
        if key == "f10":
            await shown.ended()
    left = next(asked.match for asked in relay.asked if isinstance(asked, Leave))
    mirror = await ada.session.follow(left)
    assert mirror.state.outcome is not None
    assert mirror.state.outcome.how is MatchEnd.CLOSED


async def test_the_program_ends_soon_although_the_server_does_not_answer(relay, ada, monkeypatch):
    monkeypatch.setattr(app, "LEAVE_SECONDS", 0.1)
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage() as shown:
        await lose_answer(relay, shown, JoinOptions(mirror.code, relay.address), "f10")
        await shown.ended()
        relay.release()


@pytest.mark.parametrize("key", ["escape", "f10"])
async def test_a_seat_taken_after_the_player_cancelled_is_kept(relay, ada, key):
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage() as shown:
        await lose_answer(relay, shown, JoinOptions(mirror.code, relay.address), key)
        relay.release()
        if key == "escape":
            await shown.until(f"You have a seat in match {mirror.code}")
        else:
            await shown.ended()
            assert f"Saved for later: Ada, {mirror.code}, their turn." in "".join(
                shown.app.farewell
            )
    await ada.wait_for_event(Joined)
    assert mirror.state.outcome is None


async def lose_answer(
    relay: RelayProxy, shown: Stage, options: JoinOptions | PlayOptions, key: str
) -> None:
    """Request a match, lose the server's answer, and cancel with a key."""
    place = await shown.app.connect(relay.address)
    seeks = isinstance(options, PlayOptions) and options.versus == ANYONE
    kind = Join if isinstance(options, JoinOptions) else Seek if seeks else Open
    relay.cut_before_answer(kind)
    relay.hold()
    shown.app.go(options)
    await shown.until(lambda: any(isinstance(asked, kind) for asked in relay.asked))
    await shown.until(lambda: not place.session.connected)
    entering = shown.app.screen
    shown.press(key)
    await shown.until(lambda: not shown.app.holds(entering))
    if key == "escape":
        await shown.until(lambda: "(Esc gives it up)" not in shown.text())


@pytest.mark.parametrize(
    ("options", "address"),
    [
        (PlayOptions(DEFAULT), OFFLINE),
        (PlayOptions(DEFAULT, FRIEND, usual_server="ws://there:1"), "ws://there:1"),
        (PlayOptions(DEFAULT, server="ws://here:1"), "ws://here:1"),
        (JoinOptions("ABCDEF", "ws://here:1"), "ws://here:1"),
        (WatchOptions(None, bot="hard", rules=DEFAULT), OFFLINE),
        (WatchOptions("ws://here:1", "ABCDEF"), "ws://here:1"),
        (ReviewOptions("ABCDEF", OFFLINE), OFFLINE),
    ],
)
def test_options_without_a_server_are_played_offline(options, address):
    assert find_address(options) == address


async def test_a_seat_open_in_another_terminal_can_be_watched(server, people, ada):
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
        mirror, _hers = await sit_down(bob, ada)
        async with stage(settings=Settings(server=server.address)) as shown:
            shown.app.go(JoinOptions(mirror.code, server.address, typed=True))
            await shown.until(f"Your seat in match {mirror.code} is open in another terminal")
            assert "Another server" not in shown.text()
            await shown.until("► Watch it")
            shown.press("enter")
            await shown.wait_for_screen(SpectatorScreen)
