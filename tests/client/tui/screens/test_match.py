from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from client.tui.seats import Seats, find, match_of, seats_at, sit
from client.tui.slate import Slate
from mastermind_client.tui.screens.replay import ReplayScreen
from mastermind_client.tui.screens.waiting import WaitingScreen
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.code import format_code
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Leave, Said
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from client.people import RestartableServer
    from client.relay import Relay
    from client.tui.stage import Stage
    from mastermind_protocol.match import Match

PASTE = "\x1b[200~{}\x1b[201~"
BELL = "\a"
TURN = "\x1b]2;Your turn - Mastermind\x07"


@pytest.fixture
async def offline() -> AsyncIterator[Seats]:
    """Seats in this process, across from bots."""
    async with seats_at() as seats:
        yield seats


@pytest.fixture
async def online(server: RestartableServer) -> AsyncIterator[Seats]:
    """Seats at a server."""
    async with seats_at(server.address) as seats:
        yield seats


def state(shown: Stage) -> Match:
    return match_of(shown).mirror.state


def row(shown: Stage) -> str:
    """Return the row that is being filled, a dot for each hole."""
    pegs = match_of(shown).entry.pegs
    return "".join("." if peg is None else str(peg + 1) for peg in pegs)


async def guess(shown: Stage, code: str) -> None:
    """Type a code, send it, and wait until it is on the board, or the round is over."""
    number, played = count_turns(shown), len(state(shown).played)
    shown.type(code)
    shown.press("enter")
    await shown.until(lambda: count_turns(shown) > number or len(state(shown).played) > played)


def count_turns(shown: Stage) -> int:
    current = state(shown).current
    return len(current.turns) if current else 0


def find_candidate(match: Match) -> str:
    """Return the first code that all feedback fits."""
    turns = match.current.turns if match.current else ()
    codes = product(range(match.rules.colours), repeat=match.rules.pegs)
    code = next(
        code for code in codes if all(score(code, turn.code) == turn.feedback for turn in turns)
    )
    return format_code(code, match.rules)


async def say(shown: Stage, words: str) -> None:
    shown.press("tab")
    await shown.until("Say:")
    shown.type(words)
    shown.press("enter")


# Playing.


async def test_a_whole_game_is_played_by_keys(offline: Seats) -> None:
    shown = await offline.against()

    while state(shown).phase is not Phase.FINISHED:
        await guess(shown, find_candidate(state(shown)))

    played = state(shown).played[0]
    assert played.how is RoundEnd.BROKEN
    assert played.secret is not None
    await shown.until("You win.")
    assert f"You broke the code in {len(played.turns)} guesses." in shown.text()
    assert f"The secret was {' '.join(format_code(played.secret, DEFAULT))}" in shown.text()
    assert "✓ Code proven" in shown.text()
    letters = "   ".join("RGBYOP"[colour] for colour in played.secret)
    assert sum(letters in line for line in shown.text().split("\n")) >= 2  # secret and board


async def test_two_people_play_two_rounds_with_the_seats_swapped(online: Seats) -> None:
    ada, bob = await online.pair(rounds=2)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Your turn: set the secret")
    assert "The secret was 1 2 3 4" in bob.text()
    assert "Points:" in bob.text()
    assert row(ada) == row(bob) == "...."

    await guess_and_wait(bob, ada, "5566", "5566")

    await ada.until("The match is a draw.")
    await bob.until("The match is a draw.")
    assert "round 2 of 2" in ada.text()


async def guess_and_wait(maker: Stage, breaker: Stage, secret: str, code: str) -> None:
    maker.type(secret)
    maker.press("enter")
    await breaker.until("Your turn: guess 1")
    await guess(breaker, code)


@pytest.mark.parametrize(
    ("keys", "expected", "cursor"),
    [
        (["1", "2"], "12..", 2),
        (["r", "G"], "12..", 2),
        (["1", "2", "3", "4", "5"], "1235", 3),
        (["1", "2", "left", "left", "3"], "32..", 1),
        (["right", "right", "6"], "..6.", 3),
        (["up", "right", "down"], "16..", 1),
        (["up", "up", "up", "down"], "2...", 0),
        (["1", "2", "left", "space"], "1...", 1),
        (["1", "2", "3", "backspace", "backspace"], "1...", 1),
        (["1", "2", "3", "4", "delete"], "....", 0),
        (["1", "2", "3", "4", "c-u"], "....", 0),
        (["1", "x", "7", "2"], "12..", 2),
    ],
)
async def test_every_key_for_the_row_does_what_it_says(
    offline: Seats, keys: list[str], expected: str, cursor: int
) -> None:
    shown = await offline.against()

    shown.press(*keys)

    await shown.until(lambda: row(shown) == expected)
    assert match_of(shown).entry.cursor == cursor


async def test_what_is_typed_is_checked_as_it_is_typed_and_the_reason_shown(
    offline: Seats,
) -> None:
    shown = await offline.against()
    shown.type("11x")
    await shown.until("peg 3: 'x' is no colour of classic; allowed:")

    shown.press("2")
    await shown.until(lambda: "is no colour" not in shown.text())
    assert row(shown) == "112."


async def test_a_code_is_pasted_at_once_or_not_at_all(offline: Seats) -> None:
    shown = await offline.against()
    shown.type(PASTE.format("1 2, 3-4\n"))
    await shown.until(lambda: row(shown) == "1234")
    assert count_turns(shown) == 0

    shown.type(PASTE.format("11x2"))
    await shown.until("is no colour of classic")
    assert row(shown) == "1234"


async def test_the_last_guess_is_copied_down(offline: Seats) -> None:
    shown = await offline.against()
    shown.press("=")
    await shown.until("There is no guess to copy yet.")
    await guess(shown, "1123")
    await shown.until(lambda: row(shown) == "....")

    shown.press("=", "4")

    await shown.until(lambda: row(shown) == "1124")


async def test_a_row_is_sent_only_when_it_is_full(offline: Seats) -> None:
    shown = await offline.against()
    shown.type("112")
    shown.press("enter")
    await shown.until("The row is not full yet.")

    shown.type("2")
    shown.press("enter")
    await shown.until("Your turn: guess 2 of 12.")
    assert row(shown) == "...."


async def test_a_row_is_prepared_out_of_turn_but_sent_only_in_turn(online: Seats) -> None:
    ada, bob = await online.pair()
    bob.type("1122")
    bob.press("enter")
    await bob.until("Not now: the codemaker is to set the secret.")
    assert row(bob) == "1122"

    ada.type("1122")
    ada.press("enter")
    await bob.until("Your turn: guess 1")
    bob.press("enter")
    await bob.until("You win.")


async def test_nothing_is_typed_where_nothing_is_to_be_sent(online: Seats) -> None:
    ada, bob = await online.pair()
    ada.type("1234")
    ada.press("enter")
    await ada.until("Waiting for Bob to guess")

    ada.press("5", "enter", "up", "f6")
    await say(ada, "I wait.")
    await bob.until("I wait.")

    assert row(ada) == "...."
    assert "Enter send" not in ada.text()


@pytest.mark.parametrize("marked", [True, False])
async def test_a_code_that_cannot_be_is_marked_where_that_is_set(
    online: Seats, marked: bool
) -> None:
    shown, place = await online.face(mark_excluded=marked)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await shown.until("Your turn: guess 1")
    await guess(shown, "1122")
    await guess(shown, find_candidate(state(shown)))
    shown.type(find_candidate(state(shown)))
    await shown.until(lambda: match_of(shown).entry.full)
    assert "Excluded" not in shown.text()

    shown.press("delete")
    shown.type("1122")
    if marked:
        await shown.until("✗ Excluded by guess 1.")
        shown.press("enter")
        await shown.until("Your turn: guess 4")
    else:
        await shown.until(lambda: row(shown) == "1122")
        assert "Excluded" not in shown.text()


async def test_a_whole_row_is_filled_by_the_mouse(offline: Seats) -> None:
    shown = await offline.against()
    for colour in ("red", "purple", "blue"):
        shown.click(*find(shown, colour, -3))
    await shown.until(lambda: row(shown) == "163.")

    await shown.until("B  [·]")
    column, line = find(shown, "[·]")
    shown.click(column - 8 + 1, line)  # two places to the left
    await shown.until(lambda: match_of(shown).entry.cursor == 1)
    shown.click(*find(shown, "green", -3))
    await shown.until(lambda: row(shown) == "123.")
    shown.press("right")
    shown.click(*find(shown, "orange", -3))

    await shown.until(lambda: row(shown) == "1235")


# Who sees what.


async def test_only_the_codemaker_sees_the_secret_until_the_round_is_over(online: Seats) -> None:
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    ada.type("5566")
    seen = len(bob.glass.written)  # what is there is the palette
    ada.press("enter")
    await bob.until("Your turn: guess 1")
    await guess(bob, "1122")
    await cleo.until("0 black, 0 white")
    await ada.until("0 black, 0 white")

    assert "O   O   P   P   secret" in ada.text()
    for shown, sent in ((bob, bob.glass.written[seen:]), (cleo, cleo.glass.written)):
        assert "▒▒▒ ▒▒▒ ▒▒▒ ▒▒▒  secret" in shown.text()
        assert " O " not in sent
        assert " P " not in sent
        assert "5 5 6 6" not in sent

    await guess(bob, "5566")
    await bob.until("O   O   P   P   secret")
    await cleo.until("O   O   P   P   secret")


# Advice.


async def test_advice_is_shown_told_to_the_others_and_copied_down(online: Seats) -> None:
    ada, bob = await online.pair()
    bob.press("f3")
    await bob.until("There is no advice yet: F2 takes some.")
    ada.type("1234")
    ada.press("enter")
    await bob.until("Your turn: guess 1")

    bob.press("f2")
    await bob.until(" bits, worst ")
    await ada.until("Bob took advice for guess 1.")
    advice = match_of(bob).scene.advice
    assert advice is not None
    codes = [format_code(found.code, DEFAULT) for found in advice.guesses]

    bob.press("f3")
    await bob.until(lambda: row(bob) == codes[0])
    bob.press("f3")
    await bob.until(lambda: row(bob) == codes[1])
    bob.press(*["f3"] * (len(codes) - 1))
    await bob.until(lambda: row(bob) == codes[0])

    bob.press("enter")
    await bob.until("with advice")
    await bob.until(lambda: match_of(bob).scene.advice is None)


async def test_advice_is_refused_in_words_where_there_is_none(online: Seats) -> None:
    _ada, bob = await online.pair()

    bob.press("f2")

    await bob.until("Not now: the codemaker is to set the secret.")


async def test_a_guess_waits_for_the_advice_that_was_asked_for_before(offline: Seats) -> None:
    shown = await offline.against()
    shown.press("f2", "1", "1", "2", "2", "enter")
    await shown.until("Your turn: guess 2")
    assert "You took advice for guess 1." in shown.text()
    await shown.until(lambda: " bits, worst " not in shown.text())

    shown.press("f3")

    await shown.until("There is no advice yet: F2 takes some.")


# The end.


async def test_a_round_is_given_up_after_a_question(online: Seats) -> None:
    ada, bob = await online.pair()
    bob.press("f6")
    await bob.until("Not now: the codemaker is to set the secret.")
    ada.type("1234")
    ada.press("enter")
    await bob.until("Your turn: guess 1")

    bob.press("f6")
    await bob.until("Give this round up? (Y/N)")
    bob.press("n")
    await bob.until(lambda: "Give this round up?" not in bob.text())
    assert state(bob).phase is Phase.BREAKING

    bob.press("f6", "y")
    await bob.until("You gave up after 0 guesses: the code stands.")
    await ada.until("Bob gave up after 0 guesses: the code stands.")
    await ada.until("You win.")


async def test_the_result_is_below_the_board_which_stays_in_sight(online: Seats) -> None:
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1122")
    await guess(bob, "1234")

    for shown, told in ((ada, "Bob broke the code"), (bob, "You broke the code")):
        await shown.until(f"{told} in 2 guesses.")
        assert "1 black, 1 white" in shown.text()
        assert "4 black, 0 white" in shown.text()
        assert "The secret was 1 2 3 4: red green blue yellow." in shown.text()
        assert "✓ Code proven" in shown.text()
        assert "[·]" not in shown.text()
    bob.press("f7")
    await bob.until(lambda: isinstance(bob.face.screen, ReplayScreen))
    bob.press("escape")
    await bob.until("Enter offers Ada a rematch")


async def test_a_rematch_against_a_bot_begins_at_once(offline: Seats) -> None:
    shown = await offline.against()
    first = match_of(shown).mirror
    shown.press("f6", "y")
    await shown.until("Enter plays again.")

    shown.press("enter")

    await shown.until("Your turn: guess 1")
    assert match_of(shown).mirror is not first
    assert state(shown).opened.previous == first.code
    shown.press("escape", "y")
    await shown.until(lambda: isinstance(shown.face.screen, Slate))


async def test_a_rematch_is_offered_and_taken(online: Seats) -> None:
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1234")
    await ada.until("Enter offers Bob a rematch")

    ada.press("enter")
    await ada.until(lambda: isinstance(ada.face.screen, WaitingScreen))
    await bob.until("A rematch is offered: Enter takes it.")
    bob.press("enter")

    await bob.until("Your turn: set the secret")
    await ada.until("Waiting for Bob to set the secret")
    assert match_of(ada).mirror.code == match_of(bob).mirror.code


async def test_an_enter_too_many_offers_no_second_rematch(online: Seats) -> None:
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1234")
    await ada.until("Enter offers Bob a rematch")

    ada.press("enter", "enter", "enter")
    await ada.until(lambda: isinstance(ada.face.screen, WaitingScreen))

    assert len(ada.face._screens) == 2


async def test_who_leaves_while_a_rematch_is_under_way_leaves_that_too(
    online: Seats, relay: Relay
) -> None:
    shown, place = await online.face(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await shown.until("Your turn: guess 1")
    first = match_of(shown).mirror.code
    shown.press("f6", "y")
    await shown.until("Enter plays again.")
    relay.hold()
    relay.cut()
    await shown.until(lambda: bool(place.lost))
    shown.press("enter", "escape")
    await shown.until(lambda: isinstance(shown.face.screen, Slate))

    relay.release()

    await shown.until(lambda: bool(place.journals.keys() - {first}))
    (rematch,) = place.journals.keys() - {first}
    await shown.until(
        lambda: any(isinstance(one, Leave) and one.match == rematch for one in relay.asked)
    )
    assert isinstance(shown.face.screen, Slate)


# The others.


async def test_leaving_asks_and_tells_the_opponent(online: Seats) -> None:
    ada, bob = await online.pair()
    ada.press("escape")
    await ada.until("Leave the match, and lose it? (Y/N)")
    ada.press("n")
    await ada.until(lambda: "Leave the match" not in ada.text())
    assert state(bob).phase is Phase.SETTING

    ada.press("escape", "y")

    await ada.until(lambda: isinstance(ada.face.screen, Slate))
    await bob.until("Ada left.")
    await bob.until("has left")
    assert "there is no rematch" in bob.text()
    bob.press("escape")
    await bob.until(lambda: isinstance(bob.face.screen, Slate))


async def test_ending_the_program_in_a_match_tells_the_opponent_too(online: Seats) -> None:
    ada, bob = await online.pair()

    ada.press("c-q", "y")

    await ada.ended()
    await bob.until("Ada left.")


async def test_an_opponent_who_is_away_is_shown_with_the_time(online: Seats, relay: Relay) -> None:
    ada, hers = await online.face("Ada")
    bob, his = await online.face("Bob", address=relay.address)
    mirror = await hers.session.open("classic", maker="me", breaker="open")
    sit(bob, his, await his.session.join(mirror.code))
    sit(ada, hers, mirror)
    await ada.until("Your turn: set the secret")

    relay.hold()
    relay.cut()
    await ada.until("Bob  ◇ away since ")

    relay.release()
    await ada.until("Bob is back.")
    await ada.until(lambda: "away since" not in ada.text())


# Trouble.


async def test_a_server_that_is_gone_is_told_until_it_is_back_and_nothing_is_lost(
    online: Seats, server: RestartableServer
) -> None:
    shown = await online.against()
    await guess(shown, "1122")
    shown.type("334")
    await server.stop()
    await shown.until("RECONNECTING, try ")
    assert "your seat is kept" in shown.text()
    assert row(shown) == "334."
    shown.type("4")
    shown.press("enter")
    await shown.until("Sent; waiting for the server ...")
    shown.press("enter")  # an Enter too many sends nothing twice

    await server.start()

    await shown.until("Your turn: guess 3")
    assert "RECONNECTING" not in shown.text()
    assert [line for line in shown.text().split("\n") if "R   R   G   G" in line]
    assert [line for line in shown.text().split("\n") if "B   B   Y   Y" in line]


async def test_a_session_that_is_over_says_what_can_be_done(online: Seats, relay: Relay) -> None:
    shown, place = await online.face(columns=120, address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await shown.until("Your turn: guess 1")

    await relay.say("this is no frame of ours")

    await shown.until("NO CONNECTION: ")
    shown.press("escape", "y")
    await shown.until(lambda: isinstance(shown.face.screen, Slate))


# Talking.


async def test_what_is_said_is_read_by_both(online: Seats) -> None:
    ada, bob = await online.pair()

    await say(ada, "Have fun!")
    await ada.until("You say: Have fun!")
    await bob.until("Ada says: Have fun!")
    await say(bob, "2")
    await bob.until("You say: Good luck!")
    await ada.until("Bob says: Good luck!")
    await say(bob, "22")
    await ada.until("Bob says: 22")


async def test_the_phrases_are_listed_with_their_numbers(online: Seats) -> None:
    ada, bob = await online.pair()

    ada.press("tab")

    await ada.until("9  Good-bye!")
    assert "1  Hello!" in ada.text()
    ada.press("enter")
    await ada.until(lambda: "Good-bye!" not in ada.text())
    assert "says" not in bob.text()


async def test_what_is_said_too_often_can_be_sent_again(online: Seats) -> None:
    ada, _bob = await online.pair()
    for number in range(8):
        await say(ada, f"line {number}")
        await ada.until(lambda: "Say:" not in ada.text() or "line " in find_line(ada, "Say:"))
        if "Say:" in ada.text():
            break

    await ada.until("Say: line ")
    assert find_line(ada, "Say:")


def find_line(shown: Stage, words: str) -> str:
    return next((line for line in shown.text().split("\n") if words in line), "")


async def test_what_a_hostile_peer_sends_cannot_move_our_cursor(
    online: Seats, relay: Relay
) -> None:
    _ada, hers = await online.face("Ada")
    bob, his = await online.face("Bob", address=relay.address)
    mirror = await hers.session.open("classic", maker="me", breaker="open")
    sit(bob, his, await his.session.join(mirror.code))
    line = ChatLine(
        room="players", n=1, by=hers.me, name="Ada", text="\x1b[2J\x1b]2;evil\x07Hi\u202e\r\n"
    )

    await relay.say(Said(match=mirror.code, line=line))

    await bob.until("Ada says: ?[2J?]2;evil?Hi???")
    assert "\x1b[2J\x1b]2;evil" not in bob.glass.written
    assert "\u202e" not in bob.glass.written


async def test_the_others_can_be_muted_and_heard_again(online: Seats) -> None:
    ada, bob = await online.pair()
    bob.press("f8")
    await bob.until("The others are muted.")
    await say(ada, "Hurry up!")
    await say(bob, "I think.")
    await ada.until("Bob says: I think.")
    await bob.until("You say: I think.")
    await bob.until(lambda: len(match_of(bob).mirror.chat) == 2)
    assert "Hurry up!" not in bob.text()
    assert "others muted" in bob.text()

    bob.press("f8")
    await bob.until("Ada says: Hurry up!")


async def test_players_do_not_read_what_spectators_say_until_the_round_is_over(
    online: Seats,
) -> None:
    ada, bob = await online.pair()
    cleo, dan = await online.spectator(ada), await online.spectator(ada, "Dan")
    await say(cleo, "It is 1234!")
    await dan.until("Cleo (spectator) says: It is 1234!")
    ada.type("1234")
    ada.press("enter")
    await bob.until("Your turn: guess 1")
    await say(ada, "Begin!")
    await bob.until("Ada says: Begin!")
    await cleo.until("Ada says: Begin!")
    assert "It is 1234!" not in bob.glass.written + ada.glass.written

    await guess(bob, "1234")

    await bob.until("Cleo (spectator) says: It is 1234!")
    await ada.until("Cleo (spectator) says: It is 1234!")


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
    ada, bob = await online.pair(rounds=2)
    cleo = await online.spectator(ada)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Your turn: set the secret")
    await guess_and_wait(bob, ada, "5566", "1122")
    await cleo.until(lambda: count_turns(cleo) == 1)

    cleo.press("home")

    await cleo.until("You look back at round 1")
    assert "R   G   B   Y   secret" in cleo.text()


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

    cleo.press("escape", "end")
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
    await cleo.until(lambda: isinstance(cleo.face.screen, Slate))
    await ada.until("0 spectators")


# Sizes.


async def test_the_board_is_scrolled_by_keys_and_by_the_wheel(offline: Seats) -> None:
    shown = await offline.against(columns=60, rows=20)
    for _guess in range(11):
        await guess(shown, "1122")
    await shown.until("Your turn: guess 12 of 12.")
    assert " 11  R   R" in shown.text()
    assert "  1  R   R" not in shown.text()

    shown.press("pageup", "pageup")
    await shown.until("  1  R   R")
    shown.press("pageup", "pageup", "pageup", "pagedown")
    await shown.until(lambda: "  1  R   R" not in shown.text())
    shown.press("pagedown", "pagedown", "pagedown")
    await shown.until(" 11  R   R")

    lowest = next(line for line in shown.text().split("\n") if "R   R" in line)
    shown.wheel(-1)
    await shown.until(lambda: lowest not in shown.text() or moved_up(shown, lowest))
    for _step in range(20):
        shown.wheel(-1)
    await shown.until("  1  R   R")
    for _step in range(20):
        shown.wheel(1)
    await shown.until(" 11  R   R")

    shown.press("pageup")
    await guess(shown, "3344")
    await shown.until("The code stands")


def moved_up(shown: Stage, line: str) -> bool:
    lines = shown.text().split("\n")
    return lines.index(line) > 3


async def test_what_happened_is_shown_by_a_key_where_it_has_no_room(offline: Seats) -> None:
    shown = await offline.against(columns=60, rows=20)
    assert "Commitment:" in shown.text()  # the last of it
    assert "You are the codebreaker." not in shown.text()

    shown.press("f4")
    await shown.until("You are the codebreaker.")
    assert "What happened" in shown.text()
    assert "Your turn: guess 1" in shown.text()

    shown.press("f4")
    await shown.until(lambda: "You are the codebreaker." not in shown.text())


async def test_the_match_is_drawn_at_any_size_at_any_time(offline: Seats) -> None:
    shown = await offline.against()
    await guess(shown, "1122")
    for columns, rows in ((60, 20), (300, 100), (80, 24), (40, 10), (120, 40)):
        shown.resize(columns, rows)
        told = "is too small" if columns == 40 else "Your turn: guess 2"
        await shown.until(lambda told=told: told in " ".join(shown.text().split()))  # type: ignore[misc]


# Whose turn it is.


async def test_bell_and_title_say_when_it_becomes_my_turn(online: Seats) -> None:
    ada, bob = await online.pair()
    assert TURN not in bob.glass.written
    titles = bob.glass.written.count("\x1b]2;")
    rung = bob.glass.written.count(BELL) - titles
    ada.type("1234")
    ada.press("enter")

    await bob.until("Your turn: guess 1")
    await bob.until(lambda: TURN in bob.glass.written)
    assert bob.glass.written.count(BELL) - bob.glass.written.count("\x1b]2;") == rung + 1
    await guess(bob, "1122")
    await bob.until("Your turn: guess 2")
    assert bob.glass.written.count(BELL) - bob.glass.written.count("\x1b]2;") == rung + 1
    assert ada.glass.written.rindex("\x1b]2;Mastermind") > ada.glass.written.rindex(TURN)


async def test_neither_does_when_the_settings_say_no(online: Seats) -> None:
    shown, place = await online.face(bell=False, title=False)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await shown.until("Your turn: guess 1")

    assert BELL not in shown.glass.written
    assert "\x1b]2;" not in shown.glass.written


async def test_the_title_is_the_programs_again_when_the_match_is_left(offline: Seats) -> None:
    shown = await offline.against()
    assert TURN in shown.glass.written

    shown.press("escape", "y")

    await shown.until(lambda: isinstance(shown.face.screen, Slate))
    assert shown.glass.written.rindex("\x1b]2;Mastermind") > shown.glass.written.rindex(TURN)


async def test_the_title_of_a_rematch_is_not_taken_away_by_the_match_before(
    offline: Seats,
) -> None:
    shown = await offline.against()
    shown.press("f6", "y")
    await shown.until("Enter plays again.")
    before = len(shown.glass.written)
    shown.press("enter")
    await shown.until("Your turn: guess 1")
    await shown.until(lambda: not shown.face.busy)

    titles = shown.glass.written[before:].split("\x1b]2;")[1:]
    assert titles[-1].startswith("Your turn")
