from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from kit.desk import Screen
from mastermind_client.language import use_language
from mastermind_client.lines.lab import LabPlayer
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net.updates import PresenceChanged
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Finished,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.messages import Happened, Log, Row
from mastermind_protocol.requests import Guess, Open

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.people import Person
    from kit.relay import Relay
    from mastermind_protocol.requests import AnyRequest

    NewDesk = Callable[..., Desk]

NAMES = ["red", "orange", "yellow", "green", "blue", "purple"]
MENU = "Make a guess of four colors:\n" + "".join(f"{i} - {name}\n" for i, name in enumerate(NAMES))
BEGIN = "The secret code has been chosen. You have 10 tries to guess the code.\n"
AGAIN = "Would you like to play again? (Y/N)\n"
END = "Thank you for playing. Good-bye!\n"
# The guesses of a game, and the clue that came to each, None for the last and right.
Game = list[tuple[str, str | None]]


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """Bob's desk, where lines come by a pipe."""
    return new_desk()


async def test_what_is_no_number_or_no_colour_is_asked_for_again(bob: Person, desk: Desk) -> None:
    await _sit_down(desk, bob, seed=1)
    desk.type("a", "x", "9", "7", "1", "xxx", "4", "9", "0", "11", "2", "", "maybe", "n")
    await desk.finish()
    number, guess = "Invalid number, try again:\n", "Invalid guess, try again:\n"
    answers = [number, number, guess, guess, "", number, "", guess, "", guess, ""]
    assert desk.shown == (
        BEGIN
        + MENU
        + "".join(f"Guess color: {answer}" for answer in answers)
        + "Your guess is:\n['orange', 'blue', 'red', 'yellow']\n"
        "Correct! You finished in 1 guesses\n" + AGAIN * 3 + END
    )


async def test_no_match_at_all_is_an_empty_clue(bob: Person, desk: Desk) -> None:
    await _sit_down(desk, bob, seed=1)
    desk.type(*"3333")
    await desk.until("Your clue is: []\nYou have 9 guesses left\n")


async def test_only_whole_codes_of_the_game_are_sent(bob: Person, desk: Desk, relay: Relay) -> None:
    await _sit_down(desk, bob, seed=1)
    desk.type("6", "-1", "1 1", "12345", "1", "1", "1")
    await desk.until("Invalid guess, try again:\nGuess color: Invalid guess")
    desk.type("1")
    await desk.until("Your clue is: [2]\n")
    assert [type(request) for request in relay.asked] == [Open, Guess]


async def test_the_end_of_the_input_leaves_the_game(bob: Person, desk: Desk) -> None:
    code = await _sit_down(desk, bob, seed=1)
    desk.type("1", "1")
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert desk.shown.endswith("Guess color: Guess color: Guess color: ")
    watched = await bob.session.follow(code)
    assert watched.state.left == {bob.id}


async def test_a_person_has_commands_at_every_prompt(
    bob: Person, new_desk: NewDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = Screen()
    monkeypatch.setattr(sys, "stderr", errors)
    desk = new_desk(person=True)
    await _sit_down(desk, bob, seed=1)
    await desk.until("Guess color: ")
    assert errors.getvalue() == "Type ? for what can be typed.\n"
    desk.type("1", "?")
    await desk.until("Type the number of a color at each prompt. What else can be typed:\n")
    help_text = await desk.until("Guess color: ")
    assert "  q, quit            leave the match\n" in help_text
    assert "guess this code" not in help_text
    desk.type(*"111", "h")
    await desk.until("You have 9 guesses left\n")
    await desk.until(" 1  1 1 1 1  [2]  1 black, 0 white\nGuess color: ")
    desk.type("r")
    await desk.until("Give this round up? (Y/N) ")
    desk.type("n", "resign")
    await desk.until(
        "No more guesses, the hidden colors were:\n['orange', 'blue', 'red', 'yellow']\n"
    )
    await desk.until(AGAIN)
    desk.type("h")
    await desk.until(" 1  1 1 1 1  [2]  1 black, 0 white\n" + AGAIN)
    desk.type("q")
    with pytest.raises(InputEnded):
        await desk.finish()


async def test_a_scripts_lines_are_pegs_and_no_commands(bob: Person, desk: Desk) -> None:
    await _sit_down(desk, bob, seed=1)
    desk.type("?", "h", "q")
    await desk.until("Guess color: " + "Invalid number, try again:\nGuess color: " * 3)


async def test_trouble_is_told_on_standard_error_and_the_dialogue_stays_exact(
    bob: Person, desk: Desk, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = Screen()
    monkeypatch.setattr(sys, "stderr", errors)
    await _sit_down(desk, bob, seed=1)
    desk.type(*"1111")
    await desk.until("You have 9 guesses left\n" + MENU + "Guess color: ")
    relay.cut()
    await errors.until("*** CONNECTED AGAIN. ***\n")
    desk.type(*"1402", "n")
    await desk.finish()
    game: Game = [("1111", "[2]"), ("1402", None)]
    assert desk.shown == _transcript(game) + AGAIN + END
    assert errors.getvalue().startswith("*** CONNECTION LOST: the connection broke.")


async def test_a_bot_that_cheats_is_told_of_on_standard_error(
    bob: Person, desk: Desk, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = Screen()
    monkeypatch.setattr(sys, "stderr", errors)
    bot = Player(id="bot-knuth-maker", name="knuth", bot="knuth")

    def open_rigged(request: AnyRequest) -> Log:
        assert isinstance(request, Open)
        opened = Opened(rules="lab", rounds=1)
        seats = (Joined(player=bot, seat=Seat.MAKER),)
        breaker = (Joined(player=bob.session.player, seat=Seat.BREAKER),)
        promised = SecretSet(by=bot.id, commitment=commit(bytes(16), (0, 0, 0, 0)))
        rows = (Row(1, (opened, *seats, *breaker)), Row(2, (promised,)))
        return Log(id=request.id, match="ABC234", rows=rows)

    relay.answer(Open, open_rigged)
    await _sit_down(desk, bob, seed=1)
    await desk.until("Guess color: ")
    shown = RoundEnded(how=RoundEnd.LEFT, code=(5, 5, 5, 5), nonce=bytes(16), points=0)
    won = Finished(how=MatchEnd.LEFT, winner=bob.id)
    rigged = (Left(player=bot.id), shown, won)
    await relay.say(Happened(match="ABC234", v=3, events=rigged))
    await errors.until(
        "WARNING! CODE NOT PROVEN: the code shown is not the one that was committed to.\n"
    )


async def test_others_may_watch_a_public_sitting(ada: Person, bob: Person, desk: Desk) -> None:
    mirror = await bob.session.open("lab", maker="knuth", breaker="me", public=True)
    desk.play(LabPlayer, bob.session, mirror)
    await desk.until("Guess color: ")
    watched = await ada.session.follow(mirror.code)
    desk.type(*"1111")
    await ada.hear_version(watched, 3)
    assert not [news for news in ada.updates if isinstance(news, PresenceChanged)]


async def _sit_down(desk: Desk, person: Person, seed: int) -> str:
    """Open a sitting with a seed and play it, and leave as the command does; return its code."""
    mirror = await person.session.open("lab", maker="knuth", breaker="me", seed=seed)
    desk.play(LabPlayer, person.session, mirror)
    return mirror.code


def _transcript(game: Game) -> str:
    """Return all that one game prints."""
    text = BEGIN
    for number, (guess, clue) in enumerate(game, start=1):
        text += f"{MENU}{'Guess color: ' * 4}Your guess is:\n{[NAMES[int(d)] for d in guess]}\n"
        if clue is None:
            text += f"Correct! You finished in {number} guesses\n"
        else:
            text += f"Your clue is: {clue}\nYou have {10 - number} guesses left\n"
    return text


async def test_the_dialogue_is_in_the_readers_language(bob: Person, desk: Desk) -> None:
    use_language("pl")
    mirror = await bob.session.open("lab", maker="random", breaker="me", seed=1)
    desk.play(LabPlayer, bob.session, mirror)
    desk.type("x", *"1111", *"1402", "t", "7")
    await desk.until("Szyfr jest wybrany. Masz 10 prób, by go zgadnąć.\nZgadnij cztery kolory:\n")
    await desk.until("0 - czerwony\n1 - pomarańczowy\n2 - żółty\n")
    await desk.until("To nie jest liczba, spróbuj ponownie:\n")
    await desk.until("Odpowiedź: [2]\nZostało 9 prób\n")
    await desk.until("Dobrze! Liczba twoich prób: 2\nCzy chcesz zagrać jeszcze raz? (T/N)\n")
    await desk.until("Nie ma takiego koloru, spróbuj ponownie:\n")
