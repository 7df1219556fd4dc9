from datetime import UTC, timedelta, timezone

import pytest

from kit.day_answers import NUMBER
from mastermind_client.language import use_language
from mastermind_client.messages.days.dates import (
    change_month,
    find_month,
    format_countdown,
    format_date,
    format_duration,
    format_hour,
    format_place,
)
from mastermind_protocol.days import find_day_start

WARSAW = timezone(timedelta(hours=1))


def test_a_day_has_the_weekday_and_the_date_of_utc():
    assert format_date(NUMBER) == "Tuesday 24 November"
    assert format_date(0) == "Tuesday 30 June"


def test_months_change_over_the_end_of_a_year():
    assert find_month(NUMBER) == "2026-11"
    assert change_month("2026-11", -11) == "2025-12"
    assert change_month("2026-12", 1) == "2027-01"


def test_hours_are_local():
    midnight = find_day_start(NUMBER)
    assert [format_hour(midnight, zone) for zone in (UTC, WARSAW)] == ["00:00", "01:00"]


@pytest.mark.parametrize(
    ("milliseconds", "countdown", "duration"),
    [
        (-5, "00:00:00", None),
        (72_999, "00:01:12", "01:12"),
        (35_772_000, "09:56:12", "9:56:12"),
    ],
)
def test_times_drop_parts_of_a_second(milliseconds, countdown, duration):
    assert format_countdown(milliseconds) == countdown
    assert duration is None or format_duration(milliseconds) == duration


def test_places_are_ordinals():
    places = [format_place(place) for place in (1, 2, 3, 4, 11, 12, 13, 19, 21, 102, 111, 113)]
    assert " ".join(places) == "1st 2nd 3rd 4th 11th 12th 13th 19th 21st 102nd 111th 113th"
    use_language("pl")
    assert [format_place(place) for place in (1, 19)] == ["1. miejsce", "19. miejsce"]
    assert format_date(NUMBER) == "wtorek, 24 listopada"
