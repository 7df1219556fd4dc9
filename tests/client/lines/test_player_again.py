from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.people import People, Person, sit_down
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.terminal import InputEnded

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk

    NewDesk = Callable[..., Desk]

AGAIN = "Rematch, with the seats swapped? (Y/N) "


async def play(
    ada: Person, bob: Person, new_desk: NewDesk, *, person: bool = False, rounds: int = 1
) -> tuple[Desk, Desk]:
    """Let both play a match; return their desks."""
    ours, theirs = await sit_down(ada, bob, rounds=rounds)
    one, other = new_desk(person=person), new_desk()
    one.play(LinePlayer, ada.session, ours)
    other.play(LinePlayer, bob.session, theirs)
    return one, other


async def test_rounds_swap_the_seats_at_both_desks(
    ada: Person, bob: Person, new_desk: NewDesk
) -> None:
    one, other = await play(ada, bob, new_desk, rounds=2)
    one.type("1234", "6666", "5566")
    other.type("1234", "5566")
    await other.until(AGAIN)
    one.type("n")
    await one.finish()
    await other.finish()
    assert "Round 1 of 2: you set the secret, Bob breaks it.\nYour secret" in one.shown
    assert (
        "Points: Bob 0, Ada 1.\nRound 2 of 2: you set the secret, Ada breaks it.\nYour secret"
        in other.shown
    )
    assert "Points: Bob 2, Ada 1.\nBob wins. You lose.\n" + AGAIN in one.shown
    assert "Points: Bob 2, Ada 1.\nYou win.\n" + AGAIN in other.shown


async def test_a_rematch_that_both_want_is_played_with_the_seats_swapped(
    ada: Person, bob: Person, new_desk: NewDesk
) -> None:
    one, other = await play(ada, bob, new_desk)
    one.type("1234", "y")
    other.type("1234")
    await one.until("You offered a rematch: match ")
    await one.until("Waiting for the answer ...\n")
    await other.until("Ada offered a rematch: match ")
    other.type("Yes", "5566", "n")
    await one.until("Guess 1 of 12: ")
    one.type("5566")
    await one.until("You win.\n")
    await one.finish()
    await other.finish()
    assert "Ada is the codebreaker.\nYou are the codemaker.\n" in other.shown
    assert one.shown.endswith("Bob left.\nGood-bye!\n")


async def test_both_may_offer_the_rematch_at_once(
    ada: Person, bob: Person, new_desk: NewDesk
) -> None:
    one, other = await play(ada, bob, new_desk)
    one.type("1234")
    other.type("1234")
    for desk in (one, other):
        await desk.until(AGAIN)
    for desk in (one, other):
        desk.type("y")
    await other.until("Your secret (4 pegs): ")
    other.type("4321", "n")
    await one.until("Guess 1 of 12: ")
    one.type("4321", "n")
    for desk in (one, other):
        await desk.finish()
        assert desk.shown.endswith("Good-bye!\n")


async def test_a_declined_rematch_ends_both(
    ada: Person, bob: Person, new_desk: NewDesk, people: People
) -> None:
    one, other = await play(ada, bob, new_desk)
    one.type("1234", "y")
    other.type("1234")
    await other.until("Ada offered a rematch: match ")
    offered = (await other.until(".\n"))[:6]
    await one.until("Waiting for the answer ...\n")
    other.type("n")
    await other.finish()
    await one.finish()
    assert one.shown.endswith("Waiting for the answer ...\nBob left.\nGood-bye!\n")
    eve = await people.meet("Eve")
    left = (await eve.session.follow(offered)).state
    assert left.outcome is not None  # nobody waits in it any more
    assert left.left == {ada.id}


async def test_whoever_goes_while_a_rematch_is_offered_leaves_both_matches(
    ada: Person, bob: Person, new_desk: NewDesk
) -> None:
    one, other = await play(ada, bob, new_desk, person=True)
    one.type("1234")
    other.type("1234")
    await one.until(AGAIN)
    one.type("y")
    await one.until("Waiting for the answer ...\n")
    await other.until("Ada offered a rematch: match ")
    one.type("quit")
    with pytest.raises(InputEnded):
        await one.finish()
    await other.finish()
    assert other.shown.endswith("Ada left.\nGood-bye!\n")


async def test_a_bot_plays_again_at_once(bob: Person, piped: Desk) -> None:
    mirror = await bob.session.open("4x2/1", maker="random", breaker="me")
    piped.play(LinePlayer, bob.session, mirror)
    piped.type("RRRR", "y", "RRRR", "n")
    await piped.finish()
    assert piped.shown.count("Play again? (Y/N) ") == 2
    assert piped.shown.count("random (bot) is the codemaker.") == 2
    assert piped.shown.endswith("Play again? (Y/N) n\nGood-bye!\n")
