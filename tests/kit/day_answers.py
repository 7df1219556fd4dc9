"""Answers about the code of the day, as a server sends them."""

from __future__ import annotations

from typing import Any

from mastermind_protocol.clock import SECOND
from mastermind_protocol.days import find_day_start
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.messages import (
    Day,
    DayResult,
    Days,
    DayStreak,
    OwnTry,
    PlacedTry,
    Places,
)

NUMBER = 147  # Tuesday 24 November 2026
NOON = find_day_start(NUMBER) + 12 * 3600 * SECOND
BROKEN = OwnTry(
    match="K7M2QX", how=RoundEnd.BROKEN, guesses=4, milliseconds=72_000, place=19, counted=True,
    better=61,
)  # fmt: skip
FAILED = OwnTry(match="K7M2QX", how=RoundEnd.EXHAUSTED)
DISTRIBUTION = (0, 3, 21, 74, 81, 27, 6, 0, 0, 0, 0, 0, 2)


def make_day(**changes: Any) -> Day:
    """Return the answer about day NUMBER at noon, before the own try."""
    values: dict[str, Any] = {
        "id": 1, "rules": "classic", "day": NUMBER, "today": NUMBER, "now": NOON,
        "commitment": bytes(32), "players": 214,
        "streak": DayStreak(current=6, longest=19, days=51, broken=41),
    }  # fmt: skip
    return Day(**values | changes)


def make_ended_day(own: OwnTry = BROKEN, **changes: Any) -> Day:
    """Return the answer after the own try."""
    ended = {"own": own, "ended": sum(DISTRIBUTION), "distribution": DISTRIBUTION}
    return make_day(
        **ended | {"streak": DayStreak(current=7, longest=19, days=52, broken=42)} | changes
    )


PLACES = Places(
    id=1, rules="classic", day=NUMBER,
    places=(
        PlacedTry(place=1, player="NOOR", name="Noor", guesses=2, milliseconds=31_000),
        PlacedTry(place=2, player="BOB", name="Bob", guesses=3, milliseconds=48_500),
        PlacedTry(place=2, player="X", name="\x1b[31mEve\u202e", guesses=3, milliseconds=48_500),
        PlacedTry(
            place=4, player="BART", name="Bartholomew Featherston", guesses=4,
            milliseconds=3_720_000,
        ),
        PlacedTry(place=5, player="TOR", name="tor"),
    ),
)  # fmt: skip


def make_month() -> Days:
    """Return the days of November 2026 up to day NUMBER."""
    days = [
        DayResult(day=day, players=200 + day % 7, match="K7M2QX", guesses=3 + day % 4)
        for day in range(NUMBER - 1, NUMBER - 21, -1)
    ]
    days[2] = DayResult(day=days[2].day, players=180)
    days[4] = DayResult(day=days[4].day, players=199, match="K7M2QX", guesses=0)
    days[6] = DayResult(day=days[6].day, players=99, state="withdrawn")
    today = DayResult(day=NUMBER, state="open", players=214, match="K7M2QX")
    return Days(
        id=1, rules="classic", month="2026-11", days=(today, *days), played=18, broken=17,
        mean=4.61, without_luck=4.75,
    )  # fmt: skip
