from __future__ import annotations

from typing import TYPE_CHECKING

from client.screen.moves import count_turns, guess, guess_and_wait
from client.screen.seats import sit, spectator_of
from client.screen.slate import Slate
from mastermind_client.screen.match.position import Position
from mastermind_protocol.events import Opened
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Row

if TYPE_CHECKING:
    from client.screen.seats import Seats
    from client.screen.stage import Stage

ENDED = "The secret was  "  # and its pegs: below the board, not among what happened


# Looking on.


async def test_a_spectator_looks_back_and_is_not_pulled_to_the_live_move(online: Seats) -> None:
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    await guess_and_wait(ada, bob, "1234", "1122")
    await guess(bob, "3344")
    await cleo.until(lambda: count_turns(cleo) == 2)

    cleo.press("left")
    await cleo.until("You look back at guess 1 of 2")
    await guess(bob, "5566")
    await cleo.until("You look back at guess 1 of 3")
    assert "O   O   P   P" not in cleo.text()

    cleo.press("right")
    await cleo.until("You look back at guess 2 of 3")
    cleo.press("end")
    await cleo.until("Waiting for Bob to guess ...")
    assert "O   O   P   P" in cleo.text()
    cleo.press("left", "right")
    await guess(bob, "1111")
    await cleo.until(lambda: "R   R   R   R" in cleo.text())


async def test_a_spectator_looks_back_at_a_round_before(online: Seats) -> None:
    _ada, _bob, cleo = await play_into_the_second_round(online)

    cleo.press("left", "left")

    await cleo.until("You look back at round 1")
    assert "R   G   B   Y   secret" in cleo.text()
    assert "round 1 of 2" in cleo.text()


async def test_a_spectator_who_has_scrolled_the_board_is_not_pulled_either(online: Seats) -> None:
    ada, bob = await online.pair(rules="4x6/20")
    cleo = await online.spectator(ada)
    cleo.resize(60, 20)
    await guess_and_wait(ada, bob, "RGBY", "RRGG")
    for _guess in range(14):
        await guess(bob, "OOPP")
    await cleo.until(" 15  ")
    assert "  1  R   R" not in cleo.text()
    cleo.press("pageup")
    await cleo.until("  1  R   R")

    await guess(bob, "BBYY")
    await cleo.until(lambda: count_turns(cleo) == 16)
    cleo.press("tab")
    await cleo.until("Say:")
    assert "  1  R   R" in cleo.text()

    cleo.press("escape")
    await cleo.until(lambda: cleo.app.line_prompt is None)
    cleo.press("end")
    await cleo.until(" 16  B   B")


async def test_a_spectator_has_none_of_a_players_keys(online: Seats) -> None:
    ada, _bob = await online.pair()
    cleo = await online.spectator(ada)
    cleo.resize(120, 40)
    cleo.press("f1")
    await cleo.until("return to the live move")

    for does in ("put this colour", "send the code", "give this round up", "take advice"):
        assert does not in cleo.text()
    cleo.press("escape")
    await cleo.until(lambda: "return to the live move" not in cleo.text())
    cleo.press("escape")
    await cleo.until(lambda: isinstance(cleo.app.screen, Slate))
    await ada.until("0 spectators")


async def play_into_the_second_round(online: Seats) -> tuple[Stage, Stage, Stage]:
    """Return Ada, Bob and Cleo, who looks on, after the first guess of the second round."""
    ada, bob = await online.pair(rounds=2)
    cleo = await online.spectator(ada)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Your turn: set the secret")
    await guess_and_wait(bob, ada, "5566", "1122")
    await cleo.until(lambda: count_turns(cleo) == 1)
    return ada, bob, cleo


async def test_the_seats_are_those_of_the_round_that_is_looked_at_and_nobody_is_to_move(
    online: Seats,
) -> None:
    _ada, _bob, cleo = await play_into_the_second_round(online)
    assert "►codebreaker  Ada" in cleo.text()
    assert " codemaker  Bob" in cleo.text()

    cleo.press("home")

    await cleo.until("You look back at round 1; ")
    assert " codemaker  Ada" in cleo.text()
    assert " codebreaker  Bob" in cleo.text()
    assert "►" not in cleo.text()


async def test_home_goes_to_the_beginning_of_the_match_and_lets_the_match_go_on(
    online: Seats,
) -> None:
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    cleo.press("home")
    ada.type("1234")
    ada.press("enter")
    await bob.until("Your turn: guess 1")
    await cleo.until("Waiting for Bob to guess")
    cleo.press("home")  # that is where the match is
    await guess(bob, "1122")
    await cleo.until("R   R   G   G")
    await cleo.until("Waiting for Bob to guess")

    cleo.press("home")
    await cleo.until("You look back at guess 0 of 1")
    await guess(bob, "3344")
    await cleo.until("You look back at guess 0 of 2")
    assert "R   R   G   G" not in cleo.text()


async def test_looking_back_in_a_match_that_is_over_its_end_is_not_told_below_the_board(
    online: Seats,
) -> None:
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    await guess_and_wait(ada, bob, "1234", "1122")
    await guess(bob, "1234")
    await cleo.until("The match is over.")
    assert ENDED in cleo.text()

    cleo.press("left")
    await cleo.until("You look back at guess 1 of 2")
    assert ENDED not in cleo.text()
    assert "░░░  secret" in cleo.text()

    cleo.press("end")
    await cleo.until(ENDED)


async def test_a_match_of_two_bots_is_seen_from_its_beginning(offline: Seats) -> None:
    shown, place = await offline.app()
    mirror = await place.session.open("classic", maker="random", breaker="knuth")
    screen = sit(shown, place, mirror)
    await shown.until(lambda: mirror.state.phase is Phase.FINISHED)
    turns = len(mirror.state.played[0].turns)

    await shown.until(f"You look back at guess 0 of {turns}")
    assert ENDED not in shown.text()
    shown.press(*["right"] * (turns - 1))
    await shown.until(f"You look back at guess {turns - 1} of {turns}")
    shown.press("right")
    await shown.until("The match is over.")
    assert ENDED in shown.text()
    assert screen is spectator_of(shown)


async def test_a_spectator_goes_on_to_the_rematch(online: Seats) -> None:
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    session, first = spectator_of(cleo).place.session, spectator_of(cleo)
    await guess_and_wait(ada, bob, "1234", "1234")
    await cleo.until("The match is over.")
    assert "Enter rematch" not in cleo.text()
    cleo.press("enter")
    await ada.until("Enter again")
    ada.press("enter")
    await cleo.until("The match is over, and there is a rematch:")
    assert "Enter rematch" in cleo.text()
    await bob.until("A rematch is offered")
    bob.press("enter")
    await bob.until("Your turn: set the secret")

    cleo.press("enter", "enter", "enter")

    await cleo.until("Waiting for Bob to set the secret")
    await cleo.until(lambda: not cleo.app.busy)
    assert spectator_of(cleo) is not first
    assert list(session._following) == [spectator_of(cleo).mirror.code]
    await bob.until("1 spectator")
    cleo.press("escape")
    await cleo.until(lambda: isinstance(cleo.app.screen, Slate))


async def test_where_a_spectator_looks_is_in_the_match_when_its_log_is_shorter_than_it_was(
    online: Seats,
) -> None:
    _ada, _bob, cleo = await play_into_the_second_round(online)
    screen = spectator_of(cleo)
    mirror, following = screen.mirror, screen.place.session._following
    cleo.press("left")
    await cleo.until("You look back at guess 0 of 1")
    assert screen.position == Position(1, 0)

    mirror.restart()  # as of a server whose file is an older one now
    following.take_row(mirror, Row(1, (Opened(rules="classic", rounds=2),)))

    await cleo.until("nobody yet")
    assert screen.position == Position(0, 0)
