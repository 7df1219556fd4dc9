import pytest

from mastermind_client.messages.clocks import (
    describe_clock,
    format_clock,
    format_lost_time,
    format_time,
    speak_time,
)
from mastermind_protocol.clock import DAY, MINUTE, find_clock

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
    [(2 * DAY + 4 * HOUR, "2 d 4 h"), (DAY - 1, "23 h"), (HOUR - 1, "59 min"), (0, "0 min")],
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
    assert format_lost_time(11_001) == "12 seconds"
