from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from client.screen.stage import Stage, stage
from kit.people import sit_down
from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    OFFLINE,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.settings import Settings
from mastermind_client.net import link
from mastermind_client.net.embedded import embedded_server
from mastermind_client.net.identity import claim_identity
from mastermind_client.net.running import offline_folder
from mastermind_client.screen import app
from mastermind_client.screen.pages.entering import find_address
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.opening import OpeningScreen
from mastermind_client.screen.pages.spectator import SpectatorScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_protocol.events import Joined, MatchEnd
from mastermind_protocol.requests import Join, Leave, Open, Seek
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from kit.people import People, Person
    from kit.relay import Relay
    from kit.server import RestartableServer
    from mastermind_client.config.options import MatchOptions

NOWHERE = "ws://127.0.0.1:1"  # a port that nobody listens on
INVITATION = PlayOptions(DEFAULT, FRIEND, server=NOWHERE)


def at(shown: Stage, kind: type) -> bool:
    return isinstance(shown.app.screen, kind)


async def test_on_the_way_the_screen_before_is_seen_and_what_is_waited_for(relay: Relay) -> None:
    relay.hold()
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=relay.address))
        await shown.until(f"Connecting to {relay.address} ...")
        assert "Invite a friend" in shown.text()
        shown.press("enter", "enter", "escape")
        await shown.until(lambda: at(shown, HomeScreen))


async def test_the_screen_before_cannot_be_clicked_on_meanwhile(relay: Relay) -> None:
    relay.hold()
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=relay.address))
        entering = shown.app.screen
        await shown.until("Connecting to")
        (row,) = [row for row, line in enumerate(shown.text().splitlines()) if "Settings" in line]
        shown.click(6, row)
        shown.press("escape")
        await shown.until(lambda: shown.app.screen is not entering)
        assert at(shown, HomeScreen)


async def test_where_there_is_no_server_it_says_what_can_be_done() -> None:
    async with stage(60, 20) as shown:
        shown.app.go(INVITATION)
        await shown.until("nothing listens there")
        await shown.until("mastermind-server")
        for way in ("Try again", "Another server", "Play a bot", "Back"):
            assert way in shown.text()
        shown.press("escape")
        await shown.until(lambda: at(shown, HomeScreen))


async def test_it_can_be_tried_again(server: RestartableServer) -> None:
    await server.stop()
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=server.address))
        await shown.until("Try again")
        await server.start()
        shown.press("enter")
        await shown.until(lambda: at(shown, WaitingScreen))


async def test_another_server_can_be_named_and_is_kept(server: RestartableServer) -> None:
    async with stage(settings=Settings(server=NOWHERE)) as shown:
        shown.app.go(INVITATION)
        await shown.until("Try again")
        shown.press("down", "enter")
        await shown.until("Server:")
        shown.press("c-u")
        shown.type("localhost")
        shown.press("enter")
        await shown.until("use ws://HOST:PORT")
        shown.press("c-u")
        shown.type(server.address)
        shown.press("enter")
        await shown.until(lambda: at(shown, WaitingScreen))
        assert shown.app.settings.server == server.address


async def test_a_bot_can_be_played_instead() -> None:
    async with stage() as shown:
        shown.app.go(INVITATION)
        await shown.until("Play a bot")
        await shown.until("Try again")
        shown.press("down", "down", "enter")
        await shown.until(lambda: at(shown, OpeningScreen))
        shown.press("escape")
        await shown.until(lambda: at(shown, HomeScreen))


async def test_a_match_that_is_full_can_be_watched_instead(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    mirror, _theirs = await sit_down(ada, bob)
    async with stage() as shown:
        shown.app.go(JoinOptions(mirror.code, server.address))
        await shown.until("Both seats are taken")
        shown.press("down", "enter")
        await shown.until(lambda: at(shown, MatchScreen))
        shown.press("escape")
        await shown.until(lambda: at(shown, HomeScreen))


async def test_a_match_that_there_is_not_is_named(server: RestartableServer) -> None:
    async with stage() as shown:
        shown.app.go(ReviewOptions("ABCDEF", server.address))
        await shown.until("ABCDEF")
        assert "Another server" not in shown.text()
        assert "Try again" not in shown.text()


async def test_a_wrong_code_is_kept_to_be_mended(server: RestartableServer, ada: Person) -> None:
    code = (await ada.session.open("classic", maker="me", breaker="open")).code
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    async with stage() as shown:
        shown.app.go(JoinOptions(wrong, server.address))
        await shown.until("Another code")
        shown.press("enter")
        await shown.until(f"Code, or the whole line: {wrong}")
        shown.press("backspace", code[-1], "enter")
        await shown.until(lambda: at(shown, MatchScreen))


async def test_nothing_is_opened_by_whoever_gives_up_before_there_is_a_connection(
    server: RestartableServer, ada: Person
) -> None:
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, ANYONE, server=server.address))
        shown.app.back()
        await shown.app.connect(server.address)
        assert await ada.session.list_matches("waiting") == ()


async def test_what_is_given_up_is_spoken_of_no_more(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "OPEN_SECONDS", 1000.0)  # for which nobody would be told more
    relay.hold()
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=relay.address))
        await shown.until("(Esc gives it up)")
        shown.press("escape")
        await shown.until(lambda: "(Esc gives it up)" not in shown.text())
        assert not shown.app.busy


async def test_a_connection_that_fails_after_it_was_given_up_is_nobodys_trouble(
    relay: Relay,
) -> None:
    relay.hold()
    relay.turn_away(404)
    async with stage() as shown:
        shown.app.go(PlayOptions(DEFAULT, FRIEND, server=relay.address))
        await shown.until("(Esc gives it up)")
        connecting = shown.app.places._places[relay.address, None]
        shown.press("escape")
        await shown.until(lambda: at(shown, HomeScreen) and not shown.app.busy)
        relay.release()
        await shown.until(connecting.done)
        del connecting, shown.app.places._places[relay.address, None]
        gc.collect()  # what nobody has looked at would be told of now
        shown.press("down")
        await shown.until("► Invite a friend")


async def test_that_no_game_is_kept_is_told_on_the_way_into_it() -> None:
    folder = offline_folder()
    folder.mkdir(parents=True)
    async with embedded_server(folder), stage() as shown:
        shown.app.go(PlayOptions(DEFAULT))
        await shown.until("no game of this one is kept")


@pytest.mark.parametrize("key", ["escape", "f10"])
async def test_a_match_of_ones_own_that_is_opened_when_it_is_given_up_is_closed(
    relay: Relay, ada: Person, key: str
) -> None:
    async with stage() as shown:
        await shown.app.connect(relay.address)
        options = PlayOptions(DEFAULT, FRIEND, server=relay.address)
        await lose_answer(relay, shown, options, key)
        relay.release()
        await shown.until(lambda: any(isinstance(asked, Leave) for asked in relay.asked))
        if key == "f10":
            await shown.ended()
    left = next(asked.match for asked in relay.asked if isinstance(asked, Leave))
    mirror = await ada.session.follow(left)
    assert mirror.state.outcome is not None
    assert mirror.state.outcome.how is MatchEnd.CLOSED


async def test_a_seat_that_is_taken_when_the_program_ends_is_kept_and_told_of(
    relay: Relay, ada: Person
) -> None:
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage() as shown:
        await shown.app.connect(relay.address)
        await lose_answer(relay, shown, JoinOptions(mirror.code, relay.address), "f10")
        relay.release()
        await shown.ended()
        assert f"Put aside: Ada, {mirror.code}, Ada thinks." in "".join(shown.app.farewell)
    await ada.hear_of(Joined)
    assert mirror.state.outcome is None


async def test_nobody_waits_long_for_a_prompt_when_the_server_is_gone(
    relay: Relay, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "LEAVE_SECONDS", 0.1)
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage() as shown:
        await shown.app.connect(relay.address)
        await lose_answer(relay, shown, JoinOptions(mirror.code, relay.address))
        shown.press("f10")
        await shown.ended()
        relay.release()


async def test_a_match_that_is_opened_when_it_is_given_up_is_left(
    relay: Relay, ada: Person
) -> None:
    async with stage() as shown:
        await shown.app.connect(relay.address)
        await lose_answer(relay, shown, PlayOptions(DEFAULT, ANYONE, server=relay.address))
        relay.release()
        await shown.until(lambda: any(isinstance(asked, Leave) for asked in relay.asked))
    left = next(asked.match for asked in relay.asked if isinstance(asked, Leave))
    mirror = await ada.session.follow(left)
    assert mirror.state.outcome is not None
    assert mirror.state.outcome.how is MatchEnd.CLOSED


async def test_a_seat_that_is_taken_when_it_is_given_up_is_kept(relay: Relay, ada: Person) -> None:
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    async with stage() as shown:
        await shown.app.connect(relay.address)
        await lose_answer(relay, shown, JoinOptions(mirror.code, relay.address))
        relay.release()
        await shown.until(f"You have a seat in match {mirror.code}")


async def lose_answer(
    relay: Relay, shown: Stage, options: JoinOptions | PlayOptions, key: str = "escape"
) -> None:
    """Set out, and give it up by a key when the server has done it, but its answer is lost."""
    seeks = isinstance(options, PlayOptions) and options.versus == ANYONE
    kind = Join if isinstance(options, JoinOptions) else Seek if seeks else Open
    relay.cut_before_answer(kind)
    relay.hold()
    shown.app.go(options)
    await shown.until(lambda: any(isinstance(asked, kind) for asked in relay.asked))
    place = await shown.app.connect(relay.address)
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
def test_only_what_needs_no_server_is_done_without_one(options: MatchOptions, address: str) -> None:
    assert find_address(options) == address


async def test_a_seat_that_is_open_in_another_terminal_can_be_watched(
    server: RestartableServer, people: People, ada: Person
) -> None:
    with claim_identity(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
        mirror, _hers = await sit_down(bob, ada)
        async with stage(settings=Settings(server=server.address)) as shown:
            shown.app.go(JoinOptions(mirror.code, server.address))
            await shown.until(f"Your seat in match {mirror.code} is open in another terminal")
            assert "Another server" not in shown.text()
            await shown.until("► Watch it")
            shown.press("enter")
            await shown.until(lambda: isinstance(shown.app.screen, SpectatorScreen))
