from base64 import b64encode

import pytest

from kit.clock import ManualClock
from kit.screen.moves import find_candidate, guess, guess_and_wait, state
from kit.screen.seats import match_of
from kit.screen.stage import Stage
from mastermind_client.screen.motion.motion import AT_REST
from mastermind_client.screen.pages.match import DEAF_SECONDS
from mastermind_client.words.share import share_match
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


async def test_an_answer_moves_on_a_clock_and_then_nothing_runs(offline):
    clock = ManualClock()
    shown = await offline.against(clock=clock)
    clock.skip(10)  # the code has been sealed
    assert not clock.pending
    await guess(shown, "1122")
    assert match_of(shown).scene.moment.answer == 0
    clock.skip(0.13)
    assert match_of(shown).scene.moment.answer == 1
    clock.skip(1)
    assert match_of(shown).scene.moment is AT_REST
    assert not clock.pending


async def test_any_key_ends_what_moves_and_does_what_it_does(offline):
    clock = ManualClock()
    shown = await offline.against(clock=clock)
    await guess(shown, "1122")
    await press(shown, "3")
    assert match_of(shown).scene.moment is AT_REST
    assert match_of(shown).scene.entry.pegs[0] == 2
    assert not clock.pending


async def test_nothing_moves_where_that_is_set(offline):
    clock = ManualClock()
    shown = await offline.against(clock=clock, motion=False)
    await guess(shown, "1122")
    assert match_of(shown).scene.moment is AT_REST
    assert not clock.pending


async def test_what_moves_ends_with_its_screen(offline):
    clock = ManualClock()
    shown = await offline.against(clock=clock)
    await crack(shown)
    assert clock.pending
    shown.app.back()
    await shown.until(lambda: not shown.app.busy)
    assert not clock.pending


@pytest.mark.parametrize("motion", [True, False])
async def test_enter_begins_no_new_game_before_the_result_can_have_been_read(offline, motion):
    clock = ManualClock()
    shown = await offline.against(clock=clock, motion=motion)
    await crack(shown)
    first = match_of(shown)

    await press(shown, "enter")
    clock.skip(DEAF_SECONDS - 0.1)
    await press(shown, "enter")
    assert not shown.app.busy
    assert match_of(shown) is first

    clock.skip(0.2)
    shown.press("enter")
    await shown.until(lambda: match_of(shown) is not first)
    assert state(shown).opened.previous == first.mirror.code


async def test_between_rounds_enter_is_deaf_too_and_a_peg_is_not(online):
    clock = ManualClock()
    ada, bob = await online.pair(rounds=2, clock=clock, motion=False)
    await guess_and_wait(ada, bob, "1234", "1234")
    bob.type("5612")
    bob.press("enter")
    await ada.until(lambda: match_of(ada).scene.between_rounds)
    await ada.until(lambda: match_of(ada).match.phase is Phase.BREAKING)
    await press(ada, "enter")
    assert match_of(ada).scene.between_rounds
    await press(ada, "3")
    assert not match_of(ada).scene.between_rounds


async def test_the_end_of_a_round_is_not_seen_anew_when_the_next_code_is_set(online):
    clock = ManualClock()
    ada, bob = await online.pair(rounds=2, clock=clock, motion=False)
    await guess_and_wait(ada, bob, "1234", "1234")
    await ada.until(lambda: match_of(ada).scene.between_rounds)
    clock.skip(3.0)
    bob.type("5612")
    bob.press("enter")
    await ada.until(lambda: match_of(ada).match.phase is Phase.BREAKING)
    await press(ada, "enter")
    assert not match_of(ada).scene.between_rounds


async def test_the_result_can_be_copied_and_gives_no_code_away(offline):
    shown = await offline.against()
    await press(shown, "c")
    assert "\x1b]52" not in shown.glass.written
    await crack(shown)
    await press(shown, "c")
    await shown.until("Copied")
    sent = b64encode(share_match(state(shown)).encode()).decode()
    assert f"\x1b]52;c;{sent}\x07" in shown.glass.written
