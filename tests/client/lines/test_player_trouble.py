from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.matches import pegs
from kit.people import People, Person, sit_down
from mastermind_client.lines.player import LinePlayer
from mastermind_client.net import link
from mastermind_client.net.updates import PresenceChanged
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Finished, Joined, Player, Seat
from mastermind_protocol.messages import Error, Happened, Presence
from mastermind_protocol.requests import Guess

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.relay import Relay

    NewDesk = Callable[..., Desk]


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """Bob's desk, where a person types."""
    return new_desk(person=True)


async def test_all_that_happened_is_told_before_good_bye(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    theirs = await bob.session.open("classic", maker="me", breaker="open")
    ours = await ada.session.join(theirs.code)
    await bob.set(theirs, "1234")
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Waiting for Ada to guess ...\n")
    relay.hold()
    relay.cut()
    await ada.hear(PresenceChanged, lambda news: not news.here)
    await ada.guess(ours, "1111")
    await ada.guess(ours, "2222")
    await ada.session.leave(ours)
    relay.release()
    await desk.finish()
    _, missed = desk.shown.split("*** CONNECTED AGAIN. ***\n")
    assert missed == (
        " 1  1 1 1 1  1 black, 0 white\n"
        " 2  2 2 2 2  1 black, 0 white\n"
        "Ada left.\n"
        "The round ends after 2 guesses.\n"
        "The secret was 1 2 3 4: red green blue yellow.\n"
        "Code proven: it is the one committed to, and every feedback fits it.\n"
        "You win.\n"
        "Good-bye!\n"
    )


async def test_nothing_is_asked_between_the_lines_of_what_was_missed(
    ada: Person, bob: Person, desk: Desk, relay: Relay, people: People
) -> None:
    ours, theirs = await sit_down(ada, bob, "mini")
    await ada.set(ours, "1234")
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Guess 1 of 6: ")
    elsewhere = await people.meet(identity=bob.identity)
    same = await elsewhere.session.join(theirs.code)
    relay.hold()
    relay.cut()
    await desk.until("*** RECONNECTING, try 1 ... ***\n")
    for digits in ("1111", "2222", "3333"):
        await elsewhere.guess(same, digits)
    relay.release()
    told = await desk.until("Guess 4 of 6: ")
    assert told.endswith(
        " 1  R R R R  1 black, 0 gray, 3 empty\n"
        " 2  G G G G  1 black, 0 gray, 3 empty\n"
        " 3  O O O O  1 black, 0 gray, 3 empty\n"
        "Guess 4 of 6: "
    )


async def test_a_lost_connection_is_told_loudly_and_the_game_goes_on(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Guess 1 of 12: ")
    relay.cut()
    await desk.until(
        "\n*** CONNECTION LOST: the connection broke. Your seat is kept; trying to come back. ***\n"
    )
    told = await desk.until("*** CONNECTED AGAIN. ***\nGuess 1 of 12: ")
    assert told.startswith("*** RECONNECTING, try 1 ... ***\n")  # and no question before it
    desk.type("1234")
    await desk.until("You win.\n")


async def test_a_guess_typed_while_the_line_is_down_is_made_once_it_is_back(
    ada: Person, bob: Person, desk: Desk, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "OPEN_SECONDS", 0.5)  # which the first try lasts
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Guess 1 of 12: ")
    relay.hold()
    relay.cut()
    await desk.until("try 2 ... ***\n")
    assert desk.shown.count("Guess 1 of 12: ") == 1
    desk.type("1234")
    await ada.hear(PresenceChanged, lambda news: not news.here)
    relay.release()
    told = await desk.until("You win.\n")
    assert told.index("*** CONNECTED AGAIN. ***") < told.index("4 black")
    assert ours.code == theirs.code


async def test_it_is_told_that_an_opponent_is_away_and_back(
    ada: Person, people: People, relay: Relay, desk: Desk
) -> None:
    carl = await people.meet("Carl", relay.address)
    ours = await ada.session.open("classic", maker="open", breaker="me")
    await carl.session.join(ours.code)
    desk.play(LinePlayer, ada.session, ours)
    await desk.until("Waiting for Carl to set the secret ...\n")
    relay.cut()
    await desk.until("Carl has lost the connection; the seat is kept.\n")
    await desk.until("Carl is back.\n")


async def test_a_name_cannot_draw_on_the_opponents_screen(
    bob: Person, relay: Relay, desk: Desk
) -> None:
    theirs = await bob.session.open("classic", maker="me", breaker="open")
    rogue = Joined(player=Player(id="EVE", name="Eve\x1b[2J"), seat=Seat.BREAKER)
    desk.play(LinePlayer, bob.session, theirs)
    await relay.say(Happened(match=theirs.code, v=2, events=(rogue,)))
    await relay.say(Presence(match=theirs.code, player=rogue.player.id, here=False))
    await desk.until("has lost the connection")
    assert "\x1b" not in desk.shown


async def test_what_the_server_refuses_is_told_and_asked_again(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    relay.answer(
        Guess,
        lambda request: Error(
            id=request.id, code=ErrorCode.STORAGE_FAILED, message="the move could not be saved"
        ),
    )
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Guess 1 of 12: ")
    desk.type("1234")
    await desk.until("The move could not be saved.\nGuess 1 of 12: ")
    desk.type("1234")
    await desk.until("You win.\n")


async def test_a_match_that_is_won_is_not_left_before_it_was_told(
    ada: Person, bob: Person, desk: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    await bob.session.guess(theirs, pegs("1234"))
    await ada.hear_of(Finished)
    await ada.session.leave(ours)
    await bob.session.list_matches("waiting")  # all of it has come before the interface begins
    desk.play(LinePlayer, bob.session, theirs)
    await desk.finish()
    assert desk.shown.endswith("Ada left.\nGood-bye!\n")
