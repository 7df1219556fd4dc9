from kit.screen.moves import guess, guess_and_wait, set_secret, state
from kit.screen.seats import give_up, match_of, sit, until_guess
from kit.screen.slate import Slate
from mastermind_client.screen.pages.matches.waiting import WaitingScreen
from mastermind_client.screen.pages.matches.watching import ReplayScreen
from mastermind_client.screen.toolkit.overlays import Card
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Leave

ENDED = "unchanged"


# The end.


async def test_f6_gives_a_round_up_after_a_question(online):
    ada, bob = await online.pair()
    bob.press("f6")
    await bob.until("Not now: the codemaker is to set the secret.")
    await set_secret(ada, bob, "1234")
    bob.press("f6")
    await bob.until("Give this round up?")
    bob.press("escape")
    await bob.until(lambda: "Give this round up?" not in bob.text())
    assert state(bob).phase is Phase.BREAKING
    bob.press("f6", "down", "enter")
    await bob.until("Ada wins")
    await ada.until("You win")


async def test_the_board_stays_visible_at_the_end_and_f7_opens_the_review(online):
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1122")
    await guess(bob, "1234")
    for shown in (ada, bob):
        await shown.until("broken in 2 guesses")
        assert "1 black, 1 white" in shown.text()
        assert "4 black, 0 white" in shown.text()
        assert "R     G     B     Y     unchanged ✓" in shown.text()
        assert "[   ]" not in shown.text()
    bob.press("f7")
    await bob.wait_for_screen(ReplayScreen)
    bob.press("escape")
    await bob.until("Enter offers a rematch")


async def test_enter_starts_a_rematch_with_a_bot(offline):
    shown = await offline.against()
    for _rematch in range(2):
        first = match_of(shown)
        shown.press("f6", "down", "enter")
        await shown.until("Enter plays again")
        before = len(shown.glass.written)
        shown.press("enter")
        await shown.until(lambda first=first: shown.app.screen is not first)
        await until_guess(shown, 1)
        await shown.until(lambda: not shown.app.busy)
        assert state(shown).opened.previous == first.mirror.code
        assert list(first.server.session.followed) == [match_of(shown).mirror.code]
        assert shown.glass.written[before:].split("\x1b]2;")[-1].startswith("Your turn")
    await give_up(shown)
    await shown.until("Enter plays again")
    assert " 0 : 3 " in shown.text()
    shown.press("escape")
    await shown.wait_for_screen(Slate)
    assert shown.glass.written.rindex("\x1b]2;Mastermind") > shown.glass.written.rindex(
        "\x1b]2;Your"
    )


async def test_a_rematch_is_offered_once_accepted_and_followed_alone(online):
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1234")
    await ada.until("Enter offers a rematch")
    sessions = [match_of(shown).server.session for shown in (ada, bob)]

    ada.press("enter", "enter", "enter")
    await ada.wait_for_screen(WaitingScreen)
    await ada.until(lambda: not ada.app.busy)
    assert len(ada.app._screens) == 2
    await bob.until("wants another")
    bob.press("enter")

    await bob.until("will not guess")
    await ada.until("Bob hides a code")
    await ada.until(lambda: not ada.app.busy and not bob.app.busy)
    code = match_of(ada).mirror.code
    assert [list(session.followed) for session in sessions] == [[code]] * 2


async def test_a_player_who_leaves_also_leaves_a_rematch_being_opened(online, relay):
    shown = await online.against(address=relay.address)
    place, first = match_of(shown).server, match_of(shown).mirror.code
    shown.press("f6", "down", "enter")
    await shown.until("Enter plays again")
    relay.hold()
    relay.cut()
    await shown.until(lambda: bool(place.connection.lost))
    shown.press("enter", "escape")
    await shown.wait_for_screen(Slate)

    relay.release()

    await shown.until(lambda: bool(place.feeds.keys() - {first}))
    (rematch,) = place.feeds.keys() - {first}
    await shown.until(
        lambda: any(isinstance(one, Leave) and one.match == rematch for one in relay.asked)
    )
    assert isinstance(shown.app.screen, Slate)


# Between two rounds.


async def test_the_end_of_a_round_stays_visible_until_each_players_own_key(online):
    ada, bob = await online.pair(rounds=2)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Round 1 is over")
    bob.wheel(-1)
    bob.press("f4", "pageup", "pagedown", "f4", "f8")
    await bob.until("The others are muted.")
    assert "Round 1 is over" in bob.text()
    bob.type("556")
    await bob.until("One more peg")
    assert ENDED not in bob.text()
    assert "Round 1 is over" in ada.text()
    bob.press("6", "enter")
    await bob.until("Ada's turn")
    await ada.until("Enter continues")
    assert ENDED in ada.text()
    ada.press("right")
    await until_guess(ada, 1)
    await guess(ada, "5665")  # from the second place on: 5566
    for shown in (ada, bob):
        await shown.until("A draw")


# Leaving.


async def test_a_match_left_while_reconnecting_is_left_after_the_reconnect(
    online, relay, monkeypatch
):
    monkeypatch.setattr("mastermind_server.matches.tables.filled_lobby.JUST_JOINED_SECONDS", 0)
    ada, hers = await online.app("Ada", address=relay.address)
    bob, his = await online.app("Bob")
    mirror = await hers.session.open("classic", maker="me", breaker="open")
    sit(bob, his, await his.session.join(mirror.code))
    sit(ada, hers, mirror)
    await ada.until("will not guess")
    relay.hold()
    relay.cut()
    await ada.until("Trying again")
    await give_up(ada)
    await ada.wait_for_screen(Slate)
    assert state(bob).phase is Phase.SETTING

    relay.release()

    await bob.until("You win")
    assert hers.connection.ended is None


async def test_esc_leaves_at_once_when_the_session_has_ended(online, relay):
    shown = await online.against(columns=120, address=relay.address)
    code = match_of(shown).mirror.code
    await relay.close(1008, "that is enough")
    await shown.until("No connection. Your seat is kept: Esc, then Continue.")
    shown.press("escape")
    await shown.wait_for_screen(Slate)
    await shown.until(f"Match {code} is kept for you: continue it from home.")
    assert shown.app.find_overlay(Card) is None


async def test_giving_up_a_code_for_a_bot_costs_nothing(offline):
    shown, place = await offline.app()
    sit(shown, place, await place.session.open("classic", maker="me", breaker="knuth"))
    await shown.until("Your turn")
    shown.press("escape")
    await shown.until("Nobody wins or loses.")
