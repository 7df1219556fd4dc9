from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from client.screen.looks import LOOK, assert_fits, show
from client.screen.played import ADA, BOB
from client.screen.slate import Slate
from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.pages.match import MatchScreen
from mastermind_client.screen.pages.waiting import Waiting, WaitingScreen, draw_waiting, is_local
from mastermind_protocol.events import Finished, Joined, MatchEnd, Opened, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import PRESETS
from mastermind_protocol.transitions import fold

if TYPE_CHECKING:
    from client.people import People, Person, RestartableServer
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.screen.places import Place
    from mastermind_protocol.match import Match

SMALLEST, USUAL, LARGE, HUGE = Extent(60, 18), Extent(80, 22), Extent(120, 38), Extent(300, 100)
FAR = "wss://mastermind.example:8765"
SETTINGS = Settings(name="Bob")


def gathering(opened: Opened | None = None, seat: Seat = Seat.BREAKER) -> Match:
    """Return a match in which Bob sits alone."""
    return fold([opened or Opened(rules="classic", rounds=1), Joined(player=BOB, seat=seat)])


WAITING = Waiting(code="K7M2QX", match=gathering(), me=BOB.id, server=FAR)
EVERYTHING = Waiting(
    code="K7M2QX",
    match=gathering(Opened(rules="classic", rounds=2, rated=True, public=True)),
    me=BOB.id,
    server="ws://localhost:8765",
)


def draw(waiting: Waiting, extent: Extent = USUAL) -> list[str]:
    return [line.strip() for line in show(draw_waiting(waiting, extent, LOOK))]


def test_the_invite_code_is_there_in_large_letters_and_on_a_line_of_its_own() -> None:
    lines = draw(WAITING)
    assert "##   ##  #######  ##   ##  ######    #####   ##   ##" in lines
    assert lines[lines.index("Invite code:") + 1] == "K7M2QX"


def test_what_a_friend_types_is_on_a_line_of_its_own() -> None:
    lines = draw(WAITING)
    command = lines[lines.index("Your friend types:") + 1]
    assert command == f"mastermind join K7M2QX --server {FAR}"


def test_an_address_with_signs_that_a_shell_reads_is_quoted() -> None:
    waiting = replace(WAITING, server="ws://host/?a=1&b=2")
    assert waiting.command == "mastermind join K7M2QX --server 'ws://host/?a=1&b=2'"


def test_an_address_of_this_machine_is_told_to_be_one() -> None:
    told = "This address is good on this machine only."
    assert told not in draw(WAITING)
    assert told in draw(replace(WAITING, server="ws://localhost:8765"))


@pytest.mark.parametrize(
    ("server", "local"),
    [
        ("ws://localhost:8765", True),
        ("ws://LOCALHOST", True),
        ("ws://play.localhost:1", True),
        ("ws://127.0.0.1:8765", True),
        ("ws://127.8.8.8", True),
        ("wss://[::1]:8765", True),
        ("ws://192.168.0.7:8765", False),
        ("wss://localhost.example", False),
    ],
)
def test_a_local_address_is_known(server: str, local: bool) -> None:
    assert is_local(server) is local


@pytest.mark.parametrize(
    ("opened", "seat", "told"),
    [
        (Opened(rules="classic", rounds=1), Seat.MAKER, "You are the codemaker."),
        (Opened(rules="classic", rounds=1), Seat.BREAKER, "You are the codebreaker."),
        (Opened(rules="classic", rounds=2), Seat.MAKER, "You begin as codemaker."),
        (Opened(rules="classic", rounds=2), Seat.BREAKER, "You begin as codebreaker."),
        (Opened(rules="mini", rounds=1), Seat.MAKER, "mini: 4 pegs, 6 colours, 6 guesses."),
        (
            Opened(rules="mini", rounds=3),
            Seat.MAKER,
            "3 rounds are played; the seats are swapped after each.",
        ),
        (
            Opened(rules="mini", rounds=3, rated=True),
            Seat.MAKER,
            "It is rated: without advice, and without programs.",
        ),
        (
            Opened(rules="mini", rounds=3, public=True),
            Seat.MAKER,
            "It is in the list of open matches.",
        ),
    ],
)
def test_what_is_played_is_told(opened: Opened, seat: Seat, told: str) -> None:
    assert told in draw(replace(WAITING, match=gathering(opened, seat)))


def test_a_private_match_waits_for_a_friend_and_a_public_one_for_anybody() -> None:
    assert "Waiting for your friend ..." in draw(WAITING)
    public = gathering(Opened(rules="classic", rounds=1, public=True))
    assert "Waiting for somebody to join ..." in draw(replace(WAITING, match=public))


def test_a_rematch_waits_for_an_answer_and_shows_no_code() -> None:
    opened = Opened(rules="classic", rounds=1, previous="ABCDEF", reserved=ADA.id)
    lines = draw(replace(WAITING, match=gathering(opened), asked="Ada"))
    assert "Waiting for Ada to take the rematch ..." in lines
    assert "Invite code:" not in lines
    assert "Waiting for the answer ..." in draw(replace(WAITING, match=gathering(opened)))


@pytest.mark.parametrize("extent", [SMALLEST, USUAL, LARGE, HUGE])
@pytest.mark.parametrize(
    "server", [FAR, "ws://localhost:8765", "wss://" + "long." * 24 + "example"]
)
def test_code_command_and_trouble_are_there_on_every_screen(extent: Extent, server: str) -> None:
    waiting = replace(EVERYTHING, server=server)
    lines = draw_waiting(waiting, extent, LOOK)
    assert_fits(lines, extent)
    shown = [line.strip() for line in show(lines)]
    assert "K7M2QX" in shown
    assert waiting.command.replace(" ", "") in "".join(shown).replace(" ", "")


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_large_letters_have_room_on_the_smallest_screen(rules: object) -> None:
    match = gathering(Opened(rules=str(rules), rounds=1))
    lines = draw(replace(WAITING, match=match, server="ws://localhost:8765"), SMALLEST)
    assert "##   ##  #######  ##   ##  ######    #####   ##   ##" in lines


def test_large_letters_go_before_what_is_played_and_a_long_command_before_both() -> None:
    letters, rules = "##   ##  #######  ##   ##", "classic: 4 pegs, 6 colours, 12 guesses."
    smaller = Extent(60, 16)
    shown = "\n".join(draw(EVERYTHING, smaller))
    assert letters in shown
    assert rules not in shown
    shown = "\n".join(draw(replace(EVERYTHING, server="wss://" + "long." * 60), smaller))
    assert letters not in shown


# The screen itself, with a real server.


def bells(shown: Stage) -> int:
    """Return how often the bell was rung; it ends window titles too."""
    return re.sub(r"\x1b\][^\a]*\a", "", shown.glass.written).count("\a")


async def wait_at(
    shown: Stage, server: RestartableServer, *, public: bool = False
) -> tuple[Place, Mirror]:
    """Open a match and wait for somebody, on top of what is shown."""
    place = await shown.app.connect(server.address)
    mirror = await place.session.open("classic", maker="open", breaker="me", public=public)
    shown.app.open(WaitingScreen(shown.app, place, mirror))
    await shown.until("Invite code:")
    return place, mirror


async def test_when_somebody_joins_the_match_itself_is_shown_with_a_bell(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        assert not bells(shown)
        await ada.session.join(mirror.code)
        await shown.until(lambda: isinstance(shown.app.screen, MatchScreen))
        await shown.until("Ada is here.")
        assert bells(shown) == 1
        assert "Ada is here - Mastermind" in shown.glass.written


async def test_a_question_is_forgotten_when_somebody_joins(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        shown.press("escape")
        await shown.until("Close the invitation?")
        await ada.session.join(mirror.code)
        await shown.until("Ada is here.")
        assert "Close the invitation?" not in shown.text()
        assert shown.app.card is None
        assert isinstance(shown.app.screen, MatchScreen)


async def test_esc_closes_the_match_after_a_question(
    server: RestartableServer, ada: Person
) -> None:
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
        await ada.hear_of(Finished)
        assert closed.state.outcome is not None
        assert closed.state.outcome.how is MatchEnd.CLOSED


async def test_a_match_left_while_reconnecting_is_closed_when_the_connection_is_back(
    people: People, ada: Person
) -> None:
    relay = await people.relay()
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(relay.address)
        mirror = await place.session.seek("classic")
        shown.app.open(WaitingScreen(shown.app, place, mirror))
        await shown.until("Waiting for somebody to join")
        relay.hold()
        relay.cut()
        await shown.until("Trying again")
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("down", "down", "enter")
        await shown.until("This is the slate.")
        relay.release()
        await shown.until(lambda: not shown.app.busy)
        assert await ada.session.list_matches("waiting") == ()
        assert (await ada.session.seek("classic")).code != mirror.code


async def test_an_invitation_is_kept_when_the_program_ends(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        shown.press("f10")
        await shown.ended()
        assert f"An invitation, {mirror.code}, waiting for a friend" in "".join(shown.app.farewell)
    assert (await ada.session.join(mirror.code)).state.phase is Phase.SETTING


async def test_an_invitation_that_is_put_aside_rings_when_somebody_comes(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        _place, mirror = await wait_at(shown, server)
        shown.press("escape")
        await shown.until("Close the invitation?")
        shown.press("down", "enter")
        await shown.until("This is the slate.")
        await ada.session.join(mirror.code)
        await shown.until(lambda: mirror.state.phase is Phase.SETTING)


async def test_the_end_of_the_program_closes_a_match_that_is_in_the_list(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await wait_at(shown, server, public=True)
        shown.press("f10")
        await shown.ended()
    assert await ada.session.list_matches("waiting") == ()


async def test_code_and_command_can_be_copied(server: RestartableServer) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place, mirror = await wait_at(shown, server)
        command = f"mastermind join {mirror.code} --server {place.session.server}"
        for key, told, copied in (
            ("c", "The code is copied, if your terminal allows it.", mirror.code),
            ("j", "The command is copied, if your terminal allows it.", command),
        ):
            shown.press(key)
            await shown.until(told)
            sent = b64encode(copied.encode()).decode()
            assert f"\x1b]52;c;{sent}\x07" in shown.glass.written


async def test_a_lost_connection_is_shown_and_a_new_one_too(server: RestartableServer) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await wait_at(shown, server)
        await server.stop()
        await shown.until("Trying again (")
        await server.start()
        await shown.until(lambda: "Trying again" not in shown.text())
        assert "Invite code:" in shown.text()


async def play_to_its_end(shown: Stage, server: RestartableServer, ada: Person) -> Mirror:
    """Play a match of one round against Ada, who breaks the code at once; return it."""
    place = await shown.app.connect(server.address)
    mirror = await place.session.open("classic", maker="me", breaker="open")
    theirs = await ada.session.join(mirror.code)
    await shown.until(lambda: mirror.state.phase is Phase.SETTING)
    await place.session.set_secret(mirror, (0, 1, 2, 3))
    await ada.guess(theirs, "0123")
    await shown.until(lambda: mirror.state.phase is Phase.FINISHED)
    rematch = await place.session.rematch(mirror)
    shown.app.open(WaitingScreen(shown.app, place, rematch))
    await shown.until("Waiting for Ada to take the rematch ...")
    return theirs


async def test_a_rematch_goes_on_when_it_is_taken(server: RestartableServer, ada: Person) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        played = await play_to_its_end(shown, server, ada)
        await ada.session.rematch(played)
        await shown.until("Ada is here.")
        assert isinstance(shown.app.screen, MatchScreen)


async def test_a_rematch_is_given_up_when_the_other_leaves(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        played = await play_to_its_end(shown, server, ada)
        await ada.session.leave(played)
        await shown.until("Ada has left: there will be no rematch.")
        assert isinstance(shown.app.screen, Slate)


async def test_a_match_that_has_begun_before_it_is_shown_goes_on_at_once(
    server: RestartableServer, ada: Person
) -> None:
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.open("classic", maker="open", breaker="me")
        await ada.session.join(mirror.code)
        await shown.until(lambda: mirror.state.phase is Phase.SETTING)
        shown.app.open(WaitingScreen(shown.app, place, mirror))
        assert isinstance(shown.app.screen, MatchScreen)
        await shown.until("Ada is here.")
