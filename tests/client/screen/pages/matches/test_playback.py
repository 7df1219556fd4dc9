"""Playback on a real screen, with a clock that only the test moves."""

from kit.clock import ManualClock, ManualTimer
from kit.matches import pegs
from kit.screen.moves import guess_and_wait, send
from kit.screen.seats import Seats, match_of, sit, spectator_of
from kit.screen.slate import Slate
from kit.screen.stage import Stage
from mastermind_client.config.options import WatchOptions
from mastermind_client.screen.pages.matches.watching import SpectatorScreen
from mastermind_client.screen.screen import MatchPage
from mastermind_protocol.match import Phase

PACE = 1.5
TITLE = "\x1b]2;Your turn - Mastermind\x07"  # of the window; the bell rings behind it
BEGUN = WatchOptions(None, bot="knuth", secret=pegs("1234"))


def is_pace(timer: ManualTimer) -> bool:
    """Return whether a timer belongs to the playback; notices and motion have other timers."""
    return timer.seconds == PACE


def count_shown(shown: Stage) -> int:
    """Return the number of displayed guesses."""
    match = match_of(shown).match
    rounds = match.played if match.current is None else (*match.played, match.current)
    return sum(len(each.turns) for each in rounds)


async def until_known(shown: Stage, clock: ManualClock, phase: Phase = Phase.FINISHED) -> None:
    """Wait until a match has reached a phase, and the screen has received all of its states."""
    screen = match_of(shown)
    states = screen.mirror.states
    await shown.until(lambda: states[-1].phase is phase and bool(states[-1].played))
    await shown.until(lambda: screen.pacer.playback.known == len(states))
    await clock.until(is_pace)


async def show(offline: Seats, clock: ManualClock) -> Stage:
    """Return the app of a player who lets knuth break 1234, after all states have arrived."""
    shown, place = await offline.app(clock=clock, pace=PACE)
    mirror = await place.session.open("knuth", maker="random", breaker="knuth", secret=BEGUN.secret)
    shown.app.go(MatchPage(place, mirror, watched=BEGUN))
    await until_known(shown, clock)
    return shown


async def test_a_match_of_bots_plays_from_its_first_guess_to_its_result(offline):
    clock = ManualClock()
    shown = await show(offline, clock)
    number = len(spectator_of(shown).mirror.state.played[0].turns)
    assert spectator_of(shown).scene.secret == BEGUN.secret

    for guess in range(number):
        assert count_shown(shown) == guess
        assert spectator_of(shown).scene.thinker is not None
        assert "broke the code" not in shown.text()
        clock.skip(PACE)
        assert count_shown(shown) == guess + 1
    await shown.until(lambda: spectator_of(shown).is_over())
    assert not [timer for timer in clock.pending if is_pace(timer)]


async def test_keys_pause_step_and_repeat_the_playback(offline):
    clock = ManualClock()
    shown = await show(offline, clock)
    clock.skip(PACE)
    await shown.until(" Playing ")
    assert "Space pause" in shown.text()
    shown.press("space")
    await shown.until(" Paused ")
    assert "Space play" in shown.text()
    clock.skip(100.0)
    assert count_shown(shown) == 1
    shown.press("right")
    await shown.until(lambda: count_shown(shown) == 2)
    shown.press("left")
    await shown.until(lambda: count_shown(shown) == 1)
    shown.press("+")
    await shown.until("speed ●●●○")
    shown.press("-")
    await shown.until("speed ●●○○")
    shown.press("end")
    await shown.until(lambda: spectator_of(shown).is_over())
    shown.press("home")
    await shown.until(lambda: count_shown(shown) == 1)
    assert " Paused " in shown.text()

    shown.press("end", "space")  # at the end Space plays it all again
    await shown.until(" Playing ")
    assert count_shown(shown) == 1
    clock.skip(PACE)
    assert count_shown(shown) == 2
    place, mirror = spectator_of(shown).server, spectator_of(shown).mirror
    shown.press("escape")
    await shown.until(lambda: not isinstance(shown.app.screen, SpectatorScreen))
    await shown.until(lambda: not any(map(is_pace, clock.pending)))

    sit(shown, place, mirror)  # a match that has ended
    await shown.until(" Paused ")
    assert count_shown(shown) == 1
    assert spectator_of(shown).scene.secret is None


async def test_a_codemaker_can_pause_a_bots_guesses_and_skip_them(offline):
    clock = ManualClock()
    shown = await offer_code(offline, clock)
    screen = match_of(shown)
    await until_known(shown, clock)
    clock.skip(PACE)
    shown.press("space")
    await shown.until(" Paused ")
    clock.skip(100.0)
    assert count_shown(shown) == 1
    assert not screen.is_over()
    assert "Enter again" not in shown.text()
    shown.press("end")
    await shown.until(screen.is_over)
    await shown.until("again")


async def test_leaving_during_a_bots_guesses_keeps_the_match_without_a_question(offline):
    clock = ManualClock()
    shown = await offer_code(offline, clock, rounds=2)
    await until_known(shown, clock, Phase.BREAKING)
    mirror = match_of(shown).mirror
    shown.press("escape")
    await shown.wait_for_screen(Slate)
    await shown.until(f"Match {mirror.code} is kept for you")
    await shown.until(lambda: not shown.app.busy)
    assert not mirror.state.departed


async def offer_code(offline: Seats, clock: ManualClock, rounds: int = 1) -> Stage:
    """Return the app of a codemaker who has set a secret for knuth."""
    shown, place = await offline.app(clock=clock, pace=PACE)
    opened = await place.session.open("knuth", maker="me", breaker="knuth", rounds=rounds)
    sit(shown, place, opened)
    await shown.until("Your turn")
    send(shown, "1234")
    return shown


async def test_playback_shows_the_open_code_for_two_seconds_before_the_next_round(online):
    ada, bob = await online.pair(rounds=2)
    await guess_and_wait(ada, bob, "1234", "1234")
    await guess_and_wait(bob, ada, "1234", "1234")
    clock = ManualClock()
    cleo, place = await online.app("Cleo", clock=clock, pace=PACE)
    sit(cleo, place, await place.session.follow(match_of(ada).mirror.code))
    await cleo.until(" Paused ")

    cleo.press("space")
    await clock.until(lambda timer: timer.seconds == 2.0)
    assert spectator_of(cleo).scene.secret == pegs("1234")
    clock.skip(2.0)
    assert spectator_of(cleo).scene.secret is None
    assert count_shown(cleo) == 1
    clock.skip(PACE)
    assert count_shown(cleo) == 2


async def test_the_bell_announces_the_next_round_after_the_last_one_was_shown(offline):
    clock = ManualClock()
    shown = await offer_code(offline, clock, rounds=2)
    await until_known(shown, clock, Phase.BREAKING)
    begun = len(shown.glass.written)

    for _guess in match_of(shown).mirror.state.played[0].turns:
        assert TITLE not in shown.glass.written[begun:]
        assert not match_of(shown).view.my_turn
        clock.skip(PACE)
    assert match_of(shown).view.my_turn
    assert TITLE + "\x07" in shown.glass.written[begun:]
