"""Pauses of a process are recorded once, and lost time is counted once."""

from hypothesis import given
from hypothesis import strategies as st

from kit.clock import ManualClock
from mastermind_server.pauses import Outage, Pauses, measure_lost_time

INTERVAL = 0.25


def make_pauses() -> tuple[Pauses, ManualClock]:
    clock = ManualClock()
    pauses = Pauses(clock)
    pauses.start(clock, INTERVAL)
    return pauses, clock


async def test_a_pause_of_more_than_a_second_is_recorded_once():
    pauses, clock = make_pauses()
    for seconds in (INTERVAL, 1.2, 8.25, INTERVAL):
        clock.skip(seconds)
        pauses.check()
    (pause,) = pauses.list_all()
    assert pause.ended - pause.began == 8000


async def test_nothing_is_recorded_before_the_start():
    clock = ManualClock()
    pauses = Pauses(clock)
    clock.skip(60)
    pauses.check()
    assert not pauses.list_all()


outages = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)).map(sorted), max_size=6).map(
    lambda pairs: [Outage(*pair) for pair in pairs]
)


@given(outages, st.integers(0, 99), st.integers(0, 99))
def test_lost_time_is_the_union_of_the_outages_between_two_times(found, since, until):
    expected = {at for began, ended in found for at in range(began, ended) if since <= at < until}
    assert measure_lost_time(found, since, until) == len(expected)
