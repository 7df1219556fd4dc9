from __future__ import annotations

import math

from mastermind_server.storage import echo
from mastermind_server.storage.echo import Echo
from mastermind_server.storage.news import News

FIRST, SECOND, THIRD = (News("AAAAAA", version) for version in (1, 2, 3))


def heard(echo: Echo) -> int:
    return dict(echo.delays.within)[math.inf]


def test_one_own_notification_at_a_time_is_measured():
    echo = Echo()
    echo.tell([])
    echo.tell([FIRST, SECOND])
    echo.tell([THIRD])
    echo.hear([FIRST])
    assert heard(echo) == 0
    echo.hear([FIRST, SECOND])
    echo.hear([SECOND, THIRD])
    assert heard(echo) == 1
    echo.tell([THIRD])
    echo.hear([THIRD])
    assert heard(echo) == 2


def test_a_lost_notification_is_given_up(monkeypatch):
    monkeypatch.setattr(echo, "ECHO_SECONDS", -1)
    timer = Echo()
    timer.tell([FIRST])
    timer.tell([SECOND])
    timer.hear([SECOND])
    assert heard(timer) == 1
