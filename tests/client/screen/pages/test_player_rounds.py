import pytest

from kit.screen.moves import guess, guess_and_wait, row, say, state
from kit.screen.seats import Seats, give_up, match_of, sit, until_guess
from kit.screen.slate import Slate
from kit.screen.stage import Stage
from mastermind_client.screen.pages.replay import ReplayScreen
from mastermind_client.screen.pages.waiting import WaitingScreen
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import Leave

BREAKING = Phase.BREAKING
ENDED = "as it was sealed"


# The end.


async def test_a_round_is_given_up_after_a_question(online):
    ada, bob = await online.pair()
    bob.press("f6")
    await bob.until("Not now: the codemaker is to set the secret.")
    ada.type("1234")
    ada.press("enter")
    await until_guess(bob, 1)

    bob.press("f6")
    await bob.until("Give this round up?")
    bob.press("escape")
    await bob.until(lambda: "Give this round up?" not in bob.text())
    assert state(bob).phase is Phase.BREAKING

    bob.press("f6", "down", "enter")
    await bob.until("Ada wins")
    await ada.until("You win")


async def test_the_board_stays_in_sight_at_the_end(online):
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1122")
    await guess(bob, "1234")

    for shown in (ada, bob):
        await shown.until("broken in 2 guesses")
        assert "1 black, 1 white" in shown.text()
        assert "4 black, 0 white" in shown.text()
        assert "R     G     B     Y     as it was sealed ✓" in shown.text()
        assert "[   ]" not in shown.text()
    bob.press("f7")
    await bob.reaches(ReplayScreen)
    bob.press("escape")
    await bob.until("Enter offers a rematch")


async def test_a_rematch_against_a_bot_begins_at_once(offline):
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
        assert list(first.place.session._following) == [match_of(shown).mirror.code]
        assert shown.glass.written[before:].split("\x1b]2;")[-1].startswith("Your turn")
    await give_up(shown)
    await shown.until("Enter plays again")
    shown.press("escape")
    await shown.reaches(Slate)


async def test_a_rematch_is_offered_once_and_taken_and_only_it_is_followed(online):
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1234")
    await ada.until("Enter offers a rematch")
    sessions = [match_of(shown).place.session for shown in (ada, bob)]

    ada.press("enter", "enter", "enter")
    await ada.reaches(WaitingScreen)
    await ada.until(lambda: not ada.app.busy)
    assert len(ada.app._screens) == 2
    await bob.until("wants another")
    bob.press("enter")

    await bob.until("will not guess")
    await ada.until("Bob hides a code")
    await ada.until(lambda: not ada.app.busy and not bob.app.busy)
    code = match_of(ada).mirror.code
    assert [list(session._following) for session in sessions] == [[code]] * 2


async def test_who_leaves_while_a_rematch_is_under_way_leaves_that_too(online, relay):
    shown, place = await online.app(address=relay.address)
    sit(shown, place, await place.session.open("classic", maker="random", breaker="me", seed=7))
    await until_guess(shown, 1)
    first = match_of(shown).mirror.code
    shown.press("f6", "down", "enter")
    await shown.until("Enter plays again")
    relay.hold()
    relay.cut()
    await shown.until(lambda: bool(place.lost))
    shown.press("enter", "escape")
    await shown.reaches(Slate)

    relay.release()

    await shown.until(lambda: bool(place.feeds.keys() - {first}))
    (rematch,) = place.feeds.keys() - {first}
    await shown.until(
        lambda: any(isinstance(one, Leave) and one.match == rematch for one in relay.asked)
    )
    assert isinstance(shown.app.screen, Slate)


# Between two rounds.


async def play_a_round_against(bot: Seats) -> Stage:
    """Resign a round against a bot and let it break a code, until our next round has started."""
    shown, place = await bot.app()
    mirror = await place.session.open("classic", maker="random", breaker="me", rounds=3, seed=7)
    sit(shown, place, mirror)
    await until_guess(shown, 1)
    await guess(shown, "1122")
    shown.press("f6", "down", "enter")
    await shown.until("Round 1 is over")
    shown.type("5566")
    shown.press("enter")
    await shown.until(lambda: len(state(shown).played) == 2 and state(shown).phase is BREAKING)
    return shown


async def test_the_end_of_a_round_stays_in_sight_until_the_first_key_for_the_next(offline):
    shown = await play_a_round_against(offline)
    await shown.until("Round 2 is over")
    assert "round 2 of 3" in shown.text()
    shown.wheel(-1)
    shown.press("f4", "pageup", "pagedown", "f4", "f8")
    await shown.until("The others are muted.")
    assert "Round 2 is over" in shown.text()

    shown.press("1")

    await shown.until("round 3 of 3")
    assert ENDED not in shown.text()
    assert row(shown) == "1..."


@pytest.mark.parametrize("key", ["enter", "right", "space"])
async def test_enter_or_a_key_of_the_row_goes_on_to_the_next_round(offline, key):
    shown = await play_a_round_against(offline)
    await shown.until("Round 2 is over")

    shown.press(key)

    await shown.until("round 3 of 3")
    assert ENDED not in shown.text()


async def test_each_player_goes_on_to_the_next_round_when_they_want(online):
    ada, bob = await online.pair(rounds=2)
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Round 1 is over")
    bob.type("556")
    await bob.until("One more peg")
    assert ENDED not in bob.text()
    assert "Round 1 is over" in ada.text()

    bob.press("6", "enter")

    await bob.until("Ada's turn")
    await ada.until("Enter goes on")
    assert ENDED in ada.text()
    ada.type("55")
    await ada.until("Two more pegs")
    await until_guess(ada, 1)


# Leaving.


async def test_a_match_left_while_reconnecting_is_left_when_the_connection_is_back(online, relay):
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
    await ada.reaches(Slate)
    assert state(bob).phase is Phase.SETTING

    relay.release()

    await bob.until("You win")
    assert hers.ended is None


async def test_when_the_session_is_over_esc_leaves_at_once_and_says_how_to_come_back(online, relay):
    shown, place = await online.app(address=relay.address)
    mirror = await place.session.open("classic", maker="random", breaker="me", seed=7)
    sit(shown, place, mirror)
    await until_guess(shown, 1)
    await relay.close(1008, "that is enough")
    await shown.until("No connection")

    shown.press("escape")

    await shown.reaches(Slate)
    await shown.until(f"Match {mirror.code} is kept for you: go on with it from home.")
    assert shown.app.card is None


async def test_no_rematch_is_offered_where_somebody_has_left(online):
    ada, bob = await online.pair()
    await guess_and_wait(ada, bob, "1234", "1234")
    await bob.until("Enter again")
    await ada.until("Enter again")
    ada.press("escape")
    await ada.reaches(Slate)

    await bob.until("No rematch")

    assert "Enter again" not in bob.text()
    bob.press("enter")
    await say(bob, "Well played.")
    await bob.until("You say: Well played.")
    assert not isinstance(bob.app.screen, WaitingScreen)
