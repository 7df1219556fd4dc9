from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kit.people import sit_down
from mastermind_client.config.options import (
    FRIEND,
    ContinueOptions,
    JoinOptions,
    PlayOptions,
)
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net.embedded import embedded_server
from mastermind_client.net.failures import NothingToContinue, SeatOpenElsewhere
from mastermind_client.net.identity import claim_identity, list_identities, offline_identity
from mastermind_client.net.running import UnfinishedMatch, offline_folder
from mastermind_protocol.events import Left, Seat
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.people import People, Person
    from kit.server import RestartableServer

    NewDesk = Callable[..., Desk]


@pytest.fixture
def another(new_desk: NewDesk, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Desk]:
    """Make a person's desk at which the next command is given."""

    def new() -> Desk:
        desk = new_desk(person=True)
        monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
        return desk

    return new


ALONE = PlayOptions(DEFAULT, versus="random", settled=True)


@pytest.mark.parametrize("how", ["Ctrl-C", "the end of input"])
async def test_whoever_ends_the_program_puts_the_match_aside(
    interactive: Desk, server: RestartableServer, ada: Person, how: str
) -> None:
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    interactive.start(app.join(JoinOptions(mirror.code, server.address, "Bob")))
    await interactive.until("Waiting for Ada")
    if how == "Ctrl-C":
        await interactive.interrupt()
    else:
        interactive.send(b"\x04")
        with pytest.raises(InputEnded):
            await interactive.finish()

    told = (
        f"Put aside: Ada, {mirror.code}, Ada thinks. Come back: mastermind continue {mirror.code}"
    )
    assert told in interactive.shown
    assert not [event for event in await ada.drain() if isinstance(event, Left)]
    (known,) = list_identities()
    assert known.remembered.find(mirror.code) is not None


async def test_whoever_quits_gives_the_match_up(
    interactive: Desk, server: RestartableServer, ada: Person
) -> None:
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    interactive.start(app.join(JoinOptions(mirror.code, server.address, "Bob")))
    await interactive.until("Waiting for Ada")

    interactive.type("quit")

    with pytest.raises(InputEnded):
        await interactive.finish()
    await ada.hear_of(Left)
    assert "Put aside" not in interactive.shown
    assert list_identities() == []


async def test_a_script_leaves_as_ever(desk: Desk, server: RestartableServer, ada: Person) -> None:
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    desk.start(app.join(JoinOptions(mirror.code, server.address, "Bob")))
    await desk.until("Waiting for Ada")

    desk.hang_up()

    await ada.session.set_secret(mirror, (0, 1, 2, 3))
    with pytest.raises(InputEnded):
        await desk.finish()
    await ada.hear_of(Left)
    assert "Put aside" not in desk.shown


async def test_an_invitation_outlasts_the_program(
    interactive: Desk, server: RestartableServer, people: People
) -> None:
    options = PlayOptions(DEFAULT, FRIEND, server=server.address, settled=True)
    interactive.start(app.play(options))
    await interactive.until("Waiting for your friend ...")
    await interactive.interrupt()

    assert "waiting for a friend. Come back: mastermind continue " in interactive.shown
    code = interactive.shown.split("mastermind continue ")[1].strip()
    bob = await people.meet("Bob")
    assert (await bob.session.join(code)).state.in_seat(Seat.MAKER) is not None


async def test_the_match_that_waits_for_us_is_gone_on_with(
    interactive: Desk, server: RestartableServer, people: People, bob: Person
) -> None:
    with claim_identity(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        await sit_down(ada, bob)
        await ada.session.open("eight", maker="me", breaker="open")
    await people.go_home()

    interactive.start(app.go_on(ContinueOptions()))

    await interactive.until("classic: 4 pegs")
    await interactive.until("Your secret (4 pegs): ")


async def test_each_of_two_players_gets_the_own_seat_in_the_other_order(
    another: Callable[[], Desk], server: RestartableServer, people: People
) -> None:
    eve = await people.meet("Eve")
    codes: dict[str, str] = {}
    with claim_identity(server.address) as first, claim_identity(server.address) as second:
        for name, identity in (("Ada", first), ("Bob", second)):
            person = await people.meet(name, identity=identity)
            codes[name] = (await sit_down(person, eve, "mini"))[0].code
    for name in ("Bob", "Ada"):
        desk = another()
        desk.start(app.join(JoinOptions(codes[name], server.address)))
        await desk.until("You are the codemaker.")
        await desk.until("Your secret (4 pegs): ")
        desk.type("o")
        await desk.until("Eve is connected.")


async def test_one_of_several_is_picked_from_the_list(
    interactive: Desk, server: RestartableServer, people: People, bob: Person
) -> None:
    with claim_identity(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        mirror, _his = await sit_down(ada, bob)
        invitation = await ada.session.open("eight", maker="me", breaker="open")
    interactive.start(app.go_on(ContinueOptions(listed=True)))
    await interactive.until(f" 1  {mirror.code}  classic: Bob, your turn\n")
    await interactive.until(f" 2  {invitation.code}  eight: An invitation, waiting for a friend\n")
    await interactive.until("Which one? (number, q to quit) ")
    interactive.type("3")
    await interactive.until("There is no match 3 in the list.")

    interactive.type("2")

    await interactive.until(f"Invite code: {invitation.code}")


@pytest.mark.parametrize("listed", [False, True])
async def test_nothing_is_gone_on_with_where_there_is_nothing(
    interactive: Desk, *, listed: bool
) -> None:
    interactive.start(app.go_on(ContinueOptions(listed=listed)))
    with pytest.raises(NothingToContinue):
        await interactive.finish()


async def test_a_game_against_a_bot_is_gone_on_with_without_a_server(
    interactive: Desk, another: Callable[[], Desk]
) -> None:
    interactive.start(app.play(ALONE))
    await interactive.until("Guess 1 of 12: ")
    interactive.type("1122")
    await interactive.until("Guess 2 of 12: ")
    await interactive.interrupt()
    assert "Put aside: random, " in interactive.shown
    desk = another()

    desk.start(app.go_on(ContinueOptions()))

    await desk.until("Guess 2 of 12: ")
    desk.type("quit")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert offline_identity(offline_folder()).remembered.matches == ()


async def test_a_script_keeps_no_game(desk: Desk) -> None:
    desk.start(app.play(ALONE))
    await desk.until("Guess 1 of 12: ")
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert not offline_folder().exists()


async def test_a_seat_that_is_open_in_another_terminal_is_named(
    another: Callable[[], Desk], server: RestartableServer, people: People, bob: Person
) -> None:
    with claim_identity(server.address) as identity:
        mirror, _his = await sit_down(await people.meet("Ada", identity=identity), bob)
        for command in (
            app.join(JoinOptions(mirror.code, server.address)),
            app.go_on(ContinueOptions(mirror.code)),
        ):
            desk = another()
            desk.start(command)
            with pytest.raises(SeatOpenElsewhere) as raised:
                await desk.finish()
            assert raised.value.match == mirror.code


async def test_so_is_a_game_that_is_played_here_in_another_terminal(interactive: Desk) -> None:
    match = UnfinishedMatch(code="AAAAAA", rules="classic", opponent="hard", bot=True)
    offline_identity(offline_folder()).remember(match)
    async with embedded_server(offline_folder()):
        interactive.start(app.go_on(ContinueOptions("AAAAAA")))
        with pytest.raises(SeatOpenElsewhere):
            await interactive.finish()


@pytest.mark.parametrize("answer", ["y", "n"])
async def test_who_says_nothing_of_what_to_play_is_offered_the_match_that_waits(
    interactive: Desk, another: Callable[[], Desk], answer: str
) -> None:
    interactive.start(app.play(ALONE))
    await interactive.until("Guess 1 of 12: ")
    interactive.type("1122")
    await interactive.until("Guess 2 of 12: ")
    await interactive.interrupt()

    desk = another()
    desk.start(app.play(replace(ALONE, undecided=True)))
    await desk.until("your turn? (Y/N) ")
    desk.type("perhaps")
    await desk.until("your turn? (Y/N) ")
    desk.type(answer)

    await desk.until("Guess 2 of 12: " if answer == "y" else "Guess 1 of 12: ")
