"""A histogram of durations, which is cheap to update. The metrics read it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

# In seconds: from less than a commit on a fast disk to longer than players wait.
BUCKET_BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Histogram:
    """Counts durations in seconds. `total` is their sum."""

    __slots__ = ("_counts", "total")

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKET_BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float, times: int = 1) -> None:
        """Count a duration `times` times."""
        self._counts[bisect_left(BUCKET_BOUNDS, seconds)] += times
        self.total += seconds * times

    @property
    def cumulative_buckets(self) -> list[tuple[float, int]]:
        """Pairs: an upper bound in seconds, and the number of durations up to that bound.

        The pairs are in ascending order; the last bound is infinite.
        """
        return list(zip((*BUCKET_BOUNDS, float("inf")), accumulate(self._counts), strict=True))
