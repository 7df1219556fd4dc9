import pytest

from kit.screen.moves import guess, guess_and_wait, row, say, state
from kit.screen.seats import give_up, match_of, until_guess
from kit.screen.slate import Slate
from mastermind_client.screen.scene.feed import Note, NoteKind
from mastermind_client.screen.window import END_KEYS
from mastermind_protocol.match import Phase


async def test_leaving_a_match_asks_first_and_the_opponent_learns_it(online, monkeypatch):
    monkeypatch.setattr("mastermind_server.matches.tables.filled_lobby.JUST_JOINED_SECONDS", 0)
    ada, bob = await online.pair()
    ada.press("escape")
    await ada.until("► Stay")
    ada.press("enter")
    await ada.until(lambda: "Leave the match" not in ada.text())
    assert state(bob).phase is Phase.SETTING

    await give_up(ada)

    await ada.wait_for_screen(Slate)
    await bob.until("You win")
    assert "No rematch" in bob.text()
    bob.press("f4")
    await bob.until("Ada left.")
    bob.press("escape", "escape")
    await bob.wait_for_screen(Slate)


@pytest.mark.parametrize("key", END_KEYS)
async def test_ending_the_program_keeps_the_seat(online, key):
    ada, bob = await online.pair()
    code = match_of(ada).mirror.code

    ada.press(key)

    await ada.ended()
    await bob.until("away since")
    assert state(bob).phase is Phase.SETTING
    assert ada.app.farewell == [
        f"Saved for later: Bob, {code}, your turn. Continue: mastermind continue {code}"
    ]


async def test_a_lost_server_is_announced_and_a_guess_waits_for_it(online, server):
    shown = await online.against()
    await guess(shown, "1122")
    shown.type("334")
    await server.stop()
    await shown.until("Trying again (")
    assert "Your seat is kept" in shown.text()
    assert row(shown) == "334."
    shown.press("4", "enter")
    await shown.until("Waiting for the server …")
    shown.press("enter")  # an Enter too many sends nothing twice
    await server.start()
    await until_guess(shown, 3)
    assert "Trying again" not in shown.text()
    assert "R     R     G     G" in shown.text()
    assert "B     B     Y     Y" in shown.text()


async def test_keys_and_the_wheel_scroll_the_board(offline):
    shown = await offline.against(columns=60, rows=20, rules="4x6/20")
    for _guess in range(17):
        await guess(shown, "RRGG")
    await until_guess(shown, 18)
    first, last = "  1 ▆▆R▆▆", " 17 ▆▆R▆▆"
    assert last in shown.text()
    assert first not in shown.text()

    shown.press("pageup", "pageup")
    await shown.until(first)
    shown.press("pageup", "pageup", "pageup", "pagedown")
    await shown.until(lambda: first not in shown.text())
    shown.press("pagedown", "pagedown", "pagedown")
    await shown.until(last)
    shown.wheel(-1)
    await shown.until(lambda: "►18" not in shown.text())
    for step, seen in ((-1, first), (1, "►18")):
        for _step in range(20):
            shown.wheel(step)
        await shown.until(seen)
    shown.press("pageup")
    await guess(shown, "YYOO")
    await shown.until("►19")


@pytest.mark.parametrize(("columns", "rows"), [(60, 20), (300, 100)])
async def test_f4_shows_the_history_in_place_of_the_board_and_it_scrolls(offline, columns, rows):
    shown = await offline.against(columns=columns, rows=rows)
    screen, lines = match_of(shown), rows + 1
    first, last = "You are the codebreaker.", f"This is note {lines - 1}."
    feed = screen.server.feed(screen.mirror)
    feed.notes += [Note(NoteKind.NEWS, f"This is note {number}.") for number in range(lines)]
    shown.press("f4")
    await shown.until(last)
    shown.press("1", "enter")  # the row is hidden, and stays empty
    assert "What happened" in shown.text()
    assert first not in shown.text()
    assert "Your turn  " in shown.text()

    shown.press(*["pageup"] * rows)
    await shown.until(first)
    assert last not in shown.text()
    for step in (1, -1):
        for _row in range(2):
            shown.wheel(step)
        await shown.until(lambda step=step: (first in shown.text()) == (step < 0))
    shown.press(*["pagedown"] * rows)
    await shown.until(last)
    shown.press("escape")
    await shown.until("1 of 12")
    assert "Four pegs" in shown.text()
    assert "Leave the match?" not in shown.text()


async def test_muting_covers_the_review_and_the_rematch(online):
    ada, bob = await online.pair()
    bob.press("f8")
    await bob.until("The others are muted.")
    await say(ada, "Hurry up!")
    await guess_and_wait(ada, bob, "1234", "1234")
    await say(bob, "Well played.")
    await ada.until("Bob says: Well played.")
    await bob.until("Enter again")
    bob.press("f7")
    await bob.until("Well played.")
    assert "Hurry up!" not in bob.text()
    bob.press("escape")
    await bob.until("Enter again")

    bob.press("enter")
    await ada.until("wants another")
    ada.press("enter")
    await bob.until("will not guess")
    await say(ada, "Not you again!")
    await say(bob, "Yes.")
    await ada.until("Bob  Yes.")
    await bob.until("You  Yes.")
    assert len(match_of(bob).mirror.chat) == 2
    assert "Not you again!" not in bob.glass.written
    bob.press("f4")
    await bob.until("others muted")
    bob.press("escape", "f8")
    await bob.until("Ada  Not you again!")
