from functools import partial

import pytest

from kit.screen.moves import count_turns, find_candidate, guess, guess_and_wait, row, say, state
from kit.screen.seats import find, give_up, match_of, player_of, sit, until_guess
from kit.screen.slate import Slate
from kit.screen.stage import Stage
from mastermind_client.screen.match.advice import ADVISED
from mastermind_protocol.code import format_code
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Advice
from mastermind_protocol.requests import Advise, AnyRequest
from mastermind_protocol.rules import DEFAULT

PASTE = "\x1b[200~{}\x1b[201~"
BELL = "\a"
TURN = "\x1b]2;Your turn - Mastermind\x07"


# Playing.


async def test_a_whole_game_is_played_by_keys(offline):
    shown = await offline.against()

    while state(shown).phase is not Phase.FINISHED:
        await guess(shown, find_candidate(state(shown)))

    played = state(shown).played[0]
    assert played.how is RoundEnd.BROKEN
    assert played.secret is not None
    await shown.until("You win")
    assert f"broken in {len(played.turns)} guesses" in shown.text()
    assert "as it was sealed ✓" in shown.text()
    letters = "     ".join("RGBYOP"[colour] for colour in played.secret)
    assert sum(letters in line for line in shown.text().split("\n")) == 2  # code and guess


async def test_two_people_play_two_rounds_with_the_seats_swapped(online):
    ada, bob = await online.pair(rounds=2)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Round 1 is over")
    assert "as it was sealed ✓" in bob.text()
    assert "round 1 of 2" in bob.text()
    assert row(ada) == row(bob) == "...."

    await guess_and_wait(bob, ada, "5566", "5566")

    await ada.until("A draw")
    await bob.until("A draw")
    assert "round 2 of 2" in ada.text()


KEYS = [
    (["1", "2"], "12..", 2),
    (["r", "G"], "12..", 2),
    (["1", "2", "3", "4", "5"], "1234", 4),
    (["1", "2", "left", "left", "3"], "32..", 1),
    (["right", "right", "6"], "..6.", 3),
    (["right", "1", "2", "3", "4"], "4123", 4),
    (["1", "2", "3", "4", "left", "5"], "1235", 4),
    (["up", "right", "down"], "16..", 1),
    (["up", "up", "up", "down"], "2...", 0),
    (["1", "2", "left", "space"], "1...", 1),
    (["1", "2", "3", "backspace", "backspace"], "1...", 1),
    (["1", "2", "3", "4", "delete", "5"], "5...", 1),
    (["1", "2", "3", "4", "c-u", "5"], "5...", 1),
    (["1", "x", "7", "2"], "12..", 2),
]


async def test_every_key_for_the_row_does_what_it_says(offline):
    shown = await offline.against()
    for keys, expected, cursor in KEYS:
        shown.press("6", "c-u")
        await shown.until(lambda: row(shown) == "....")

        shown.press(*keys)

        await shown.until(partial(is_entered, shown, expected, cursor))


def is_entered(shown: Stage, expected: str, cursor: int) -> bool:
    return row(shown) == expected and player_of(shown).entry.cursor == cursor


async def test_what_is_typed_is_checked_as_it_is_typed_and_the_reason_shown(offline):
    shown = await offline.against()
    shown.type("11x")
    await shown.until("No X here: R G B Y O P.")

    shown.press("2")
    await shown.until(lambda: "No X here" not in shown.text())
    assert row(shown) == "112."


async def test_a_code_is_pasted_at_once_or_not_at_all(offline):
    shown = await offline.against()
    shown.type(PASTE.format("1 2, 3-4\n"))
    await shown.until(lambda: row(shown) == "1234")
    assert count_turns(shown) == 0

    shown.type(PASTE.format("11x2"))
    await shown.until("Peg 3: no X here: R G B Y O P.")
    assert row(shown) == "1234"


async def test_the_last_guess_is_copied_down(offline):
    shown = await offline.against()
    shown.press("=")
    await shown.until("There is no guess to copy yet.")
    await guess(shown, "1123")
    await shown.until(lambda: row(shown) == "....")

    shown.press("=", "backspace", "4")

    await shown.until(lambda: row(shown) == "1124")


async def test_a_row_is_sent_only_when_it_is_full(offline):
    shown = await offline.against()
    shown.type("112")
    shown.press("enter")
    await shown.until("One more peg: a letter, or 1 to 6.")

    shown.type("2")
    shown.press("enter")
    await until_guess(shown, 2)
    assert row(shown) == "...."


async def test_a_guess_is_made_once_however_often_enter_comes_with_it(offline):
    shown = await offline.against()
    shown.type("1122\r\r3344\r")  # as a slow line brings it, at once
    await until_guess(shown, 2)
    await guess(shown, "4455")
    current = state(shown).current
    assert current is not None
    assert [format_code(turn.code, DEFAULT) for turn in current.turns] == ["1122", "4455"]


async def test_a_row_is_prepared_out_of_turn_but_sent_only_in_turn(online):
    ada, bob = await online.pair()
    bob.type("1122")
    bob.press("enter")
    await bob.until("Not now: the codemaker is to set the secret.")
    assert row(bob) == "1122"

    ada.type("1122")
    ada.press("enter")
    await until_guess(bob, 1)
    bob.press("enter")
    await bob.until("You win")


async def test_nothing_is_typed_where_nothing_is_to_be_sent(online):
    ada, bob = await online.pair()
    ada.type("1234")
    ada.press("enter")
    await ada.until("Bob's turn")

    ada.press("5", "enter", "up", "f6")
    await say(ada, "I wait.")
    await bob.until("I wait.")

    assert row(ada) == "...."
    assert "Enter send" not in ada.text()


@pytest.mark.parametrize("marked", [True, False])
async def test_a_code_that_cannot_be_is_marked_where_that_is_set(online, marked):
    shown, place = await online.app(mark_excluded=marked)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    await guess(shown, "1122")
    await guess(shown, find_candidate(state(shown)))
    shown.type(find_candidate(state(shown)))
    await shown.until(lambda: player_of(shown).entry.code is not None)
    assert "rules this out" not in shown.text()

    shown.press("delete")
    shown.type("1122")
    if marked:
        await shown.until("✗ Guess 1 rules this out.")
        shown.press("enter")
        await until_guess(shown, 4)
    else:
        await shown.until(lambda: row(shown) == "1122")
        assert "rules this out" not in shown.text()


async def test_a_whole_row_is_filled_by_the_mouse(offline):
    shown = await offline.against()
    for colour in ("▐R▌", "▐P▌", "▐B▌"):
        shown.click(*find(shown, colour))
    await shown.until(lambda: row(shown) == "163.")

    await shown.until("B   [   ]")
    column, line = find(shown, "[   ]")
    shown.click(column - 12, line + 1)  # two places to the left, on the side of the tile
    await shown.until(lambda: player_of(shown).entry.cursor == 1)
    shown.click(*find(shown, "1  2  3", 3))  # the digit below a tile of the palette
    await shown.until(lambda: row(shown) == "123.")
    shown.press("right")
    shown.click(*find(shown, "▐O▌", 2))

    await shown.until(lambda: row(shown) == "1235")


# Who sees what.


async def test_only_the_codemaker_sees_the_secret_until_the_round_is_over(online):
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    ada.type("5566")
    seen = len(bob.glass.written)  # the letters before this are the palette's
    ada.press("enter")
    await until_guess(bob, 1)
    await guess(bob, "1122")
    await cleo.until("0 black, 0 white")
    await ada.until("0 black, 0 white")

    assert "O     O     P     P     sealed" in ada.text()
    for shown, sent in ((bob, bob.glass.written[seen:]), (cleo, cleo.glass.written)):
        assert "░░?░░ ░░?░░ ░░?░░ ░░?░░   sealed" in shown.text()
        assert " O " not in sent
        assert " P " not in sent
        assert "5 5 6 6" not in sent

    await guess(bob, "5566")
    await bob.until("O     O     P     P     as it was sealed ✓")
    await cleo.until("O     O     P     P     as it was sealed ✓")


# Advice.


async def test_advice_is_shown_told_to_the_others_and_copied_down(online):
    ada, bob = await online.pair()
    assert "F3 next" not in bob.text()
    ada.type("1234")
    ada.press("enter")
    await until_guess(bob, 1)

    bob.press("f2")
    await bob.until(" codes fit.")
    await bob.until("F3 next")
    await ada.until("Bob took advice for")
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


async def test_advice_is_refused_in_words_where_there_is_none(online):
    _ada, bob = await online.pair()

    bob.press("f2")

    await bob.until("Not now: the codemaker is to set the secret.")


async def test_a_guess_waits_for_the_advice_that_was_asked_for_before(offline):
    shown = await offline.against()
    shown.press("f2", "1", "1", "2", "2", "enter")
    await until_guess(shown, 2)
    await shown.until(lambda: "codes fit" not in shown.text())
    assert "with advice" in shown.text()
    assert "You took advice" not in shown.text()  # only the others need this line
    assert "F3 next" not in shown.text()


async def test_advice_without_a_guess_has_nothing_to_copy_down(online, relay):
    shown, place = await online.app(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    asked: list[Advise] = []

    def advise(request: AnyRequest) -> Advice:
        assert isinstance(request, Advise)
        asked.append(request)
        return Advice(id=request.id, match=request.match, guess=1, left=1, guesses=())

    relay.answer(Advise, advise)
    shown.press("f2")
    await shown.until("1 code fits.")

    shown.press("f3", "1")

    await shown.until(lambda: row(shown) == "1...")
    assert [request.most for request in asked] == [ADVISED]


# Turns.


async def test_bell_and_title_say_when_it_becomes_my_turn(online):
    ada, bob = await online.pair()
    assert TURN not in bob.glass.written
    titles = bob.glass.written.count("\x1b]2;")
    rung = bob.glass.written.count(BELL) - titles
    ada.type("1234")
    ada.press("enter")

    await until_guess(bob, 1)
    await bob.until(lambda: TURN in bob.glass.written)
    assert bob.glass.written.count(BELL) - bob.glass.written.count("\x1b]2;") == rung + 1
    await guess(bob, "1122")
    await until_guess(bob, 2)
    assert bob.glass.written.count(BELL) - bob.glass.written.count("\x1b]2;") == rung + 1
    assert ada.glass.written.rindex("\x1b]2;Mastermind") > ada.glass.written.rindex(TURN)


async def test_neither_does_when_the_settings_say_no(online):
    shown, place = await online.app(bell=False, title=False)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)

    assert BELL not in shown.glass.written
    assert "\x1b]2;" not in shown.glass.written


async def test_the_title_is_the_programs_again_when_the_match_is_left(offline):
    shown = await offline.against()
    assert TURN in shown.glass.written

    await give_up(shown)
    await shown.until("Enter plays again")
    shown.press("escape")

    await shown.reaches(Slate)
    assert shown.glass.written.rindex("\x1b]2;Mastermind") > shown.glass.written.rindex(TURN)
