import pytest

from kit.clock import ManualClock
from kit.matches import ADA, BOB
from mastermind_client.clock import DelayTimer
from mastermind_client.messages.clocks import (
    RunningClock,
    describe_clock,
    describe_lost_time,
    describe_times,
    find_running_clock,
    find_threshold_seconds,
    find_tick_seconds,
    format_clock,
    format_time,
    speak_days,
    speak_time,
    summarise_clock,
)
from mastermind_client.network.mirror import Mirror
from mastermind_protocol.clock import DAY, MINUTE, SECOND, find_clock
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Seat,
    SecretSet,
)
from mastermind_protocol.messages import Row


def follow(clock: str | None, rounds: int = 1) -> Mirror:
    """Return a mirror of a match in which Ada is to set a secret."""
    mirror = Mirror("ABCDEF", now=lambda: 0.0)
    seats = (Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER))
    mirror.apply(Row(1, (Opened(rules="classic", rounds=rounds, clock=clock), *seats)))
    return mirror


def run(left: int, total: int = 5 * MINUTE, *, live: bool = True) -> RunningClock:
    return RunningClock("ADA", left, total, live)


def test_the_clock_of_the_player_to_move_runs():
    mirror = follow("5+3")
    assert find_running_clock(mirror) == RunningClock("ADA", MINUTE, MINUTE)
    mirror.apply(Row(2, (SecretSet(by="ADA", commitment=bytes(32)),)))
    assert find_running_clock(mirror) == RunningClock("BOB", 5 * MINUTE, 5 * MINUTE)
    mirror.apply(Row(3, (Guessed(code=(0, 0, 0, 0), black=0, white=0),)))
    assert find_running_clock(mirror) == RunningClock("BOB", 5 * MINUTE + 3000, 5 * MINUTE)


def test_days_are_no_live_clock():
    assert find_running_clock(follow("3d/move")) == RunningClock("ADA", 3 * DAY, 3 * DAY, False)


def test_no_clock_runs_without_one():
    assert find_running_clock(follow(None)) is None


def test_the_last_tenth_of_a_live_clock_alarms():
    assert not run(30_001).is_alarming
    assert run(30_000).is_alarming
    assert not run(30_000, 10 * DAY, live=False).is_alarming


@pytest.mark.parametrize(
    ("left", "live", "seconds"),
    [
        (157_400, True, 0.401),
        (157_000, True, 0.001),
        (10_000, True, 0.001),
        (9_950, True, 0.051),
        (100, True, 0.001),
        (2 * DAY + 1000, False, 1.001),
    ],
)
def test_the_next_tick_is_when_the_shown_time_changes(left, live, seconds):
    assert find_tick_seconds(run(left, live=live)) == pytest.approx(seconds)


def test_nothing_ticks_without_a_clock_or_without_time():
    assert find_tick_seconds(None) is None
    assert find_tick_seconds(run(0)) is None


def test_the_next_threshold_is_the_largest_below():
    limits = (MINUTE, 30 * SECOND, 10 * SECOND)
    assert find_threshold_seconds(run(70 * SECOND), limits) == pytest.approx(10.001)
    assert find_threshold_seconds(run(MINUTE), limits) == pytest.approx(30.001)
    assert find_threshold_seconds(run(5 * SECOND), limits) is None
    assert find_threshold_seconds(run(DAY, live=False), limits) is None
    assert find_threshold_seconds(None, limits) is None


async def test_the_timer_ticks_once_a_second_and_each_tenth_at_the_end():
    clock, ticks = ManualClock(), [0]
    end = clock.now() + 30.0005

    def find_delay() -> float | None:
        return find_tick_seconds(run(max(0, round((end - clock.now()) * SECOND))))

    def tick() -> None:
        ticks[0] += 1

    timer = DelayTimer(clock, find_delay, tick)
    timer.restart()
    clock.skip(20)
    assert ticks[0] == 20
    clock.skip(20)
    assert 20 + 99 <= ticks[0] <= 20 + 102
    assert not clock.pending


async def test_a_closed_timer_does_nothing():
    clock = ManualClock()
    timer = DelayTimer(clock, lambda: 1.0, lambda: pytest.fail("ticked"))
    timer.restart()
    timer.restart()
    assert len(clock.pending) == 1
    timer.close()
    clock.skip(5)


HOUR = 60 * MINUTE


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("5+0", "The codebreaker has 5 minutes a round."),
        ("1+10", "The codebreaker has 1 minute a round. Each guess adds 10 seconds."),
        ("60/move", "Each guess has 60 seconds."),
        ("3d/move", "Each move has 3 days."),
    ],
)
def test_a_clock_is_explained(name, told):
    assert describe_clock(find_clock(name)) == told


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        (252_999, "04:12"),
        (MINUTE, "01:00"),
        (MINUTE - 1, "!00:59"),
        (10_000, "!00:10"),
        (9_999, "!9.9"),
        (0, "!0.0"),
    ],
)
def test_a_live_clock_warns_below_a_minute_and_shows_tenths_below_ten_seconds(left, shown):
    assert format_clock(left, live=True) == shown
    assert format_time(left) == shown.removeprefix("!")


@pytest.mark.parametrize(
    ("left", "shown"),
    [
        (2 * DAY + 4 * HOUR, "2 d 4 h"),
        (DAY, "1 d"),
        (DAY - 1, "23 h"),
        (HOUR - 1, "59 min"),
        (0, "0 min"),
    ],
)
def test_a_clock_of_days_shows_its_largest_units(left, shown):
    assert format_clock(left, live=False) == shown


@pytest.mark.parametrize(
    ("left", "spoken"),
    [
        (157_000, "2 minutes 37 seconds"),
        (MINUTE, "1 minute"),
        (1_900, "1 second"),
        (0, "0 seconds"),
    ],
)
def test_a_time_is_spoken_in_words(left, spoken):
    assert speak_time(left) == spoken


def test_lost_time_is_rounded_up():
    assert describe_lost_time(11_001) == "The server lost time: the clock gets 12 seconds back."
    assert describe_lost_time(160) == "The server lost time: the clock gets 1 second back."


@pytest.mark.parametrize(
    ("left", "spoken"),
    [
        (2 * DAY + HOUR, "2 days 1 hour"),
        (5 * HOUR, "5 hours"),
        (12 * MINUTE, "12 minutes"),
        (0, "0 seconds"),
    ],
)
def test_a_clock_of_days_is_spoken_in_words(left, spoken):
    assert speak_days(left) == spoken


SECRET = Row(2, (SecretSet(by="ADA", commitment=bytes(32)),))


def test_the_times_of_both_players_are_told():
    mirror = follow("5+3", rounds=2)
    assert describe_times(mirror, "BOB") == ["Ada has 1 minute left.", "You have 5 minutes ahead."]
    mirror.apply(SECRET)
    assert describe_times(mirror, "BOB") == ["You have 5 minutes left.", "Ada has 5 minutes ahead."]
    assert describe_times(mirror, "EVE")[0] == "Bob has 5 minutes left."


def test_a_codemaker_without_another_round_has_no_time_ahead():
    mirror = follow("5+3", rounds=1)
    mirror.apply(SECRET)
    assert describe_times(mirror, "BOB") == ["You have 5 minutes left."]


def test_days_run_only_for_the_player_to_move():
    assert describe_times(follow("3d/move", rounds=2), "BOB") == ["Ada has 3 days left."]


def test_without_a_running_clock_there_is_a_reason():
    assert describe_times(follow(None, rounds=2), "BOB") == ["This match has no clock."]
    mirror = follow("5+3", rounds=2)
    mirror.apply(Row(2, (Left(player="BOB"), Finished(how=MatchEnd.CLOSED))))
    assert describe_times(mirror, "ADA") == ["No clock runs: the match is over."]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("5+3", "5 min, and 3 s a guess"),
        ("5+0", "5 min a round"),
        ("60/move", "60 s a guess"),
        ("1d/move", "1 day a move"),
        ("3d/move", "3 days a move"),
    ],
)
def test_a_form_has_a_clock_in_a_few_words(name, told):
    assert summarise_clock(find_clock(name)) == told
