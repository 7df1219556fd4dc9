"""Lost time is counted once, however outages overlap."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mastermind_server.timekeeping.outages import Outage, measure_lost_time, merge_outages

outages = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)).map(sorted), max_size=6).map(
    lambda pairs: [Outage(began, ended) for began, ended in pairs]
)


@given(outages, st.integers(0, 99), st.integers(0, 99))
def test_lost_time_is_the_union_of_the_outages_between_two_times(found, since, until):
    expected = {
        at for began, ended, *_ in found for at in range(began, ended) if since <= at < until
    }
    assert measure_lost_time(found, since, until) == len(expected)


@given(outages)
def test_united_outages_cover_the_same_time_and_do_not_overlap(found):
    united = merge_outages(found)
    assert measure_lost_time(united, 0, 99) == measure_lost_time(found, 0, 99)
    assert all(before.ended < after.began for before, after in pairwise(united))
