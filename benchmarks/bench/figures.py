"""Figures of several runs: their middle and spread, and their ratio to a reference's."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the least value that so many in a hundred do not exceed; raises ValueError for none.

    An index is taken and nothing interpolated: it is a value that was measured.
    """
    if not values:
        raise ValueError("no values have no percentiles")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


class Spread(msgspec.Struct, frozen=True):
    """The median of some runs, the least and the most."""

    median: float
    least: float
    most: float


def find_spread(values: Sequence[float]) -> Spread:
    """Return the spread of a figure's runs; raises ValueError for none."""
    return Spread(median(values), min(values), max(values))


def find_ratios(values: Sequence[float], reference: Sequence[float]) -> list[float]:
    """Return each run's ratio to the reference of the same run.

    Raises ValueError unless there is one reference for each.
    """
    return [value / other for value, other in zip(values, reference, strict=True)]
