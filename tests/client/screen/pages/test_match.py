import pytest

from kit.screen.moves import guess, guess_and_wait, row, say, state
from kit.screen.seats import give_up, match_of, sit, until_guess
from kit.screen.slate import Slate
from mastermind_client.screen.app import END_KEYS
from mastermind_client.screen.scene.feed import Kind, Note
from mastermind_protocol.match import Phase

# The others.


async def test_a_match_is_given_up_after_a_question_and_the_opponent_told(online):
    ada, bob = await online.pair()
    ada.press("escape")
    await ada.until("► Stay")
    ada.press("enter")
    await ada.until(lambda: "Leave the match" not in ada.text())
    assert state(bob).phase is Phase.SETTING

    await give_up(ada)

    await ada.reaches(Slate)
    await bob.until("You win")
    assert "No rematch" in bob.text()
    bob.press("f4")
    await bob.until("Ada left.")
    bob.press("escape", "escape")
    await bob.reaches(Slate)


async def test_a_match_that_is_put_aside_goes_on_and_is_heard_of(online):
    ada, bob = await online.pair()
    mirror = match_of(ada).mirror
    ada.press("escape")
    await ada.until("Leave the match?")
    ada.press("down", "enter")
    await ada.reaches(Slate)
    assert "away since" not in bob.text()

    await give_up(bob)

    await ada.until(lambda: mirror.state.phase is Phase.FINISHED)


@pytest.mark.parametrize("key", END_KEYS)
async def test_ending_the_program_puts_the_match_aside(online, key):
    ada, bob = await online.pair()
    code = match_of(ada).mirror.code

    ada.press(key)

    await ada.ended()
    await bob.until("away since")
    assert state(bob).phase is Phase.SETTING
    assert ada.app.farewell == [
        f"Put aside: Bob, {code}, your turn. Come back: mastermind continue {code}"
    ]


async def test_an_opponent_who_is_away_is_shown_with_the_time(online, relay):
    ada, hers = await online.app("Ada")
    bob, his = await online.app("Bob", address=relay.address)
    mirror = await hers.session.open("classic", maker="me", breaker="open")
    sit(bob, his, await his.session.join(mirror.code))
    sit(ada, hers, mirror)
    await ada.until("will not guess")

    relay.hold()
    relay.cut()
    await ada.until("◇ away since ")

    relay.release()
    await ada.until("Bob is back.")
    await ada.until(lambda: "away since" not in ada.text())


# Trouble.


async def test_a_server_that_is_gone_is_told_until_it_is_back_and_nothing_is_lost(online, server):
    shown = await online.against()
    await guess(shown, "1122")
    shown.type("334")
    await server.stop()
    await shown.until("Trying again (")
    assert "Your seat is kept" in shown.text()
    assert row(shown) == "334."
    shown.type("4")
    shown.press("enter")
    await shown.until("Waiting for the server …")
    shown.press("enter")  # an Enter too many sends nothing twice

    await server.start()

    await until_guess(shown, 3)
    assert "Trying again" not in shown.text()
    assert "R     R     G     G" in shown.text()
    assert "B     B     Y     Y" in shown.text()


async def test_a_session_that_is_over_says_what_can_be_done(online, relay):
    shown, place = await online.app(columns=120, address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)

    await relay.say("this is no frame of ours")

    await shown.until("No connection. Your seat is kept: Esc, then Continue.")
    shown.press("escape")
    await shown.reaches(Slate)


# Sizes.


async def test_the_board_is_scrolled_by_keys_and_by_the_wheel(offline):
    shown = await offline.against(columns=60, rows=20, rules="4x6/20")
    for _guess in range(17):
        await guess(shown, "RRGG")
    await until_guess(shown, 18)
    assert " 17 ▆▆R▆▆" in shown.text()
    assert "  1 ▆▆R▆▆" not in shown.text()

    shown.press("pageup", "pageup")
    await shown.until("  1 ▆▆R▆▆")
    shown.press("pageup", "pageup", "pageup", "pagedown")
    await shown.until(lambda: "  1 ▆▆R▆▆" not in shown.text())
    shown.press("pagedown", "pagedown", "pagedown")
    await shown.until(" 17 ▆▆R▆▆")

    shown.wheel(-1)
    await shown.until(lambda: "►18" not in shown.text())
    for _step in range(20):
        shown.wheel(-1)
    await shown.until("  1 ▆▆R▆▆")
    for _step in range(20):
        shown.wheel(1)
    await shown.until("►18")

    shown.press("pageup")
    await guess(shown, "YYOO")
    await shown.until("►19")


@pytest.mark.parametrize(("columns", "rows"), [(60, 20), (120, 40), (300, 100)])
async def test_all_that_has_happened_is_opened_in_place_of_the_board_and_scrolled(
    offline, columns, rows
):
    shown = await offline.against(columns=columns, rows=rows)
    screen, lines = match_of(shown), rows + 1
    feed = screen.place.feed(screen.mirror)
    feed.notes += [Note(Kind.NEWS, f"This is note {number}.") for number in range(lines)]
    shown.press("f4")
    await shown.until(f"This is note {lines - 1}.")
    assert "What happened" in shown.text()
    assert "You are the codebreaker." not in shown.text()
    assert "Your turn  " in shown.text()

    shown.press(*["pageup"] * rows)
    await shown.until("You are the codebreaker.")
    assert f"This is note {lines - 1}." not in shown.text()
    for _row in range(2):
        shown.wheel(1)
    await shown.until(lambda: "You are the codebreaker." not in shown.text())
    for _row in range(2):
        shown.wheel(-1)
    await shown.until("You are the codebreaker.")
    shown.press(*["pagedown"] * rows)
    await shown.until(f"This is note {lines - 1}.")

    shown.press("escape")
    await shown.until("1 of 12")
    assert "Leave the match?" not in shown.text()


async def test_who_is_muted_is_muted_in_the_rematch_and_in_the_review_too(online):
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


async def test_a_log_that_is_told_anew_is_noted_once(online):
    ada, bob = await online.pair()
    await say(ada, "Have fun!")
    await bob.until("Ada  Have fun!")
    ada.type("1234")
    ada.press("enter")
    await until_guess(bob, 1)
    screen = match_of(bob)
    mirror, session = screen.mirror, screen.place.session
    notes = sorted(note.text for note in screen.scene.notes)
    version = mirror.version

    mirror.restart()
    await session._link.send(session._catch_up(mirror))

    await bob.until(lambda: mirror.version == version and len(mirror.chat) == 1)
    await bob.until(lambda: sorted(note.text for note in screen.scene.notes) == notes)
