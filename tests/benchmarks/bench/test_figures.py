from __future__ import annotations

import pytest

from bench.figures import Spread, find_ratios, find_spread, percentile


def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed() -> None:
    values = list(range(100, 0, -1))
    assert [percentile(values, percent) for percent in (1, 50, 99, 100)] == [1, 50, 99, 100]
    assert percentile([7.0], 99) == 7.0


def test_nothing_has_no_percentiles() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


def test_a_spread_is_the_median_the_least_and_the_most() -> None:
    assert find_spread([3, 1, 10, 2, 4]) == Spread(median=3, least=1, most=10)
    assert find_spread([1, 2]) == Spread(median=1.5, least=1, most=2)


def test_each_ratio_is_to_the_reference_of_the_same_run() -> None:
    assert find_ratios([2, 9], [1, 3]) == [2, 3]


def test_a_run_without_its_reference_has_no_ratio() -> None:
    with pytest.raises(ValueError, match="shorter"):
        find_ratios([1, 2], [1])
