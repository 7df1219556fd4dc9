from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.days import find_tries_end
from mastermind_protocol.messages import DayStreak
from mastermind_server.matches.contests.months import find_month, list_month_days
from mastermind_server.matches.contests.streaks import find_last_missable, find_streak

LAST = 24


def count_back(tried: dict[int, int], missable: set[int], day: int) -> int:
    """Return the number of tried days up to `day`, day by day back to a missed one."""
    count = 0
    while day >= 0 and (day in tried or day not in missable):
        count += day in tried
        day -= 1
    return count


@given(
    st.dictionaries(st.integers(0, LAST), st.integers(0, 3)),
    st.sets(st.integers(0, LAST)),
)
def test_a_streak_is_what_counting_day_by_day_finds(tried, missable):
    assert find_streak(tried, missable) == DayStreak(
        current=count_back(tried, missable, LAST),
        longest=max(count_back(tried, missable, day) for day in range(LAST + 1)),
        days=len(tried),
        broken=sum(tried.values()),
    )


def test_a_day_can_be_missed_when_its_tries_have_ended():
    assert find_last_missable(find_tries_end(147) - 1) == 146
    assert find_last_missable(find_tries_end(147)) == 147


def test_the_days_of_a_month_are_those_of_the_calendar():
    assert [find_month(day) for day in (0, 1, 123, 124, 147)] == [
        *("2026-06", "2026-07", "2026-10", "2026-11", "2026-11")
    ]
    assert list_month_days("2026-11") == range(124, 154)
    assert list_month_days("2026-06")[-1] == 0
    assert len(list_month_days("2028-02")) == 29
