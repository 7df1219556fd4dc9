"""Playback on a real screen, with a clock that only the test moves."""

from kit.clock import ManualClock, ManualTimer
from kit.matches import pegs
from kit.screen.seats import Seats, match_of, sit, spectator_of
from kit.screen.stage import Stage
from mastermind_client.config.options import WatchOptions
from mastermind_client.screen.pages.spectator import SpectatorScreen
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


async def test_a_match_of_two_bots_begins_at_its_first_guess_and_tells_its_result_last(offline):
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


async def test_the_keys_of_playback_hold_it_and_go_through_it(offline):
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
    shown.press("-", "-")
    await shown.until("speed ●○○○")
    shown.press("end")
    await shown.until(lambda: spectator_of(shown).is_over())
    shown.press("home")
    await shown.until(lambda: count_shown(shown) == 1)
    assert " Paused " in shown.text()


async def test_space_at_the_end_plays_it_all_again(offline):
    clock = ManualClock()
    shown = await show(offline, clock)
    shown.press("end")
    await shown.until(lambda: spectator_of(shown).is_over())

    shown.press("space")
    await shown.until(lambda: count_shown(shown) == 1)
    clock.skip(PACE)
    assert count_shown(shown) == 2


async def test_a_match_that_is_over_is_played_back_paused_at_its_first_guess(offline):
    clock = ManualClock()
    shown = await show(offline, clock)
    place, mirror = spectator_of(shown).place, spectator_of(shown).mirror
    sit(shown, place, mirror)  # by its code, perhaps
    await shown.until(" Paused ")
    assert count_shown(shown) == 1
    assert spectator_of(shown).scene.secret is None


async def test_whoever_comes_to_the_middle_of_a_match_sees_it_as_it_is(online):
    ada, bob = await online.pair()
    ada.type("1234")
    ada.press("enter")
    await bob.until("Your turn")
    bob.type("1122")
    bob.press("enter")
    await ada.until(lambda: count_shown(ada) == 1)
    cleo, place = await online.app("Cleo", clock=ManualClock(), pace=PACE)
    sit(cleo, place, await place.session.follow(match_of(ada).mirror.code))
    assert count_shown(cleo) == 1
    assert spectator_of(cleo).pacer.plays


async def test_a_closed_screen_leaves_no_timer(offline):
    clock = ManualClock()
    shown = await show(offline, clock)
    shown.press("escape")
    await shown.until(lambda: not isinstance(shown.app.screen, SpectatorScreen))
    await shown.until(lambda: not [timer for timer in clock.pending if is_pace(timer)])


async def test_a_codemaker_sees_a_bot_break_the_code_and_can_pause_it_and_skip_to_the_end(offline):
    clock = ManualClock()
    shown, place = await offline.app(clock=clock, pace=PACE)
    mirror = await place.session.open("knuth", maker="me", breaker="knuth")
    screen = sit(shown, place, mirror)
    await shown.until("Your turn")
    shown.type("1234")
    shown.press("enter")
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


async def test_the_next_round_is_shown_when_the_code_was_open_for_two_seconds(online):
    _ada, place = await online.app("Ada")
    _bob, his = await online.app("Bob")
    mirror = await place.session.open("classic", maker="me", breaker="open", rounds=2)
    theirs = await his.session.join(mirror.code)
    await place.session.set_secret(mirror, pegs("1234"))
    await his.session.guess(theirs, pegs("1234"))
    await his.session.set_secret(theirs, pegs("1234"))
    await place.session.guess(mirror, pegs("1234"))
    clock = ManualClock()
    cleo, watching = await online.app("Cleo", clock=clock, pace=PACE)
    sit(cleo, watching, await watching.session.follow(mirror.code))
    await cleo.until(" Paused ")

    cleo.press("space")
    await clock.until(lambda timer: timer.seconds == 2.0)
    assert spectator_of(cleo).scene.secret == pegs("1234")
    clock.skip(2.0)
    assert spectator_of(cleo).scene.secret is None
    assert count_shown(cleo) == 1
    clock.skip(PACE)
    assert count_shown(cleo) == 2


async def test_the_bell_rings_for_the_next_round_when_the_last_one_has_been_shown(offline):
    clock = ManualClock()
    shown, place = await offline.app(clock=clock, pace=PACE)
    mirror = await place.session.open("knuth", maker="me", breaker="knuth", rounds=2)
    sit(shown, place, mirror)
    await shown.until("Your turn")
    shown.type("1234")
    shown.press("enter")
    await until_known(shown, clock, Phase.BREAKING)
    begun = len(shown.glass.written)

    for _guess in mirror.state.played[0].turns:
        assert TITLE not in shown.glass.written[begun:]
        assert not match_of(shown).view.my_turn
        clock.skip(PACE)
    assert match_of(shown).view.my_turn
    assert TITLE + "\x07" in shown.glass.written[begun:]
