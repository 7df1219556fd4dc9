import logging
import math

from kit.clock import ManualClock
from mastermind_protocol.requests import Guess, Ping
from mastermind_server.monitoring import usage
from mastermind_server.monitoring.usage import (
    BUCKET_BOUNDS,
    AddressCosts,
    Histogram,
    RequestDurations,
)

GUESS = Guess(id=1, match="72S54M", v=3, code=(0, 0, 0, 2))


def test_the_most_expensive_addresses_are_listed_by_hashes_of_the_process():
    one, other = AddressCosts(), AddressCosts()
    for costs in (one, other):
        for number in range(30):
            costs.add(f"192.0.2.{number}", number + 1)
        costs.add("192.0.2.3", 100)
    top = one.list_costliest()
    assert [cost for _, cost in top] == [104, 30, 29, 28, 27, 26, 25, 24, 23, 22]
    assert len(top) == usage.ADDRESSES_SHOWN
    assert {len(hashed) for hashed, _ in top} == {12}
    assert not {hashed for hashed, _ in top} & {hashed for hashed, _ in other.list_costliest()}
    asked = {top[0][0], "0123456789ab"}
    assert one.find_addresses(asked) == {top[0][0]: "192.0.2.3"}
    assert other.find_addresses(asked) == {}


def test_a_flood_of_cheap_addresses_is_bounded_and_does_not_evict_expensive_ones():
    costs = AddressCosts()
    costs.add("192.0.2.1", 50)
    for number in range(20 * usage.ADDRESSES_KEPT):
        costs.add(f"2001:db8::{number:x}", 1)
    assert costs.list_costliest()[0][1] == 50
    assert len(costs) <= 2 * usage.ADDRESSES_KEPT


def test_slow_requests_are_logged_at_intervals(caplog):
    clock = ManualClock()
    durations = RequestDurations(clock.now)
    with caplog.at_level(logging.WARNING):
        for seconds in (0.9, 1.5, 2.5, 3.5):
            durations.add(GUESS, seconds, 7)
        clock.skip(usage.SLOW_LOG_INTERVAL_SECONDS)
        durations.add(Ping(id=2), 1.25, 7)
    assert [record.getMessage() for record in caplog.records] == [
        "connection 7, match 72S54M: a request of type Guess took 1.5 s (0 more not logged)",
        "connection 7: a request of type Ping took 1.2 s (2 more not logged)",
    ]
    assert durations.by_kind["guess"].cumulative_buckets[-1] == (float("inf"), 4)


def test_a_histogram_counts_times_up_to_each_bound():
    times = Histogram()
    for seconds in (0.0, 0.0005, 0.0006, 0.3, 99.0):
        times.add(seconds)
    within = dict(times.cumulative_buckets)
    assert list(within) == [*BUCKET_BOUNDS, math.inf]
    assert (within[0.0005], within[0.001], within[0.2], within[0.5]) == (2, 3, 3, 4)
    assert (within[10.0], within[math.inf]) == (4, 5)
    assert math.isclose(times.total, 99.3011)
