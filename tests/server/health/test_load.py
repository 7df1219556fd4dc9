"""A busy server refuses new matches and lists first, and moves never."""

from typing import get_args

import pytest

from mastermind_protocol import requests
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.requests import AnyRequest
from mastermind_server.health.load import Level, Load
from mastermind_server.tuning import (
    BUSY_LAG_SECONDS,
    BUSY_STORE_SECONDS,
    OVERLOADED_LAG_SECONDS,
    OVERLOADED_RETRY_SECONDS,
    OVERLOADED_STORE_SECONDS,
)

NEW: list[AnyRequest] = [
    requests.Open(id=1, rules="classic", maker="me", breaker="open"),
    requests.Seek(id=1, rules="classic"),
    requests.Rematch(id=1, match="ABCDEF"),
    requests.ListMatches(id=1, what="waiting"),
    requests.ListOwn(id=1),
    requests.Archive(id=1),
    requests.Advise(id=1, match="ABCDEF", v=1),
    requests.Review(id=1, match="ABCDEF"),
    requests.Transfer(id=1),
]
COMING: list[AnyRequest] = [
    requests.Join(id=1, match="ABCDEF"),
    requests.Say(id=1, match="ABCDEF", text="hi"),
    requests.Follow(id=1, match="ABCDEF", v=7),
    requests.Hello(id=1),
]
PLAYING: list[AnyRequest] = [
    requests.Guess(id=1, match="ABCDEF", v=1, code=(0,)),
    requests.Secret(id=1, match="ABCDEF", v=1, code=(0,)),
    requests.Resign(id=1, match="ABCDEF", v=1),
    requests.Leave(id=1, match="ABCDEF"),
    requests.Unfollow(id=1, match="ABCDEF"),
    requests.Hello(id=1, token="t" * 43),
    requests.ListBots(id=1),
    requests.Logout(id=1),
    requests.Ping(id=1),
]


def find_refused(level: Level) -> list[AnyRequest]:
    """Return the requests that are refused at a level."""
    load, refused = Load(), []
    load.level = level
    for request in (*NEW, *COMING, *PLAYING):
        try:
            load.check(request)
        except Refused:
            refused.append(request)
    return refused


def test_a_busy_server_refuses_new_matches_first_and_moves_never():
    assert {type(request) for request in (*NEW, *COMING, *PLAYING)} == set(get_args(AnyRequest))
    assert find_refused(Level.CALM) == []
    assert find_refused(Level.BUSY) == NEW
    assert find_refused(Level.OVERLOADED) == [*NEW, *COMING]


@pytest.mark.parametrize(
    ("lag", "wait", "level"),
    [
        (BUSY_LAG_SECONDS, BUSY_STORE_SECONDS, Level.CALM),
        (BUSY_LAG_SECONDS + 0.01, 0.0, Level.BUSY),
        (0.0, BUSY_STORE_SECONDS + 0.01, Level.BUSY),
        (OVERLOADED_LAG_SECONDS, OVERLOADED_STORE_SECONDS, Level.BUSY),
        (OVERLOADED_LAG_SECONDS + 0.01, 0.0, Level.OVERLOADED),
        (0.0, OVERLOADED_STORE_SECONDS + 0.01, Level.OVERLOADED),
    ],
)
def test_a_late_loop_or_a_slow_store_raises_the_load_level(lag, wait, level):
    load = Load()
    load.feel(lag, wait)
    assert load.level is level
    load.feel(0.0, 0.0)
    assert load.level is Level.CALM


def test_a_refusal_for_overload_has_a_retry_time():
    load = Load()
    load.feel(0.0, 60.0)
    with pytest.raises(Refused) as refusal:
        load.check(NEW[0])
    assert refusal.value.reason is Reason.OVERLOADED
    assert refusal.value.code == ErrorCode.RATE_LIMITED
    assert refusal.value.retry_after == OVERLOADED_RETRY_SECONDS
