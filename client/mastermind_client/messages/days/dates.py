"""Dates, times of day, countdowns and places of the code of the day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_protocol.clock import SECOND
from mastermind_protocol.days import find_day_start

if TYPE_CHECKING:
    from datetime import tzinfo

MINUTE_SECONDS = 60  # also minutes in an hour

_WEEKDAYS = (
    N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"),
    N_("Sunday"),
)  # fmt: skip
# In other languages a month has the form that follows the number of a day.
_MONTHS = (
    N_("January"), N_("February"), N_("March"), N_("April"), N_("May"), N_("June"), N_("July"),
    N_("August"), N_("September"), N_("October"), N_("November"), N_("December"),
)  # fmt: skip
_PLACES = (N_("{number}th"), N_("{number}st"), N_("{number}nd"), N_("{number}rd"))
"""Places that end with the digit 0, 1, 2 or 3, marked for translation."""


def format_date(day: int) -> str:
    """Return the date of the day with this number: ``Tuesday 24 November``."""
    date = _find_start(day)
    return _("{weekday} {number} {month}").format(
        weekday=_(_WEEKDAYS[date.weekday()]), number=date.day, month=_(_MONTHS[date.month - 1])
    )


def find_month(day: int) -> str:
    """Return the month of the day with this number, as requests name it: ``2026-11``."""
    return f"{_find_start(day):%Y-%m}"


def change_month(month: str, step: int) -> str:
    """Return the month that is `step` months after `month`: ``2026-12`` follows ``2026-11``."""
    year, number = map(int, month.split("-"))
    year, number = divmod(12 * year + number - 1 + step, 12)
    return f"{year}-{number + 1:02}"


def _find_start(day: int) -> datetime:
    return datetime.fromtimestamp(find_day_start(day) / SECOND, UTC)


def format_hour(milliseconds: int, zone: tzinfo | None = None) -> str:
    """Return the time of day of a Unix time in milliseconds: ``01:00``.

    The time is in `zone`, or in the local time zone for None.
    """
    return f"{datetime.fromtimestamp(milliseconds / SECOND, UTC).astimezone(zone):%H:%M}"


def format_countdown(milliseconds: int) -> str:
    """Return a time until an event, in hours, minutes and seconds: ``09:56:12``."""
    minutes, seconds = divmod(max(0, milliseconds) // SECOND, MINUTE_SECONDS)
    hours, minutes = divmod(minutes, MINUTE_SECONDS)
    return f"{hours:02}:{minutes:02}:{seconds:02}"


def format_duration(milliseconds: int) -> str:
    """Return the time that a try took: ``01:12``, or ``1:01:12`` from an hour on."""
    minutes, seconds = divmod(milliseconds // SECOND, MINUTE_SECONDS)
    hours, minutes = divmod(minutes, MINUTE_SECONDS)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"


def format_place(place: int) -> str:
    """Return a place in words: ``1st``, ``19th``."""
    teen = place % 100 // 10 == 1
    ending = 0 if teen or place % 10 >= len(_PLACES) else place % 10
    return _(_PLACES[ending]).format(number=place)
