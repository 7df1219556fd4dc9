import pytest

from kit.clock import ManualClock
from kit.screen.moves import find_candidate, guess, guess_and_wait, send, state
from kit.screen.seats import match_of
from kit.screen.stage import Stage
from mastermind_client.messages.codes import format_share
from mastermind_client.screen.motion.animation import AT_REST
from mastermind_client.screen.pages.matches.match import JUST_ENDED_SECONDS
from mastermind_protocol.match import Phase


async def crack(shown: Stage) -> None:
    """Break the bot's code."""
    while state(shown).phase is not Phase.FINISHED:
        await guess(shown, find_candidate(state(shown)))


async def press(shown: Stage, key: str) -> None:
    """Press a key, and wait until it has done what it does."""
    pressed: list[object] = []
    processor = shown.terminal.application.key_processor
    processor.after_key_press += pressed.append
    shown.press(key)
    await shown.until(lambda: bool(pressed))
    processor.after_key_press -= pressed.append


async def test_an_answer_is_animated_and_then_no_timer_runs(offline):
    clock = ManualClock()
    shown = await offline.against(clock=clock)
    clock.skip(10)  # the code has been sealed
    assert not clock.pending
    await guess(shown, "1122")
    assert match_of(shown).scene.moment.shown_key_pegs == 0
    clock.skip(0.13)
    assert match_of(shown).scene.moment.shown_key_pegs == 1
    clock.skip(1)
    assert match_of(shown).scene.moment is AT_REST
    assert not clock.pending


async def test_a_key_ends_the_animation_and_acts(offline):
    clock = ManualClock()
    shown = await offline.against(clock=clock)
    await guess(shown, "1122")
    await press(shown, "3")
    assert match_of(shown).scene.moment is AT_REST
    assert match_of(shown).scene.entry.pegs[0] == 2
    assert not clock.pending


@pytest.mark.parametrize("motion", [True, False])
async def test_no_timer_runs_without_motion_or_after_the_screen_has_closed(offline, motion):
    clock = ManualClock()
    shown = await offline.against(clock=clock, motion=motion)
    await guess(shown, "1122")
    assert (match_of(shown).scene.moment is AT_REST) == (not motion)
    assert bool(clock.pending) == motion
    shown.app.back()
    await shown.until(lambda: not shown.app.busy)
    assert not clock.pending


@pytest.mark.parametrize("motion", [True, False])
async def test_enter_starts_no_rematch_before_the_result_can_be_read(offline, motion):
    clock = ManualClock()
    shown = await offline.against(clock=clock, motion=motion)
    await crack(shown)
    first = match_of(shown)

    await press(shown, "enter")
    clock.skip(JUST_ENDED_SECONDS - 0.1)
    await press(shown, "enter")
    assert not shown.app.busy
    assert match_of(shown) is first

    clock.skip(0.2)
    shown.press("enter")
    await shown.until(lambda: match_of(shown) is not first)
    assert state(shown).opened.previous == first.mirror.code


async def test_between_rounds_enter_is_ignored_at_first_and_a_peg_is_not(online):
    clock = ManualClock()
    ada, bob = await online.pair(rounds=2, clock=clock, motion=False)
    await guess_and_wait(ada, bob, "1234", "1234")
    send(bob, "5612")
    await ada.until(lambda: match_of(ada).scene.between_rounds)
    await ada.until(lambda: match_of(ada).match.phase is Phase.BREAKING)
    await press(ada, "enter")
    assert match_of(ada).scene.between_rounds
    await press(ada, "3")
    assert not match_of(ada).scene.between_rounds


async def test_c_copies_the_result_only_after_the_end(offline):
    shown = await offline.against()
    await press(shown, "c")
    assert shown.copied() == []
    await crack(shown)
    await press(shown, "c")
    await shown.until("Copied")
    assert shown.copied() == [format_share(state(shown))]
