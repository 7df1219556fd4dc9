"""Clocks by their names, and the time that they leave."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.clock import (
    DAY,
    MAX_CREDIT_MS,
    MAX_ROUND_CREDIT_MS,
    MINUTE,
    SECOND,
    Clock,
    Timer,
    find_clock,
)
from mastermind_protocol.errors import InvalidClock


@pytest.mark.parametrize(
    ("name", "clock"),
    [
        ("5+3", Clock("5+3", base=5 * MINUTE, increment=3 * SECOND)),
        ("30+0", Clock("30+0", base=30 * MINUTE)),
        ("22+60", Clock("22+60", base=22 * MINUTE, increment=60 * SECOND)),
        ("5+03", Clock("5+3", base=5 * MINUTE, increment=3 * SECOND)),
        ("10/move", Clock("10/move", move=10 * SECOND)),
        ("300/MOVE ", Clock("300/move", move=300 * SECOND)),
        ("14d/move", Clock("14d/move", move=14 * DAY, live=False)),
    ],
)
def test_a_clock_is_found_by_its_name(name, clock):
    assert find_clock(name) == clock
    assert find_clock(clock.name) == clock


@pytest.mark.parametrize(
    "name",
    ["", "5", "0+5", "31+0", "23+60", "5+61", "5+-1", "9/move", "301/move", "0d/move", "15d/move",
     "5 + 3", "5+3+1", "1h/move", "\u0665+3"],
)  # fmt: skip
def test_an_impossible_clock_is_refused_with_what_is_allowed(name):
    with pytest.raises(InvalidClock, match=r"5\+3 .* 60/move \(10-300\), or .* 3d/move \(1-14\)"):
        find_clock(name)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("5+3", 60), ("1+0", 60), ("10/move", 20), ("45/move", 45), ("300/move", 60)],
)
def test_a_code_is_set_within_a_minute_and_nobody_has_less_than_20_seconds(name, seconds):
    assert find_clock(name).code_setting_ms == seconds * SECOND


def test_with_days_a_code_may_take_as_long_as_a_guess():
    assert find_clock("3d/move").code_setting_ms == 3 * DAY


@given(
    st.sampled_from(["1+0", "5+3", "60/move"]).map(find_clock),
    st.lists(st.tuples(st.integers(0, 90 * SECOND), st.integers(0, 400)), max_size=30),
)
def test_time_grows_only_by_increment_and_credit(clock, moves):
    timer = Timer(0, clock.code_breaking_ms)
    for used, latency in moves:
        credit = timer.limit_credit(latency)
        after = timer.after_move(clock, timer.since + used, credit)
        assert credit <= min(latency, MAX_CREDIT_MS)
        assert after.credited <= MAX_ROUND_CREDIT_MS
        assert after.since == timer.since + used
        if clock.move:
            assert after.remaining == clock.move
        else:
            expected = timer.remaining - max(0, used - credit)
            assert after.remaining == max(0, expected) + clock.increment
        timer = after


def test_a_refund_changes_only_the_time_left():
    assert Timer(since=5, remaining=100, credited=7).refund(50) == Timer(5, 150, 7)
