import pytest

from kit.clock import ManualClock
from mastermind_client.network.mirror import Mirror
from mastermind_client.running_clock import (
    ClockTimer,
    RunningClock,
    find_next_threshold,
    find_running_clock,
    find_tick,
)
from mastermind_protocol.clock import DAY, MINUTE, SECOND
from mastermind_protocol.events import Guessed, Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.messages import Row

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")


def follow(clock: str | None) -> Mirror:
    """Return a mirror of a match in which Ada is to set a secret."""
    mirror = Mirror("ABCDEF", now=lambda: 0.0)
    seats = (Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER))
    mirror.apply(Row(1, (Opened(rules="classic", rounds=1, clock=clock), *seats)))
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
    assert not run(30_001).alarming
    assert run(30_000).alarming
    assert not run(30_000, 10 * DAY, live=False).alarming


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
    assert find_tick(run(left, live=live)) == pytest.approx(seconds)


def test_nothing_ticks_without_a_clock_or_without_time():
    assert find_tick(None) is None
    assert find_tick(run(0)) is None


def test_the_next_threshold_is_the_largest_below():
    limits = (MINUTE, 30 * SECOND, 10 * SECOND)
    assert find_next_threshold(run(70 * SECOND), limits) == pytest.approx(10.001)
    assert find_next_threshold(run(MINUTE), limits) == pytest.approx(30.001)
    assert find_next_threshold(run(5 * SECOND), limits) is None
    assert find_next_threshold(run(DAY, live=False), limits) is None
    assert find_next_threshold(None, limits) is None


async def test_the_timer_ticks_once_a_second_and_each_tenth_at_the_end():
    clock, ticks = ManualClock(), [0]
    end = clock.now() + 30.0005

    def find_delay() -> float | None:
        return find_tick(run(max(0, round((end - clock.now()) * SECOND))))

    def tick() -> None:
        ticks[0] += 1

    timer = ClockTimer(clock, find_delay, tick)
    timer.restart()
    clock.skip(20)
    assert ticks[0] == 20
    clock.skip(20)
    assert 20 + 99 <= ticks[0] <= 20 + 102
    assert not clock.pending


async def test_a_closed_timer_does_nothing():
    clock = ManualClock()
    timer = ClockTimer(clock, lambda: 1.0, lambda: pytest.fail("ticked"))
    timer.restart()
    timer.restart()
    assert len(clock.pending) == 1
    timer.close()
    clock.skip(5)
