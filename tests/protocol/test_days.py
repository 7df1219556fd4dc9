from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.days import (
    DAY_RULES,
    MAX_DAY,
    find_contest_day,
    find_day,
    find_day_start,
    find_reveal,
    find_tries_end,
    make_day_contest,
)
from mastermind_protocol.events import MAX_CONTEST_LENGTH
from mastermind_protocol.messages import MAX_DAY_GUESSES
from mastermind_protocol.rules import PRESETS

days = st.integers(0, MAX_DAY)


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int:
    """Return a time of UTC in milliseconds since 1970."""
    return round(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ((2026, 6, 30), 0),
        ((2026, 11, 24), 147),
        ((2026, 11, 24, 23, 59), 147),
        ((2026, 6, 29, 23, 59), -1),
        ((2999, 12, 31, 12), MAX_DAY),
    ],
)
def test_a_date_of_utc_has_a_number(date, day):
    assert find_day(at(*date)) == day


def test_tries_begin_within_their_day_and_end_half_an_hour_later():
    assert find_day_start(147) == at(2026, 11, 24)
    assert find_tries_end(147) == at(2026, 11, 25, 0, 30)
    assert find_reveal(147) == at(2026, 11, 25, 0, 31)


@given(days)
def test_each_millisecond_belongs_to_one_day(day):
    start = find_day_start(day)
    assert [find_day(start - 1), find_day(start), find_day(find_day_start(day + 1) - 1)] == [
        day - 1,
        day,
        day,
    ]


@given(days)
def test_a_day_is_known_by_the_name_of_its_contest(day):
    contest = make_day_contest(day)
    assert find_contest_day(contest) == day
    assert len(contest) <= MAX_CONTEST_LENGTH


@pytest.mark.parametrize(
    "contest",
    [
        *(None, "", "day/", "day/-1", "day/1.5", "day/147 ", "day/147\n", "race/147", "day/\u0661"),
        *(f"day/{MAX_DAY + 1}", "day/9999999"),
    ],
)
def test_other_contests_are_no_days(contest):
    assert find_contest_day(contest) is None


def test_the_rules_of_days_have_a_limit_that_messages_can_show():
    limits = [PRESETS[name].guesses for name in DAY_RULES]
    assert all(limit is not None and limit <= MAX_DAY_GUESSES for limit in limits)
