import pytest

from kit.people import PATIENCE, sit_down
from mastermind_client.lines.player import LinePlayer
from mastermind_client.network.connection import link
from mastermind_client.network.running import find_unfinished
from mastermind_client.network.updates import PresenceChanged
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import Guess


async def test_missed_guesses_are_printed_without_prompts_between_them(
    ada, bob, interactive, relay, people
):
    ours, theirs = await sit_down(ada, bob, "mini")
    await ada.set(ours, "1234")
    interactive.play(LinePlayer, bob.session, theirs)
    await interactive.until("Guess 1 of 6: ")
    elsewhere = await people.meet(identity=bob.identity)
    same = await elsewhere.session.join(theirs.code)
    relay.hold()
    relay.cut()
    await interactive.until("*** RECONNECTING, try 1 ... ***\n")
    for digits in ("1111", "2222", "3333"):
        await elsewhere.guess(same, digits)
    relay.release()
    told = await interactive.until("Guess 4 of 6: ")
    assert told.endswith(
        " 1  R R R R  1 black, 0 gray, 3 empty\n"
        " 2  G G G G  1 black, 0 gray, 3 empty\n"
        " 3  O O O O  1 black, 0 gray, 3 empty\n"
        "Guess 4 of 6: "
    )


async def test_a_guess_typed_while_disconnected_is_sent_after_reconnecting(
    ada, bob, interactive, relay, monkeypatch
):
    monkeypatch.setattr(link, "OPEN_SECONDS", 0.5)  # for the first try
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    interactive.play(LinePlayer, bob.session, theirs)
    await interactive.until("Guess 1 of 12: ")
    relay.hold()
    relay.cut()
    await interactive.until("try 2 ... ***\n")
    assert interactive.shown.count("Guess 1 of 12: ") == 1
    interactive.type("1234")
    await ada.wait_for_update(PresenceChanged, lambda news: not news.connected)
    monkeypatch.setattr(link, "OPEN_SECONDS", PATIENCE)
    relay.release()
    told = await interactive.until("You win.\n")
    assert told.index("*** CONNECTED AGAIN. ***") < told.index("4 black")
    assert ours.code == theirs.code


async def test_a_player_whose_seat_is_undone_is_dismissed(ada, bob, interactive, server):
    ours = await ada.session.open("classic", maker="me", breaker="open")
    copy = await server.back_up()
    interactive.play(LinePlayer, bob.session, await bob.session.join(ours.code))
    await interactive.until("Waiting for Ada to set the secret ...\n")
    await server.restore(copy)
    told = await interactive.until("Good-bye!\n")
    assert "The server has gone back to an earlier state of this match" in told


async def test_a_lost_match_ends_the_dialogue_and_is_not_saved(ada, bob, interactive, server):
    copy = await server.back_up()
    ours = await ada.session.open("classic", maker="me", breaker="open")
    mirror = await bob.session.join(ours.code)
    interactive.play(LinePlayer, bob.session, mirror)
    await interactive.until("Waiting for Ada to set the secret ...\n")
    await server.restore(copy)
    with pytest.raises(Refused) as refused:
        await interactive.until("the failure of the dialogue")
    assert refused.value.code == ErrorCode.UNKNOWN_MATCH
    assert find_unfinished(mirror, bob.id) is None


async def test_a_refused_guess_is_explained_and_asked_for_again(ada, bob, interactive, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    relay.answer(
        Guess,
        lambda request: Error(
            id=request.id, code=ErrorCode.STORAGE_FAILED, message="the move could not be saved"
        ),
    )
    interactive.play(LinePlayer, bob.session, theirs)
    await interactive.until("Guess 1 of 12: ")
    interactive.type("1234")
    await interactive.until("The move could not be saved.\nGuess 1 of 12: ")
    interactive.type("1234")
    await interactive.until("You win.\n")
