from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.people import Person, sit_down
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.events import Advised, Left
from mastermind_protocol.requests import Guess, Join, Leave, Open, Resign, Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.relay import Relay

    NewDesk = Callable[..., Desk]

AGAIN = "Rematch, with the seats swapped? (Y/N) "


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """Bob's desk, where a person types."""
    return new_desk(person=True)


async def test_a_game_is_told_line_by_line(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    await piped.until("Waiting for Ada to set the secret ...\n")
    await ada.set(ours, "1234")
    piped.type("1 1 1 1", "4,3,2,1", "", "rgby", "what", "N")
    await piped.finish()
    assert piped.shown == (
        "classic: 4 pegs, 6 colours, 12 guesses.\n"
        "Colours: 1 or R red, 2 or G green, 3 or B blue, 4 or Y yellow, 5 or O orange, "
        "6 or P purple.\n"
        "Ada is the codemaker.\n"
        "You are the codebreaker.\n"
        "Waiting for Ada to set the secret ...\n"
        "The secret is set.\n"
        "It is sealed: who set it cannot change it unseen.\n"
        "Guess 1 of 12: 1 1 1 1\n"
        " 1  1 1 1 1  1 black, 0 white\n"
        "Guess 2 of 12: 4,3,2,1\n"
        " 2  4 3 2 1  0 black, 4 white\n"
        "Guess 3 of 12: \n"
        "Guess 3 of 12: rgby\n"
        " 3  R G B Y  4 black, 0 white\n"
        "You broke the code in 3 guesses.\n"
        "The secret was R G B Y: red green blue yellow.\n"
        "Code proven: it is the one committed to, and every feedback fits it.\n"
        "You win.\n"
        f"{AGAIN}what\n"
        "Please answer Y or N.\n"
        f"{AGAIN}N\n"
        "Good-bye!\n"
    )
    assert (await ada.hear_of(Left)).player == bob.id


async def test_the_codemaker_sets_a_secret_and_sees_the_guesses(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    desk.play(LinePlayer, bob.session, mirror)
    await desk.until(
        f"Invite code: {mirror.code}\n"
        f"Your friend types: mastermind join {mirror.code} --server {relay.address}\n"
        "Waiting for your friend ...\n"
    )
    theirs = await ada.session.join(mirror.code)
    await desk.until("Ada is the codebreaker.\nYour secret (4 pegs): ")
    desk.type("rrr")
    await desk.until("3 pegs given, and a code of mini has 4.\nYour secret (4 pegs): ")
    desk.type("rgob")
    await desk.until("It is R G O B; only you can see it.\n")
    await desk.until("Waiting for Ada to guess ...\n")
    await ada.guess(theirs, "1111")
    await desk.until(" 1  R R R R  1 black, 0 gray, 3 empty\n")
    await ada.guess(theirs, "1234")
    await desk.until("Ada wins. You lose.\n" + AGAIN)
    assert [type(request) for request in relay.asked] == [Open, Secret]


async def test_codes_are_told_in_the_symbols_that_were_typed(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("rrgg", "h", "2233", "l")
    await piped.until(" 1  R R G G  1 black, 1 white\nGuess 2 of 12: h\n")
    await piped.until(" 1  R R G G  1 black, 1 white\nGuess 2 of 12: 2233\n")
    await piped.until(" 2  2 2 3 3  ")
    await piped.until("Guess 3 of 12: l\n 2  2 2 3 3  ")


async def test_the_commitment_is_told_on_demand(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    await ada.set(ours, "1234")
    piped.type("seal")
    told = await piped.until("Guess 1 of 12: seal\nCommitment: ")
    assert "Commitment" not in told.removesuffix("Commitment: ")
    current = theirs.state.current
    assert current is not None
    assert current.commitment is not None
    await piped.until(current.commitment.hex() + "\n")


async def test_a_person_is_told_of_the_help_before_the_first_question(
    bob: Person, desk: Desk, piped: Desk
) -> None:
    for sitting in (desk, piped):
        mirror = await bob.session.open("mini", maker="random", breaker="me")
        sitting.play(LinePlayer, bob.session, mirror)
        told = await sitting.until("Guess 1 of 6: ")
        assert told.count("Type ? for what can be typed.\n") == sitting.terminal.interactive
        sitting.type("quit")
        with pytest.raises(InputEnded):
            await sitting.finish()


async def test_a_match_for_anyone_waits_for_somebody(bob: Person, piped: Desk) -> None:
    mirror = await bob.session.seek("classic")
    piped.play(LinePlayer, bob.session, mirror)
    await piped.until(f"Waiting for somebody to join (match {mirror.code}) ...\n")
    assert "Invite" not in piped.shown


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("11", "2 pegs given, and a code of classic has 4."),
        ("1", "1 peg given, and a code of classic has 4."),
        ("11111", "5 pegs given, and a code of classic has 4."),
        ("1117", "Peg 4: '7' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."),
        ("rgbx", "Peg 4: 'x' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."),
        ("hint", "Peg 1: 'h' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."),
        ("\x1b[2J", "Peg 1: '\\x1b' is no colour of classic"),
    ],
)
async def test_what_is_no_code_is_said_at_once_and_nothing_is_sent(
    ada: Person, bob: Person, piped: Desk, relay: Relay, typed: str, told: str
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    await piped.until("Guess 1 of 12: ")
    piped.type(typed)
    await piped.until(f"{typed}\n{told}")
    await piped.until("\nGuess 1 of 12: ")
    piped.type("1234")
    await piped.until(AGAIN)
    assert [type(request) for request in relay.asked] == [Join, Guess]


async def test_what_is_not_yours_to_do_is_said_at_once_and_nothing_is_sent(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    mirror = await bob.session.open("classic", maker="me", breaker="open")
    desk.play(LinePlayer, bob.session, mirror)
    await desk.until("Waiting for your friend ...\n")
    desk.type("hello?")
    await desk.until("Not now: the match waits for the other seat to be taken.\n")
    await ada.session.join(mirror.code)
    await desk.until("Your secret (4 pegs): ")
    desk.type("resign")
    await desk.until("Not now: the codemaker is to set the secret.\n")
    desk.type("1234")
    await desk.until("Waiting for Ada to guess ...\n")
    desk.type("1234", "resign")
    await desk.until("Not now: the codebreaker is to guess.\n")
    await desk.until("Not your turn: the codebreaker is to guess.\n")
    assert [type(request) for request in relay.asked] == [Open, Secret]


async def test_a_script_may_type_ahead_of_its_turn(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("2222", "1234", "n")
    await piped.until("Waiting for Ada to set the secret ...\n")
    await ada.set(ours, "1234")
    await piped.until(" 2  1 2 3 4  4 black, 0 white\n")
    await piped.finish()


async def test_words_tell_the_board_the_rules_and_what_can_be_typed(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    ours, theirs = await sit_down(ada, bob, "5x8/12")
    await ada.set(ours, "12345")
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Guess 1 of 12: ")
    desk.type("board")
    await desk.until("No guess yet.\nGuess 1 of 12: ")
    desk.type("RRRRR")
    await desk.until("Guess 2 of 12: ")
    desk.type(" BOARD ")
    await desk.until(" 1  R R R R R  1 black, 0 white\nGuess 2 of 12: ")
    desk.type("rules")
    await desk.until("5x8/12: 5 pegs, 8 colours, 12 guesses.\nColours: R red, G green, B blue,")
    for word in ("help", "?"):
        desk.type(word)
        await desk.until("Type a code, such as RRGGB, when you are asked for one. What else can ")
        await desk.until("  r, resign          give this round up\n")
        await desk.until("  q, quit            leave the match\n")
    assert [type(request) for request in relay.asked] == [Join, Guess]


async def test_the_board_of_thirteen_is_always_whole(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob, "thirteen")
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("board", "roro")
    board = await piped.until("Guess 2 of 13: ")
    assert board.count(". . . .") == 13 + 12
    assert " 1  R O R O  [X][X][ ][ ]  2 black, 0 white\n" in board


@pytest.mark.parametrize("word", ["surrender", "resign", "Surrender"])
async def test_a_word_gives_the_round_up(
    ada: Person, bob: Person, piped: Desk, relay: Relay, word: str
) -> None:
    ours, theirs = await sit_down(ada, bob, "thirteen")
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type(word, "n")
    await piped.finish()
    assert (
        "You gave up after 0 guesses: the code stands.\n"
        "The secret was R O Y G: red orange yellow green.\n"
    ) in piped.shown
    assert piped.shown.endswith("Ada wins. You lose.\n" + AGAIN + "n\nGoodbye!\n")
    assert [type(request) for request in relay.asked] == [Join, Resign, Leave]


async def test_surrender_is_no_word_of_the_other_presets(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("surrender")
    await piped.until("Peg 1: 's' is no colour of classic")


async def test_quit_leaves_the_match(ada: Person, bob: Person, desk: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    desk.play(LinePlayer, bob.session, theirs)
    desk.type("quit")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert (await ada.hear_of(Left)).player == bob.id
    assert ours.state.outcome is not None
    assert ours.state.outcome.winner == ada.id


async def test_whoever_hangs_up_leaves_the_match(ada: Person, bob: Person, desk: Desk) -> None:
    _, theirs = await sit_down(ada, bob)
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Waiting for Ada")
    desk.hang_up()
    with pytest.raises(InputEnded):
        await desk.finish()
    assert (await ada.hear_of(Left)).player == bob.id


async def test_a_script_is_at_its_end_only_when_it_is_asked_for_more(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("1111")
    piped.hang_up()
    await piped.until("Waiting for Ada")
    await ada.set(ours, "1234")
    with pytest.raises(InputEnded):
        await piped.finish()
    assert piped.shown.endswith("1 black, 0 white\nGuess 2 of 12: ")


async def test_an_opponent_who_leaves_ends_the_game(ada: Person, bob: Person, desk: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Waiting for Ada")
    await ada.session.leave(ours)
    await desk.finish()
    assert desk.shown.endswith("...\nAda left.\nYou win.\nGood-bye!\n")


# Advice and reviews.


async def test_advice_is_given_to_the_codebreaker_who_asks_and_the_codemaker_is_told(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    await ada.set(ours, "1234")
    piped.type("advise", "advise worst", "advise luck")
    await piped.until("You took advice for guess 1.\n")
    await piped.until(
        "Advice for guess 1, ranked by information (1296 codes are left):\n 1  1 2 3 4"
    )
    await piped.until(
        "Advice for guess 1, ranked by worst case (1296 codes are left):\n 1  1 1 2 2"
    )
    await piped.until("Type advise, or advise and what is to rank it: bits, size, worst, parts.\n")
    await ada.hear_of(Advised)


async def test_miniatures_are_advised_by_size(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob, "mini")
    piped.play(LinePlayer, bob.session, theirs)
    await ada.set(ours, "1234")
    piped.type("advise")
    await piped.until("Advice for guess 1, ranked by expected size (1296 codes are left):\n")


async def test_a_codemaker_is_not_advised(ada: Person, bob: Person, desk: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    desk.play(LinePlayer, ada.session, ours)
    desk.type("1234", "advise")
    await desk.until("Not your turn: the codebreaker is to guess.\n")
    assert theirs.state.current is not None
    assert theirs.state.current.advised == ()


async def test_a_game_is_shared_by_its_marks_when_it_is_over(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    await ada.set(ours, "1234")
    piped.type("share", "1122", "1234", "share", "n")
    await piped.until("There is nothing to share: no round is over yet.\n")
    await piped.until("Mastermind 4x6 · 2/12\n●○··\n●●●●\n")
    await piped.finish()


async def test_a_finished_match_is_reviewed_as_often_as_one_likes(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    piped.play(LinePlayer, bob.session, theirs)
    await ada.set(ours, "1234")
    piped.type("review", "1122", "1234", "review", "review 1", "review 2", "review x")
    await piped.until("A match is reviewed when it is over.\n")
    for _ in range(2):
        await piped.until("Review of round 1, you breaking:\n97 of 100: you played superbly")
        await piped.until("\n 2  1 2 3 4  found it, lucky\n")
    await piped.until("There is no round 2: 1 were played.\n")
    await piped.until("Review all rounds, or one by its number: review 1.\n")
