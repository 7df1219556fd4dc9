import pytest

from kit.people import SessionClient
from kit.terminal_user import TerminalUser
from mastermind_client.lines.lab import LabPlayer
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.network.updates import PresenceChanged
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
from mastermind_protocol.requests import AnyRequest, Guess, Open

NAMES = ["red", "orange", "yellow", "green", "blue", "purple"]
MENU = "Make a guess of four colors:\n" + "".join(f"{i} - {name}\n" for i, name in enumerate(NAMES))
BEGIN = "The secret code has been chosen. You have 10 tries to guess the code.\n"
AGAIN = "Would you like to play again? (Y/N)\n"
END = "Thank you for playing. Good-bye!\n"
# The guesses of a game with their clues; None for the right one.
Game = list[tuple[str, str | None]]


@pytest.fixture
async def desk(new_desk):
    """Bob's desk, with a pipe."""
    return new_desk()


async def test_only_complete_valid_codes_are_sent(bob, desk, relay):
    await _sit_down(desk, bob, seed=1)
    desk.type("6", "-1", "1 1", "12345", "1", "1", "1")
    await desk.until("Invalid guess, try again:\nGuess color: Invalid guess")
    desk.type("1")
    await desk.until("Your clue is: [2]\n")
    assert [type(request) for request in relay.asked] == [Open, Guess]


async def test_the_end_of_the_input_leaves_the_game(bob, desk):
    code = await _sit_down(desk, bob, seed=1)
    desk.type("1", "1")
    desk.end_input()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert desk.shown.endswith("Guess color: Guess color: Guess color: ")
    watched = await bob.session.follow(code)
    assert watched.state.departed == {bob.id}


async def test_a_lost_connection_is_reported_only_on_standard_error(bob, desk, relay):
    await _sit_down(desk, bob, seed=1)
    desk.type(*"1111")
    await desk.until("You have 9 guesses left\n" + MENU + "Guess color: ")
    relay.cut()
    await desk.errors.until("*** CONNECTED AGAIN. ***\n")
    desk.type(*"1402", "n")
    await desk.finish()
    game: Game = [("1111", "[2]"), ("1402", None)]
    assert desk.shown == _transcript(game) + AGAIN + END
    assert desk.errors.getvalue().startswith("*** CONNECTION LOST: the connection broke.")


async def test_a_bot_that_cheats_is_told_of_on_standard_error(bob, desk, relay):
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
    await desk.errors.until("WARNING! CODE NOT PROVEN: this was not the locked code.\n")


async def test_others_may_watch_a_public_sitting(ada, bob, desk):
    mirror = await bob.session.open("lab", maker="knuth", breaker="me", public=True)
    desk.play(LabPlayer, bob.session, mirror)
    await desk.until("Guess color: ")
    watched = await ada.session.follow(mirror.code)
    desk.type(*"1111")
    await ada.wait_for_version(watched, 3)
    assert not [news for news in ada.updates if isinstance(news, PresenceChanged)]


async def _sit_down(desk: TerminalUser, person: SessionClient, seed: int) -> str:
    """Start a sitting with a seed; return its match code."""
    mirror = await person.session.open("lab", maker="knuth", breaker="me", seed=seed)
    desk.play(LabPlayer, person.session, mirror)
    return mirror.code


def _transcript(game: Game) -> str:
    """Return the output of one game."""
    text = BEGIN
    for number, (guess, clue) in enumerate(game, start=1):
        text += f"{MENU}{'Guess color: ' * 4}Your guess is:\n{[NAMES[int(d)] for d in guess]}\n"
        if clue is None:
            text += f"Correct! You finished in {number} guesses\n"
        else:
            text += f"Your clue is: {clue}\nYou have {10 - number} guesses left\n"
    return text
