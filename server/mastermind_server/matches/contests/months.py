"""The days of a calendar month, by their numbers. A month is a text such as 2026-11."""

from __future__ import annotations

from calendar import monthrange
from datetime import date

from mastermind_protocol.days import ZERO_DAYS

_ZERO = date(1970, 1, 1).toordinal() + ZERO_DAYS  # of day 0


def find_month(day: int) -> str:
    """Return the month of the day number `day`."""
    return date.fromordinal(_ZERO + day).isoformat()[:7]


def list_month_days(month: str) -> range:
    """Return the numbers of the days of `month`. They are negative before day 0."""
    first = date.fromisoformat(f"{month}-01")
    start = first.toordinal() - _ZERO
    return range(start, start + monthrange(first.year, first.month)[1])
