"""The pace of bots' guesses, on a clock that only the test moves."""

import asyncio

import pytest

from kit.clock import ManualClock
from kit.matches import pegs
from kit.people import PATIENCE, SessionClient, sit_down
from mastermind_client.config.options import WatchOptions
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.updates import Moved, Update
from mastermind_protocol.events import Guessed
from mastermind_protocol.match import Phase

SHOW = WatchOptions(None, bot="knuth", secret=pegs("1234"))


async def begin_show(bob: SessionClient) -> Mirror:
    """Return a match of two bots, in which knuth needs several guesses."""
    return await bob.session.open("knuth", maker="random", breaker="knuth", secret=pegs("1234"))


async def until_over(inbox: Inbox, mirror: Mirror) -> None:
    """Wait until the whole match has been received, and nothing printed."""
    async with asyncio.timeout(PATIENCE):
        while mirror.state.phase is not Phase.FINISHED:
            await inbox.next(lines=False)


def _no_updates() -> list[Update]:
    return []


def count_guesses(told: list[Update]) -> int:
    moves = [update for update in told if isinstance(update, Moved)]
    return sum(isinstance(event, Guessed) for move in moves for event in move.events)


async def test_a_bots_guesses_are_delivered_at_the_pace(bob, desk):
    clock, told = ManualClock(), _no_updates()
    mirror = await begin_show(bob)
    with Inbox.open(bob.session, desk.terminal, 1.5, clock) as inbox:
        await until_over(inbox, mirror)
        with inbox.subscribed(told.append, paced=True):
            for number in range(len(mirror.state.played[0].turns)):
                assert count_guesses(told) == number
                shown = inbox.find_displayed(mirror)
                assert shown.current is not None
                assert len(shown.current.turns) == number
                clock.skip(1.4)
                assert count_guesses(told) == number
                clock.skip(0.1)
            assert count_guesses(told) == len(mirror.state.played[0].turns)
            assert inbox.find_displayed(mirror) is mirror.state
            assert not clock.pending


async def test_held_updates_are_delivered_at_once_to_an_unpaced_subscriber(bob, desk):
    clock, told = ManualClock(), _no_updates()
    mirror = await begin_show(bob)
    with Inbox.open(bob.session, desk.terminal, 1.5, clock) as inbox:
        await until_over(inbox, mirror)
        with inbox.subscribed(told.append):
            assert count_guesses(told) == len(mirror.state.played[0].turns)


async def test_peoples_guesses_are_printed_without_delay(ada, bob, people, desk):
    carl = await people.meet("Carl")
    mirror, theirs = await sit_down(ada, bob)
    watched = await carl.session.follow(mirror.code)
    desk.watch(carl.session, watched, pace=1.5, clock=ManualClock())
    await ada.set(mirror, "1234")
    await bob.guess(theirs, "1122")
    await desk.until(" 1  1 1 2 2")


async def test_a_paced_show_prints_its_secret_first_and_its_result_last(bob, new_desk):
    clock, desk = ManualClock(), new_desk(person=True)
    mirror = await begin_show(bob)
    desk.watch(bob.session, mirror, SHOW, pace=1.5, clock=clock)

    await desk.until("The secret that you have set is 1 2 3 4: red green blue yellow.\n")
    await desk.until("It is locked: ")
    await clock.until(lambda timer: timer.seconds == 1.5)
    async with asyncio.timeout(PATIENCE):
        while mirror.state.phase is not Phase.FINISHED:  # noqa: ASYNC110 - updates are the desk's
            await asyncio.sleep(0)  # `h` reads the received state
    assert " 1  1 1 2 2" not in desk.shown
    clock.skip(1.5)
    await desk.until(" 1  1 1 2 2  KW")
    desk.type("h")
    await desk.until(" 1  1 1 2 2  KW")
    assert "\n 2  " not in desk.shown

    clock.run_all_timers()
    await desk.until("knuth (bot) wins.")
    await desk.finish()


async def test_a_show_can_be_left_before_its_end(bob, new_desk):
    clock, desk = ManualClock(), new_desk(person=True)
    mirror = await begin_show(bob)
    desk.watch(bob.session, mirror, SHOW, pace=1.5, clock=clock)
    await clock.until(lambda timer: timer.seconds == 1.5)
    desk.type("q")
    await desk.finish()
    assert "wins" not in desk.shown
    assert not clock.pending


async def test_a_codemaker_sees_a_bots_guesses_before_the_result(bob, new_desk):
    clock, desk = ManualClock(), new_desk(person=True)
    mirror = await bob.session.open("knuth", maker="me", breaker="knuth")
    desk.play(LinePlayer, bob.session, mirror, 1.5, clock)
    await desk.until("Your secret (4 pegs): ")
    desk.type("1234")
    await desk.until("Waiting for knuth (bot) to guess ...\n")

    await clock.until(lambda timer: timer.seconds == 1.5)
    clock.skip(1.5)
    await desk.until(" 1  1 1 2 2  KW")
    assert "Play again?" not in desk.shown
    clock.run_all_timers()
    await desk.until("knuth (bot) needed 3 guesses; it usually needs 4.5.")
    await desk.until("Play again? (Y/N) ")
    desk.type("n")
    await desk.finish()


async def test_quitting_while_a_bots_guesses_are_printed_keeps_the_next_round(bob, new_desk):
    clock, desk = ManualClock(), new_desk(person=True)
    mirror = await bob.session.open("knuth", maker="me", breaker="knuth", rounds=2)
    desk.play(LinePlayer, bob.session, mirror, 1.5, clock)
    await desk.until("Your secret (4 pegs): ")
    desk.type("1234")
    await clock.until(lambda timer: timer.seconds == 1.5)
    desk.type("q")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert not mirror.state.departed
    assert "Leave the match for good" not in desk.shown
