from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from kit.desk import Screen
from kit.people import sit_down, unreachable
from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    BotsOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net import matchmaking
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Finished, Left, Seat
from mastermind_protocol.requests import Join, Leave
from mastermind_protocol.rules import DEFAULT, PRESETS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from kit.desk import Desk
    from kit.people import People, Person
    from kit.relay import Relay
    from kit.server import RestartableServer

    NewDesk = Callable[..., Desk]
    Command = Callable[[str, str], Coroutine[object, object, None]]

NAME = "Your name (Enter for a guest's): "
WHICH = "Which one? (number, Enter to look again, q to quit) "


@pytest.mark.parametrize(
    "options",
    [
        PlayOptions(PRESETS["lab"], seat=Seat.MAKER, versus="random"),
        PlayOptions(PRESETS["lab"], rounds=2, versus="random"),
    ],
    ids=["codemaker", "rounds"],
)
async def test_lab_in_any_other_way_is_an_ordinary_line_game(
    desk: Desk, options: PlayOptions
) -> None:
    desk.type("quit")
    desk.start(app.play(options))
    with pytest.raises(InputEnded):
        await desk.finish()
    assert "lab: 4 pegs, 6 colours, 10 guesses.\n" in desk.shown


async def test_a_person_is_asked_how_to_play(interactive: Desk) -> None:
    interactive.start(app.play(PlayOptions(DEFAULT, versus="random")))
    await interactive.until("Your name (Enter for a guest's): ")
    interactive.type("Ada")
    await interactive.until("Be the codemaker or the codebreaker? (m/B) ")
    interactive.type("m")
    await interactive.until("You are the codemaker.\nrandom (bot) is the codebreaker.\n")
    interactive.type("quit")
    with pytest.raises(InputEnded):
        await interactive.finish()


async def test_a_friend_is_invited_and_comes(
    desk: Desk, server: RestartableServer, ada: Person
) -> None:
    options = PlayOptions(DEFAULT, versus=FRIEND, server=server.address, name="Bob", rounds=3)
    desk.start(app.play(options))
    await desk.until("Invite code: ")
    code = (await desk.until("\n")).strip()
    await desk.until(f"mastermind join {code} --server {server.address}\n")
    mirror = await ada.session.join(code)
    assert mirror.state.opened.rounds == 3
    assert not mirror.state.opened.public
    await desk.until("Ada is the codemaker.\n")
    await ada.session.leave(mirror)
    await desk.finish()
    assert desk.shown.endswith("You win.\nGood-bye!\n")


async def test_anyone_may_come_to_a_public_match(
    desk: Desk, server: RestartableServer, ada: Person
) -> None:
    options = PlayOptions(DEFAULT, versus=ANYONE, seat=Seat.MAKER, server=server.address)
    desk.start(app.play(options))
    await desk.until("Waiting for somebody to join (match ")
    (waiting,) = await ada.session.list_matches("waiting")
    mirror = await ada.session.join(waiting.match)
    assert mirror.state.seat_of(ada.id) is Seat.BREAKER
    desk.type("1234", "n")
    await ada.guess(mirror, "1234")
    await desk.finish()


async def test_whoever_joins_leaves_at_the_word(
    desk: Desk, server: RestartableServer, ada: Person, data_folder: Path
) -> None:
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    desk.type("rrrr", "quit")
    desk.start(app.join(JoinOptions(mirror.code, server.address, "Bob")))
    await ada.set(mirror, "1234")
    with pytest.raises(InputEnded):
        await desk.finish()
    await ada.hear_of(Left)
    assert mirror.state.outcome is not None
    assert mirror.state.outcome.winner == ada.id
    assert server.address.replace("://", "_").replace(":", "_") + "-1.token" in _files(data_folder)


async def test_a_match_that_waits_can_be_picked_to_join(
    desk: Desk, server: RestartableServer, ada: Person
) -> None:
    mirror = await ada.session.open("mini", maker="me", breaker="open", public=True)
    desk.start(app.join(JoinOptions(None, server.address, "Bob")))
    await desk.until(f" 1  {mirror.code}  mini: Ada sets, you break\n")
    desk.type("1", "rrrr", "quit")
    await ada.set(mirror, "1234")
    with pytest.raises(InputEnded):
        await desk.finish()
    await ada.hear_of(Left)


async def test_a_match_that_was_taken_meanwhile_is_told_and_another_can_be_picked(
    desk: Desk, server: RestartableServer, ada: Person, people: People
) -> None:
    first = await ada.session.open("mini", maker="me", breaker="open", public=True)
    desk.start(app.join(JoinOptions(None, server.address, "Bob")))
    await desk.until("Which one?")
    carl = await people.meet("Carl")
    await carl.session.join(first.code)
    desk.type("1")
    await desk.until("You are too late: both seats are taken: you may only watch.\n")
    await desk.until("No public match is waiting.\nWhich one?")
    second = await ada.session.open("mini", maker="me", breaker="open", public=True)
    desk.type("", "1")
    await desk.until("Waiting for Ada to set the secret ...\n")
    await ada.session.leave(second)
    await desk.finish()


async def test_no_match_is_joined_if_none_is_picked(desk: Desk, server: RestartableServer) -> None:
    desk.type("q")
    desk.start(app.join(JoinOptions(None, server.address)))
    await desk.finish()


# What a person is doing when Ctrl-C is pressed: the command, at a server and a match there, what is
# answered to what, and the last thing on the screen.
MOMENTS: list[tuple[Command, list[tuple[str, str]], str]] = [
    (lambda *_: app.play(PlayOptions(DEFAULT)), [], NAME),
    (lambda *_: app.play(PlayOptions(DEFAULT)), [(NAME, "Ada")], "codebreaker? (m/B) "),
    (lambda *_: app.play(PlayOptions(PRESETS["mini"])), [], "Which way to play? (1) "),
    (lambda *_: app.play(PlayOptions(PRESETS["thirteen"])), [], "Guess 1 of 13: "),
    (
        lambda *_: app.play(PlayOptions(PRESETS["eight"])),
        [("Guess 1 of 10: ", "resign")],
        "Play again? (Y/N) ",
    ),
    (
        lambda *_: app.play(PlayOptions(DEFAULT, seat=Seat.MAKER, settled=True)),
        [],
        "Your secret (4 pegs): ",
    ),
    (lambda *_: app.play(PlayOptions(PRESETS["lab"])), [], "Guess color: "),
    (
        lambda *_: app.play(PlayOptions(PRESETS["lab"], seed=1)),
        [("Guess color: ", digit) for digit in "1402"],
        "Would you like to play again? (Y/N)\n",
    ),
    (
        lambda server, _: app.play(PlayOptions(DEFAULT, FRIEND, server=server, settled=True)),
        [],
        "Waiting for your friend ...\n",
    ),
    (
        lambda server, _: app.play(PlayOptions(DEFAULT, ANYONE, server=server, settled=True)),
        [],
        " ...\n",
    ),
    (lambda server, _: app.join(JoinOptions(None, server)), [], WHICH),
    (lambda server, _: app.look_on(WatchOptions(server)), [], WHICH),
    (
        lambda server, match: app.look_on(WatchOptions(server, match)),
        [],
        "Bob is the codebreaker.\n",
    ),
]


@pytest.mark.parametrize(
    ("command", "answers", "last"), MOMENTS, ids=[last.strip() for *_, last in MOMENTS]
)
async def test_ctrl_c_ends_a_command_whatever_is_asked(
    interactive: Desk,
    server: RestartableServer,
    people: People,
    command: Command,
    answers: list[tuple[str, str]],
    last: str,
) -> None:
    mirror, _ = await sit_down(await people.meet("Ada"), await people.meet("Bob"))
    interactive.start(command(server.address, mirror.code))
    for question, answer in answers:
        await interactive.until(question)
        interactive.type(answer)
    await interactive.until(last)
    await interactive.interrupt()


async def test_ctrl_c_leaves_the_match_too(
    desk: Desk, server: RestartableServer, ada: Person
) -> None:
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    desk.start(app.join(JoinOptions(mirror.code, server.address, "Bob")))
    await desk.until("Waiting for Ada")
    await desk.interrupt()
    await ada.hear_of(Left)


async def test_nobody_waits_to_say_good_bye_to_a_server_that_is_gone(
    desk: Desk, server: RestartableServer
) -> None:
    desk.start(app.play(PlayOptions(PRESETS["lab"], server=server.address)))
    await desk.until("Guess color: ")
    await server.stop()
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_ctrl_c_is_enough_though_the_server_is_gone(
    interactive: Desk, server: RestartableServer
) -> None:
    interactive.start(
        app.play(PlayOptions(DEFAULT, FRIEND, Seat.MAKER, server.address, settled=True))
    )
    await interactive.until("Waiting for your friend ...\n")
    await server.stop()
    await interactive.until("*** RECONNECTING, try ")
    await interactive.interrupt()


async def test_nobody_waits_long_for_a_good_bye_that_is_not_answered(
    desk: Desk, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matchmaking, "LEAVE_SECONDS", 0.1)
    relay.answer(Leave, lambda _: None)
    desk.start(app.play(PlayOptions(PRESETS["lab"], server=relay.address)))
    await desk.until("Guess color: ")
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert isinstance(relay.asked[-1], Leave)


async def test_trouble_while_a_match_is_entered_is_told_on_standard_error(
    desk: Desk, relay: Relay, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = Screen()
    monkeypatch.setattr(sys, "stderr", errors)
    mirror = await ada.session.open("mini", maker="me", breaker="open")
    relay.cut_before_answer(Join)
    desk.start(app.join(JoinOptions(mirror.code, relay.address, "Bob")))
    await desk.until("mini: 4 pegs, 6 colours, 6 guesses.\n")
    await desk.until("You are the codebreaker.\nWaiting for Ada to set the secret ...\n")
    assert errors.getvalue() == (
        "*** CONNECTION LOST: the connection broke. Your seat is kept; trying to come back. ***\n"
        "*** RECONNECTING, try 1 ... ***\n"
        "*** CONNECTED AGAIN. ***\n"
    )
    assert "***" not in desk.shown


@pytest.mark.parametrize("by_code", [True, False], ids=["code", "list"])
async def test_a_running_match_is_watched_by_its_code_or_from_the_list(
    desk: Desk, server: RestartableServer, people: People, ada: Person, by_code: bool
) -> None:
    carl = await people.meet("Carl")
    ours = await ada.session.seek("mini", seat=Seat.MAKER)
    theirs = await carl.session.seek("mini")
    desk.type("1")
    desk.start(app.look_on(WatchOptions(server.address, ours.code if by_code else None)))
    await desk.until(f"You watch match {ours.code}.\n")
    await ada.set(ours, "1234")
    await carl.guess(theirs, "1234")
    await ada.hear_of(Finished)
    await desk.finish()
    assert desk.shown.endswith("Carl wins.\n")


async def test_nothing_is_watched_if_nothing_is_picked(
    desk: Desk, server: RestartableServer
) -> None:
    desk.type("q")
    desk.start(app.look_on(WatchOptions(server.address)))
    await desk.finish()
    assert desk.shown.startswith("No public match is running.\n")


async def test_what_the_server_refuses_is_raised(desk: Desk, server: RestartableServer) -> None:
    desk.start(app.join(JoinOptions("ZZZZZZ", server.address)))
    with pytest.raises(Refused, match="there is no match ZZZZZZ on this server"):
        await desk.finish()


async def test_a_server_that_is_not_there_is_raised(desk: Desk, server: RestartableServer) -> None:
    await server.stop()
    desk.start(app.look_on(WatchOptions(server.address)))
    with unreachable("nothing listens there"):
        await desk.finish()


def _files(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*")] if folder.exists() else []


async def test_the_bots_are_listed_without_a_server(desk: Desk) -> None:
    desk.start(app.list_bots(BotsOptions(server=None)))
    await desk.finish()
    names = [line.split(":")[0] for line in desk.shown.splitlines()]
    assert names[0] == "forgetful or easy"
    assert names[-1] == "devious"


async def test_a_match_that_is_over_is_reviewed_by_its_code_round_by_round(
    desk: Desk, server: RestartableServer, ada: Person, bob: Person
) -> None:
    ours, theirs = await sit_down(ada, bob, "mini", rounds=2)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1234")
    await bob.set(theirs, "5566")
    await ada.guess(ours, "1122")
    await ada.guess(ours, "5566")
    await bob.hear_of(Finished)
    desk.start(app.review(ReviewOptions(ours.code, server.address)))
    await desk.finish()
    first = (
        "Review of round 1, Bob breaking:\n100 of 100: Bob played superbly, and was very lucky.\n"
    )
    assert f"{first} 1  R G O B  found it, lucky\n" in desk.shown
    assert "Review of round 2, Ada breaking:\n" in desk.shown
    assert "\n 1  R R G G  good, unlucky\n" in desk.shown
    assert desk.shown.endswith(
        "Mastermind 4x6 · Bob 1/6\n●●●●\nMastermind 4x6 · Ada 2/6\n····\n●●●●\n"
    )


async def test_a_match_that_goes_on_has_no_review(
    desk: Desk, server: RestartableServer, ada: Person, bob: Person
) -> None:
    ours, _ = await sit_down(ada, bob)
    desk.start(app.review(ReviewOptions(ours.code, server.address)))
    with pytest.raises(Refused, match="reviewed when it is over"):
        await desk.finish()


async def test_a_rated_match_is_asked_for_and_told_of(
    desk: Desk, server: RestartableServer, ada: Person
) -> None:
    ours = await ada.session.seek("mini", seat=Seat.MAKER, rated=True)
    desk.start(
        app.play(PlayOptions(PRESETS["mini"], ANYONE, None, server.address, "Bob", rated=True))
    )
    await desk.until("You are the codebreaker.\n")
    assert ours.state.opened.rated
    await ada.set(ours, "1234")
    desk.type("advise")
    await desk.until("There is no advice in a rated match.\n")
    desk.type("?")
    assert "advise" not in await desk.until("  q, quit ")


async def test_the_code_of_a_match_on_a_server_is_told(
    desk: Desk, server: RestartableServer, ada: Person
) -> None:
    desk.start(app.play(PlayOptions(DEFAULT, "easy", None, server.address, "Bob", public=True)))
    await desk.until("You are the codebreaker.\n")
    (listed,) = await ada.session.list_matches("running")
    assert f"This is match {listed.match}.\n" in desk.shown
