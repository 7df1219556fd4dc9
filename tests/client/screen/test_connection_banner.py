from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from mastermind_client.net.failures import Cause, Fault, Outage, ServerUnreachable
from mastermind_client.net.link import GIVE_UP_SECONDS
from mastermind_client.net.updates import ConnectionLost, Reconnected, Reconnecting
from mastermind_client.screen.app import SMALLEST
from mastermind_client.screen.connection_banner import describe_outage, draw_outage, tell_time
from mastermind_client.screen.kit.lines import width
from mastermind_client.screen.look import Look
from mastermind_client.screen.places import Place

if TYPE_CHECKING:
    from client.people import Person

LOOK = Look.choose("default", "256", "unicode", {"TERM": "xterm-256color"}, "utf-8")
DAY = timedelta(days=1)


@pytest.fixture
async def place(ada: Person) -> Place:
    return Place("ws://h", ada.session)


def test_a_moment_is_told_as_the_time_of_the_day() -> None:
    before = datetime.now().astimezone() + timedelta(seconds=89)  # it may be rounded

    told = datetime.strptime(tell_time(time.monotonic() + 90), "%H:%M:%S").astimezone()

    after = datetime.now().astimezone() + timedelta(seconds=91)
    since = (told.replace(year=before.year, month=before.month, day=before.day) - before) % DAY
    assert since <= after - before


async def test_nothing_is_said_while_nothing_is_wrong(place: Place) -> None:
    assert describe_outage(place) == ""


async def test_a_lost_connection_is_told_with_what_happens_next(place: Place) -> None:
    place.apply(ConnectionLost(Outage(Fault.OTHER, "the line\x1b[2J is cut")))
    assert describe_outage(place) == "CONNECTION LOST; your seat is kept: the line?[2J is cut."

    for attempt in (1, 2, 3):
        place.apply(Reconnecting(attempt))
    until = tell_time(place.since + GIVE_UP_SECONDS)
    assert describe_outage(place) in {
        f"RECONNECTING, try 3, until {moment}; your seat is kept: the line?[2J is cut."
        for moment in (until, tell_time(place.since + GIVE_UP_SECONDS))
    }

    place.apply(Reconnected())
    assert describe_outage(place) == ""
    assert place.attempt == 0


async def test_a_session_that_is_over_says_why_and_what_can_be_done(place: Place) -> None:
    place.apply(ConnectionLost(Outage(Fault.BROKEN)))
    reason = Outage(Fault.NO_ANSWER)
    place.ended = ServerUnreachable(Cause.LOST, server="ws://h", reason=reason, seconds=300)

    assert describe_outage(place) == (
        "NO CONNECTION; Esc goes back, and you can try again from there: "
        "lost ws://h: no answer in time; gave up after 300 s."
    )


async def test_what_happens_next_can_be_read_in_the_smallest_window(place: Place) -> None:
    for note, told in (
        (ConnectionLost(Outage(Fault.OTHER, "no answer " * 9)), "your seat is kept"),
        (Reconnecting(99), "your seat is kept"),
    ):
        place.apply(note)
        (line,) = draw_outage(describe_outage(place), LOOK, SMALLEST.columns)
        assert told in line[0][1]
    place.ended = ServerUnreachable(Cause.CRASHED, server="no answer " * 9, error="")
    assert "try again from there" in draw_outage(describe_outage(place), LOOK, 70)[0][0][1]
    assert "Esc goes back" in draw_outage(describe_outage(place), LOOK, SMALLEST.columns)[0][0][1]


@pytest.mark.parametrize("columns", [20, 60, 300])
def test_an_outage_is_a_banner_that_fits(columns: int) -> None:
    (line,) = draw_outage("RECONNECTING, try 3: the line is cut.", LOOK, columns)

    assert width(line) <= columns
    assert {fragment[0] for fragment in line} == {"class:banner"}
    assert "".join(fragment[1] for fragment in line).endswith("…" if columns == 20 else ". ")
