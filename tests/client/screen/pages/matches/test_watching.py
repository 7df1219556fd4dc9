from kit.matches import pegs
from kit.screen.moves import count_turns, guess, guess_and_wait, undo_to_lobby
from kit.screen.seats import spectator_of
from kit.screen.slate import Slate

# Watching people.


async def test_a_spectator_looks_back_and_new_moves_do_not_change_the_view(online):
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    cleo.press("home")  # which has no effect before the first guess
    await guess_and_wait(ada, bob, "1234", "1122")
    await cleo.until(lambda: count_turns(cleo) == 1 and "Bob's turn" in cleo.text())
    progress = spectator_of(cleo).progress
    assert (progress.guess, progress.guesses) == (2, 2)
    await guess(bob, "3344")
    await cleo.until(lambda: count_turns(cleo) == 2)

    cleo.press("home")
    await cleo.until(" Guess 1 ")
    await guess(bob, "5566")
    await cleo.until(lambda: count_turns(cleo) == 3)
    assert " Guess 1 " in cleo.text()
    cleo.press("right")
    await cleo.until(" Guess 2 ")
    cleo.press("end")
    await cleo.until("Bob's turn")
    cleo.press("left", "right")
    await guess(bob, "1111")
    await cleo.until(lambda: spectator_of(cleo).match is spectator_of(cleo).mirror.state)
    assert count_turns(cleo) == 4


async def test_new_guesses_do_not_move_a_board_that_a_spectator_has_scrolled(online):
    ada, bob = await online.pair(rules="4x6/20")
    cleo = await online.spectator(ada)
    cleo.resize(60, 20)
    await guess_and_wait(ada, bob, "RGBY", "RRGG")
    for _guess in range(14):
        await guess(bob, "OOPP")
    await cleo.until(lambda: " 15 ▆" in cleo.text() and count_turns(cleo) == 15)
    seen = cleo.text()
    cleo.press("pageup")
    await cleo.until(lambda: cleo.text() != seen)
    top = spectator_of(cleo).top

    await guess(bob, "BBYY")
    await cleo.until(lambda: count_turns(cleo) == 16)
    assert spectator_of(cleo).top == top

    cleo.press("end")
    await cleo.until(" 16 ▆")


async def test_the_spectators_help_has_none_of_the_players_keys(online):
    ada, _bob = await online.pair()
    cleo = await online.spectator(ada)
    cleo.resize(120, 40)
    cleo.press("f1")
    await cleo.until("the current position")

    for does in ("put this colour", "send the code", "give this round up", "take advice"):
        assert does not in cleo.text()
    cleo.press("escape")
    await cleo.until(lambda: "the current position" not in cleo.text())
    cleo.press("escape")
    await cleo.wait_for_screen(Slate)
    await ada.until("0 watching")


async def test_space_pauses_a_live_match_and_plays_the_missed_guesses(online):
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1122")
    cleo = await online.spectator(ada)
    await cleo.until(lambda: count_turns(cleo) == 1 and "Bob's turn" in cleo.text())

    cleo.press("space")
    await cleo.until(" Guess 1 ")
    await guess(bob, "3344")
    await guess(bob, "5566")
    await cleo.until(lambda: count_turns(cleo) == 3)
    assert " Guess 1 " in cleo.text()

    cleo.press("space")
    await cleo.until("Bob's turn")
    assert spectator_of(cleo).match is spectator_of(cleo).mirror.state


async def test_enter_takes_a_spectator_to_the_rematch(online):
    ada, bob = await online.pair()
    cleo = await online.spectator(ada)
    session, first = spectator_of(cleo).server.session, spectator_of(cleo)
    await guess_and_wait(ada, bob, "1234", "1234")
    await cleo.until("broken in 1 guess")
    assert "Enter rematch" not in cleo.text()
    cleo.press("enter")
    await ada.until("Enter again")
    ada.press("enter")
    await cleo.until(lambda: spectator_of(cleo).match.rematch is not None)
    await bob.until("wants another")
    cleo.resize(60, 20)
    await cleo.until("Enter rematch")
    bob.press("enter")
    await bob.until("will not guess")

    cleo.press("enter", "enter", "enter")
    await cleo.until("Bob hides a code")
    await cleo.until(lambda: not cleo.app.busy)
    assert spectator_of(cleo) is not first
    assert list(session.followed) == [spectator_of(cleo).mirror.code]
    cleo.press("escape")
    await cleo.wait_for_screen(Slate)


async def test_a_spectator_looks_back_at_an_earlier_round_until_the_log_shrinks(online):
    ada, bob = await online.pair(rounds=2)
    cleo = await online.spectator(ada)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Round 1 is over")
    await guess_and_wait(bob, ada, "5566", "1122")
    await cleo.until(lambda: count_turns(cleo) == 1 and "round 2 of 2" in cleo.text())
    screen = spectator_of(cleo)
    cleo.press("left")
    await cleo.until("round 1 of 2")
    assert screen.scene.secret == pegs("1234")
    assert " Guess 1 " in cleo.text()

    undo_to_lobby(screen)
    await cleo.until("nobody yet")
    assert screen.match is screen.mirror.state
