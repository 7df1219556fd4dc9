import math

from mastermind_server.monitoring.histogram import BUCKET_BOUNDS, Histogram


def test_a_histogram_counts_times_up_to_each_bound():
    times = Histogram()
    for seconds in (0.0, 0.0005, 0.0006, 0.3, 99.0):
        times.add(seconds)
    within = dict(times.cumulative_buckets)
    assert list(within) == [*BUCKET_BOUNDS, math.inf]
    assert (within[0.0005], within[0.001], within[0.2], within[0.5]) == (2, 3, 3, 4)
    assert (within[10.0], within[math.inf]) == (4, 5)
    assert math.isclose(times.total, 99.3011)
