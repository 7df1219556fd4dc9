"""Answers about the code of the day, as a server sends them."""

from __future__ import annotations

from typing import Any

from mastermind_protocol.clock import SECOND
from mastermind_protocol.days import find_day_start
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.messages import Day, DayStreak, OwnTry

NUMBER = 147  # Tuesday 24 November 2026
NOON = find_day_start(NUMBER) + 12 * 3600 * SECOND
BROKEN = OwnTry(
    match="K7M2QX", how=RoundEnd.BROKEN, guesses=4, milliseconds=72_000, place=19, counted=True,
    better=61,
)  # fmt: skip
STANDS = OwnTry(match="K7M2QX", how=RoundEnd.EXHAUSTED)
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
