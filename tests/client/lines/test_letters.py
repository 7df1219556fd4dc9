"""The commands of one letter, at a player's desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.people import Person, sit_down
from mastermind_client.language import use_language
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net.updates import Heard
from mastermind_protocol.events import Left, RoundEnd, RoundEnded

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk
    from kit.people import People
    from kit.relay import Relay

    NewDesk = Callable[..., Desk]

RESIGN = "Give this round up? (Y/N) "
LEAVE = "Leave the match for good (Ctrl-C puts it aside)? (Y/N) "


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """Bob's desk, where a person types."""
    return new_desk(person=True)


async def test_g_sets_the_secret_and_guesses(ada: Person, bob: Person, new_desk: NewDesk) -> None:
    ours, theirs = await sit_down(ada, bob)
    one, other = new_desk(), new_desk()
    one.play(LinePlayer, ada.session, ours)
    other.play(LinePlayer, bob.session, theirs)
    one.type("g 1234", "n")
    other.type("g", "g 12x4", "G 4321", "g 1234")
    await other.until("No peg given, and a code of classic has 4.\n")
    await other.until("Peg 3: 'x' is no colour of classic")
    await other.until(" 1  4 3 2 1  0 black, 4 white\n")
    await other.until("You broke the code in 2 guesses.\n")
    await one.finish()
    await other.finish()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("g b y", "3 pegs given, and a code of classic has 4.\n"),
        ("g, b, y, o, r", "5 pegs given, and a code of classic has 4.\n"),
        ("g 123", "3 pegs given, and a code of classic has 4.\n"),
    ],
)
async def test_what_is_wrong_with_a_code_is_said_of_the_whole_of_it(
    ada: Person, bob: Person, piped: Desk, typed: str, told: str
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "6666")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type(typed)
    await piped.until(f"Guess 1 of 12: {typed}\n{told}Guess 1 of 12: ")


@pytest.mark.parametrize(
    ("typed", "row"),
    [
        ("g b y o", "G B Y O  0 black, 3 white"),
        ("o o g g", "O O G G  0 black, 1 white"),
        *((typed, "R G B Y  4 black, 0 white") for typed in ("r g b y", "rgby", "g rgby")),
        ("g r g b y", "R G B Y  4 black, 0 white"),
        *((typed, "1 2 3 4  4 black, 0 white") for typed in ("guess 1234", "g 1234")),
    ],
)
async def test_a_code_of_letters_is_a_code_with_a_g_before_it_or_without(
    ada: Person, bob: Person, piped: Desk, typed: str, row: str
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type(typed)
    await piped.until(f" 1  {row}\n")


async def test_where_codes_have_one_peg_a_colours_letter_is_the_code(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob, "1x6/9")
    await ada.set(ours, "6")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("r", "g", "g b", "l", "resign", "n")
    await piped.finish()
    rows = [row for row in piped.shown.splitlines() if row.endswith("black, 0 white")]
    assert [row[:5] for row in rows] == [" 1  R", " 2  G", " 3  B", " 3  B"]


async def test_h_and_l_tell_the_board_and_its_last_row(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("l", "h", "1111", "2222", "h", "l")
    await piped.until("l\nNo guess yet.\nGuess 1 of 12: h\nNo guess yet.\n")
    rows = " 1  1 1 1 1  1 black, 0 white\n 2  2 2 2 2  1 black, 0 white\n"
    await piped.until(f"h\n{rows}")
    await piped.until("l\n 2  2 2 2 2  1 black, 0 white\nGuess 3 of 12: ")


async def test_o_tells_of_the_opponent_and_of_whoever_looks_on(
    ada: Person, bob: Person, desk: Desk, people: People, relay: Relay
) -> None:
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    desk.play(LinePlayer, ada.session, mirror)
    await desk.until("Waiting for your friend ...\n")
    desk.type("o")
    await desk.until("Nobody has joined yet.\nNobody looks on.\n")
    await bob.session.join(mirror.code)
    await desk.until("Your secret (4 pegs): ")
    eve = await people.meet("Eve")
    await eve.session.follow(mirror.code)
    relay.hold()
    relay.cut()
    await desk.until("Bob has lost the connection; the seat is kept.\n")
    desk.type("o")
    await desk.until("Bob is a person.\nBob has been away for ")
    await desk.until("; the seat is kept.\n")
    relay.release()


async def test_a_advises_by_what_is_named(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("a worst", "a")
    await piped.until("Advice for guess 1, ranked by worst case ")
    await piped.until("Advice for guess 1, ranked by information ")


async def test_s_says_a_text_or_a_phrase_and_alone_lists_the_phrases(
    ada: Person, bob: Person, desk: Desk
) -> None:
    _, theirs = await sit_down(ada, bob)
    desk.play(LinePlayer, bob.session, theirs)
    desk.type("s", "s 3", "say Good Day", "s 10", f"s {'x' * 121}")
    await desk.until("1  Hello!\n")
    await desk.until("9  Good-bye!\n")
    await desk.until("You say: Good guess!\nYou say: Good Day\nYou say: 10\n")
    await desk.until("121 characters; at most 120 can be said at once.\n")
    heard = [await ada.hear(Heard) for _ in range(3)]
    assert [(update.line.text, update.line.phrase) for update in heard] == [
        (None, 3), ("Good Day", None), ("10", None),
    ]  # fmt: skip


async def test_m_hides_what_the_others_say_and_shows_it_again(
    ada: Person, bob: Person, desk: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    desk.play(LinePlayer, bob.session, theirs)
    await ada.session.say(ours, "one")
    await desk.until("Ada says: one\n")
    desk.type("m")
    await desk.until("What the others say is hidden.\n")
    await ada.session.say(ours, "two")
    desk.type("s mine")
    await desk.until("You say: mine\n")
    desk.type("m")
    await desk.until("What the others say is shown again.\n")
    await ada.session.say(ours, "three")
    await desk.until("Ada says: three\n")
    assert "two" not in desk.shown


async def test_r_asks_before_it_gives_the_round_up_of_a_script_too(
    ada: Person, bob: Person, piped: Desk
) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("r", "perhaps", "n", "1111", "R", "y", "n")
    await piped.finish()
    assert (
        f"{RESIGN}perhaps\nPlease answer Y or N.\n{RESIGN}n\nGuess 1 of 12: 1111\n" in piped.shown
    )
    assert f"Guess 2 of 12: R\n{RESIGN}y\nYou gave up after 1 guess: " in piped.shown
    await ada.hear_of(Left)
    assert [event.how for event in ada.events if isinstance(event, RoundEnded)] == [
        RoundEnd.RESIGNED
    ]


async def test_r_asks_nothing_where_there_is_nothing_to_give_up(
    ada: Person, bob: Person, desk: Desk
) -> None:
    ours, _ = await sit_down(ada, bob)
    desk.play(LinePlayer, ada.session, ours)
    await desk.until("Your secret (4 pegs): ")
    desk.type("r")
    await desk.until("Not now: the codemaker is to set the secret.\nYour secret (4 pegs): ")


async def test_q_asks_a_person_while_the_match_goes_on(
    ada: Person, bob: Person, desk: Desk
) -> None:
    _, theirs = await sit_down(ada, bob)
    desk.play(LinePlayer, bob.session, theirs)
    await desk.until("Waiting for Ada")
    desk.type("q")
    await desk.until(LEAVE)
    desk.type("n", "q")
    await desk.until(LEAVE)
    desk.type("y")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert (await ada.hear_of(Left)).player == bob.id


async def test_q_asks_no_script(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("q")
    with pytest.raises(InputEnded):
        await piped.finish()
    assert LEAVE not in piped.shown


async def test_q_asks_nobody_when_the_match_is_over(bob: Person, desk: Desk) -> None:
    mirror = await bob.session.open("4x2/1", maker="random", breaker="me")
    desk.play(LinePlayer, bob.session, mirror)
    await desk.until("Guess 1 of 1: ")
    desk.type("rrrr")
    await desk.until("Play again? (Y/N) ")
    desk.type("q")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert LEAVE not in desk.shown


async def test_the_help_names_every_command(ada: Person, bob: Person, piped: Desk) -> None:
    ours, theirs = await sit_down(ada, bob, "thirteen")
    await ada.set(ours, "1234")
    async with Inbox.open(bob.session, piped.terminal) as inbox:
        player = LinePlayer(inbox, theirs)
        piped.start(player.play())
        piped.type("?")
        told = await piped.until("Guess 1 of 13: ?\n") + await piped.until("leave the match\n")
        assert "  r, surrender       give this round up\n" in told
        assert all(command.meaning in told for command in player.commands)
        letters = [command.letter for command in player.commands if command.letter]
        assert letters == list("ghloasmr?q")


async def test_a_game_in_polish(ada: Person, bob: Person, piped: Desk) -> None:
    use_language("pl")
    ours, theirs = await sit_down(ada, bob, "mini")
    await ada.set(ours, "1234")
    piped.play(LinePlayer, bob.session, theirs)
    piped.type("rrrx", "rrrr", "r", "t", "nie")
    await piped.finish()
    assert "mini: 4 pionki, 6 kolorów, 6 prób.\n" in piped.shown
    assert "Kolory: R czerwony, G zielony, O pomarańczowy, " in piped.shown
    assert "Ada szyfruje.\nJesteś łamaczem.\n" in piped.shown
    assert "Próba 1 z 6: rrrx\nPionek 4: 'x' nie jest kolorem w mini; dozwolone: " in piped.shown
    assert " 1  R R R R  czarne: 1, szare: 0, puste: 3\n" in piped.shown
    assert "Poddać tę rundę? (T/N) t\nPoddajesz rundę po 1 próbie: kod się broni.\n" in piped.shown
    assert "Szyfr to R G O B: czerwony zielony pomarańczowy niebieski.\n" in piped.shown
    assert piped.shown.endswith(
        "Ada wygrywa. Przegrywasz.\nRewanż z zamianą miejsc? (T/N) nie\nDo widzenia!\n"
    )
