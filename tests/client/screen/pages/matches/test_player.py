import asyncio
from functools import partial

import pytest
from prompt_toolkit.application.current import set_app
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from kit.screen.moves import (
    count_bells,
    count_turns,
    find_candidate,
    guess,
    row,
    say,
    send,
    set_secret,
    state,
)
from kit.screen.scenes import advised, excluding
from kit.screen.seats import find, match_of, player_of, until_guess
from kit.screen.stage import PATIENCE_SECONDS, Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.screen.match.notes import ADVISED_GUESSES
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


async def test_keys_play_a_whole_game(offline):
    shown = await offline.against()

    while state(shown).phase is not Phase.FINISHED:
        await guess(shown, find_candidate(state(shown)))

    played = state(shown).played[0]
    assert played.how is RoundEnd.BROKEN
    assert played.secret is not None
    await shown.until("You win")
    assert f"broken in {len(played.turns)} guesses" in shown.text()
    assert "unchanged ✓" in shown.text()
    letters = "     ".join("RGBYOP"[colour] for colour in played.secret)
    assert sum(letters in line for line in shown.text().split("\n")) == 2  # code and guess


KEYS = [
    (["1", "G", "3", "4", "5"], "1234", 4),
    (["1", "2", "left", "left", "3"], "32..", 1),
    (["right", "1", "2", "3", "4"], "4123", 4),
    (["up", "up", "right", "down"], "26..", 1),
    (["1", "2", "left", "space"], "1...", 1),
    (["1", "2", "*"], "1222", 4),
    (["*", "right", "3", "left", "*"], "3333", 4),
    (["1", "2", "3", "backspace", "backspace"], "1...", 1),
    (["1", "2", "3", "4", "delete", "5"], "5...", 1),
    (["1", "2", "3", "4", "c-u", "5"], "5...", 1),
]


async def test_every_key_of_the_row_edits_it(offline):
    shown = await offline.against()
    for keys, expected, cursor in KEYS:
        shown.press("6", "c-u")
        await shown.until(lambda: row(shown) == "....")
        shown.press(*keys)
        await shown.until(partial(is_entered, shown, expected, cursor))


def is_entered(shown: Stage, expected: str, cursor: int) -> bool:
    return row(shown) == expected and player_of(shown).entry.cursor == cursor


async def test_the_row_reports_wrong_input_and_takes_the_next_key(offline):
    shown = await offline.against()
    assert "= again" not in shown.text()  # there is no guess to copy yet
    shown.type("11x")
    await shown.until("No X here: R G B Y O P.")
    shown.press("2")
    await shown.until(lambda: "No X here" not in shown.text())
    shown.press("enter")
    await shown.until("One more peg: a letter, or 1 to 6.")
    shown.type(PASTE.format("11x2"))
    await shown.until("Peg 3: no X here: R G B Y O P.")
    assert row(shown) == "112."
    shown.type(PASTE.format("1 2, 3-4\n"))
    await shown.until(lambda: row(shown) == "1234")
    assert count_turns(shown) == 0
    shown.press("enter")
    await until_guess(shown, 2)
    assert row(shown) == "...."
    shown.press("=", "backspace", "5")  # copies the last guess
    await shown.until(lambda: row(shown) == "1235")


async def test_repeated_enters_make_one_guess(offline):
    shown = await offline.against()
    shown.type("1122\r\r3344\r")  # as a slow line brings it, at once
    await until_guess(shown, 2)
    await guess(shown, "4455")
    current = state(shown).current
    assert current is not None
    assert [format_code(turn.code, DEFAULT) for turn in current.turns] == ["1122", "4455"]


async def test_a_guess_sent_as_soon_as_the_row_is_empty_is_sent_once(offline):
    shown = await offline.against()
    shown.type("1122")
    await shown.until(lambda: row(shown) == "1122")
    shown.press("enter")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while row(shown) != "....":  # noqa: ASYNC110 - the keys come in the pass of the answer
            await asyncio.sleep(0)
    application = shown.terminal.application
    with set_app(application):
        application.key_processor.feed_multiple([*map(KeyPress, "3344"), KeyPress(Keys.Enter)])
        application.key_processor.process_keys()
    await asyncio.sleep(0)
    assert player_of(shown).scene.sending
    await until_guess(shown, 3)


async def test_a_guess_typed_out_of_turn_is_sent_only_in_turn(online):
    ada, bob = await online.pair()
    send(bob, "1122")
    await bob.until("Not now: the codemaker is to set the secret.")
    assert row(bob) == "1122"
    await set_secret(ada, bob, "1122")
    bob.press("enter")
    await bob.until("You win")


async def test_a_codemaker_who_waits_can_only_chat(online):
    ada, bob = await online.pair()
    send(ada, "1234")
    await ada.until("Bob's turn")
    ada.press("5", "enter", "up", "f6")
    await say(ada, "I wait.")
    await bob.until("I wait.")
    assert row(ada) == "...."
    assert "Enter send" not in ada.text()


@pytest.mark.parametrize("marked", [True, False])
async def test_a_guess_that_feedback_excludes_is_marked_if_the_setting_is_on(offline, marked):
    shown = await offline.against(mark_excluded=marked)
    await guess(shown, "1122")
    await guess(shown, find_candidate(state(shown)))
    shown.type(find_candidate(state(shown)))
    await shown.until(lambda: player_of(shown).entry.code is not None)
    assert "rules this out" not in shown.text()
    shown.press("delete")
    shown.type("1122")
    await shown.until("✗ Guess 1 rules this out." if marked else lambda: row(shown) == "1122")
    assert ("rules this out" in shown.text()) == marked
    shown.press("enter")
    await until_guess(shown, 4)


@pytest.mark.parametrize(
    ("rated", "setting", "palette"),
    [
        (False, True, "▐R▌▐G▌▐B▌─y─▐O▌─p─"),
        (False, False, "▐R▌▐G▌▐B▌▐Y▌▐O▌▐P▌"),
        (True, True, "▐R▌▐G▌▐B▌▐Y▌▐O▌▐P▌"),
    ],
)
async def test_excluded_colours_are_marked_by_setting_and_never_in_rated_matches(
    rated, setting, palette
):
    opening = partial(excluding, rated=rated)
    async with stage(settings=Settings(mark_excluded=setting), opening=opening) as shown:
        assert palette in shown.text()


async def test_clicks_fill_the_row(offline):
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


async def test_only_the_codemaker_sees_the_secret_until_the_round_ends(online):
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    ada.type("5566")
    seen = len(bob.glass.written)  # the letters before this are the palette's
    ada.press("enter")
    await until_guess(bob, 1)
    await guess(bob, "1122")
    for shown in (ada, cleo):
        await shown.until("0 black, 0 white")

    assert "O     O     P     P     locked" in ada.text()
    for shown, sent in ((bob, bob.glass.written[seen:]), (cleo, cleo.glass.written)):
        assert "░░?░░ ░░?░░ ░░?░░ ░░?░░   locked" in shown.text()
        assert " O " not in sent
        assert " P " not in sent
        assert "5 5 6 6" not in sent
    await guess(bob, "5566")
    for shown in (bob, cleo):
        await shown.until("O     O     P     P     unchanged ✓")


# Advice.


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_key_for_advice_is_hinted_at_80_columns(language):
    use_language(language)
    async with stage(80, 24, opening=advised) as shown:
        assert " F2 " in shown.text().splitlines()[-1]


async def test_advice_is_shown_announced_and_copied(online):
    ada, bob = await online.pair()
    assert "F3 next" not in bob.text()
    bob.press("f2")
    await bob.until("Not now: the codemaker is to set the secret.")
    await set_secret(ada, bob, "1234")
    bob.press("f2")
    await bob.until(" codes fit.")
    await bob.until("F3 next")
    await ada.until("Bob took advice for")
    advice = match_of(bob).scene.advice
    assert advice is not None
    codes = [format_code(found.code, DEFAULT) for found in advice.guesses]

    for code in [*codes, codes[0]]:
        bob.press("f3")
        await bob.until(lambda code=code: row(bob) == code)
    bob.press("enter")
    await bob.until("with advice")
    await bob.until(lambda: match_of(bob).scene.advice is None)


async def test_a_rated_match_explains_that_it_has_no_advice_and_does_not_offer_it(online):
    ada, bob = await online.pair(rules="classic", rated=True)
    await set_secret(ada, bob, "rrrr")
    assert "F2" not in bob.text().splitlines()[-1]
    bob.press("f2")
    await bob.until("There is no advice in a rated match.")


async def test_a_guess_waits_for_pending_advice(offline):
    shown = await offline.against()
    shown.press("f2", "1", "1", "2", "2", "enter")
    await until_guess(shown, 2)
    await shown.until(lambda: "codes fit" not in shown.text())
    assert "with advice" in shown.text()
    assert "You took advice" not in shown.text()  # only the others need this line
    assert "F3 next" not in shown.text()


async def test_advice_without_guesses_offers_nothing_to_copy(online, relay):
    shown = await online.against(address=relay.address)
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
    assert [request.most for request in asked] == [ADVISED_GUESSES]


# Turns.


async def test_bell_and_title_announce_the_players_turn(online):
    ada, bob = await online.pair()
    assert TURN not in bob.glass.written
    rung = count_bells(bob)
    await set_secret(ada, bob, "1234")
    await bob.until(lambda: TURN in bob.glass.written)
    await guess(bob, "1122")
    await until_guess(bob, 2)
    assert count_bells(bob) == rung + 1
    assert ada.glass.written.rindex("\x1b]2;Mastermind") > ada.glass.written.rindex(TURN)


async def test_bell_and_title_can_be_switched_off(offline):
    shown = await offline.against(bell=False, title=False)
    assert BELL not in shown.glass.written
    assert "\x1b]2;" not in shown.glass.written
