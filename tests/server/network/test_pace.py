from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.client import Insider
from kit.clock import ManualClock
from kit.strategies import brief
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Player
from mastermind_protocol.requests import AnyRequest, Follow, ListMatches, Unfollow
from mastermind_server import tuning
from mastermind_server.limits import USUAL, Limiter, Limits, Rate
from mastermind_server.network.pace import AddressBuckets, Buckets, Pace, TokenBucket
from mastermind_server.tuning import LIST_COST, LOG_COST, MAX_DEBT, SITE_SHARES

LOG = Follow(id=1, match="ABCDEF")
LIST = ListMatches(id=1, what="waiting")
CHEAP = Unfollow(id=1, match="ABCDEF")


def make_peers() -> Iterator[Insider]:
    """Yield peers of one address, each another player's."""
    number = 0
    while True:
        number += 1
        yield Insider(Player(id=f"P{number}", name="Eve"))


def wait_for(cost: int, rate: Rate) -> object:
    """Return what equals the seconds until there is credit for a cost."""
    return pytest.approx(cost / rate.per_second)


def ask(pace: Pace, clock: ManualClock, peer: Insider, request: AnyRequest) -> float:
    """Return how long the peer waits to be served, and let that time pass."""
    seconds = pace.reserve(peer, request)
    clock.skip(seconds)
    return seconds


def test_a_player_waits_whose_requests_cost_too_much_on_whatever_connection():
    clock = ManualClock()
    pace, player = Pace(Limiter(), clock), Player(id="P", name="Eve")
    for _ in range(USUAL.work.burst // LOG_COST):
        assert ask(pace, clock, Insider(player), LOG) == 0
    assert ask(pace, clock, Insider(player), LIST) == pytest.approx(
        LIST_COST / USUAL.work.per_second
    )
    assert ask(pace, clock, Insider(player), CHEAP) == wait_for(1, USUAL.work)
    assert ask(pace, clock, next(make_peers()), LIST) == 0
    clock.skip(USUAL.work.burst / USUAL.work.per_second)
    assert ask(pace, clock, Insider(player), LIST) == 0


def test_an_address_waits_however_many_players_it_has():
    clock, peers = ManualClock(), make_peers()
    pace = Pace(Limiter(), clock)
    for _ in range(USUAL.work_of_address.burst // LIST_COST):
        assert ask(pace, clock, next(peers), LIST) == 0
    assert ask(pace, clock, next(peers), LOG) == pytest.approx(
        LOG_COST / USUAL.work_of_address.per_second
    )


def test_who_has_not_said_hello_is_paced_by_its_address():
    clock = ManualClock()
    pace, nobody = Pace(Limiter(), clock), Insider(Player(id="P", name="Eve"))
    nobody.player = None
    for _ in range(USUAL.work_of_address.burst // LIST_COST):
        assert ask(pace, clock, nobody, LIST) == 0
    assert ask(pace, clock, nobody, LIST) == wait_for(LIST_COST, USUAL.work_of_address)


def test_a_move_waits_for_no_logs_and_lists_that_others_behind_its_address_ask_for():
    clock, peers = ManualClock(), make_peers()
    pace = Pace(Limiter(), clock)
    for _ in range(2 * USUAL.work_of_address.burst // LIST_COST):
        pace.reserve(next(peers), LIST)
    assert pace.reserve(next(peers), LIST) > 0
    for _ in range(USUAL.moves_of_address.burst):
        assert pace.reserve(next(peers), CHEAP) == 0
    assert pace.reserve(next(peers), CHEAP) == wait_for(1, USUAL.moves_of_address)


# Rates.

RATE = Rate(burst=3, per_second=2)


def knock(bucket: TokenBucket) -> Refused | None:
    try:
        bucket.take()
    except Refused as refusal:
        return refusal
    return None


def test_a_burst_is_allowed_and_then_no_more():
    bucket = TokenBucket(RATE, ManualClock().now, Reason.TOO_MANY_LINES)
    assert [knock(bucket) for _ in range(3)] == [None] * 3
    refusal = knock(bucket)
    assert refusal is not None
    assert (refusal.code, refusal.limit, refusal.retry_after) == (ErrorCode.RATE_LIMITED, 3, 0.5)
    assert str(refusal) == "too many chat lines: wait 1 s"


def test_credit_comes_back_with_time_but_no_more_than_a_burst():
    clock = ManualClock()
    bucket = TokenBucket(RATE, clock.now)
    for _ in range(3):
        bucket.take()
    clock.seconds += 0.5
    assert knock(bucket) is None
    assert knock(bucket) is not None
    clock.seconds += 1000
    assert [knock(bucket) is None for _ in range(4)] == [True, True, True, False]


def test_who_waits_as_long_as_told_is_let_in():
    clock = ManualClock()
    bucket = TokenBucket(Rate(burst=1, per_second=3), clock.now)
    bucket.take()
    refusal = knock(bucket)
    assert refusal is not None
    assert refusal.retry_after is not None
    clock.seconds += refusal.retry_after
    assert knock(bucket) is None


def test_who_has_waited_for_a_part_is_told_the_rest():
    clock = ManualClock()
    bucket = TokenBucket(Rate(burst=1, per_second=2), clock.now)
    bucket.take()
    clock.seconds += 0.25
    refusal = knock(bucket)
    assert refusal is not None
    assert refusal.retry_after == 0.25


def test_credit_can_be_had_on_account_and_is_waited_for():
    clock = ManualClock()
    bucket = TokenBucket(RATE, clock.now)
    assert [bucket.reserve() for _ in range(5)] == [0, 0, 0, 0.5, 1]
    clock.seconds += 1
    assert bucket.reserve() == 0.5


@given(st.lists(st.floats(0, 3), max_size=40))
@brief
def test_no_more_is_let_in_than_burst_and_rate_allow(pauses):
    clock = ManualClock()
    began = clock.seconds
    bucket = TokenBucket(RATE, clock.now)
    let_in = 0
    for pause in pauses:
        clock.seconds += pause
        let_in += knock(bucket) is None
    assert let_in <= RATE.burst + RATE.per_second * (clock.seconds - began) + 1e-6


def test_nobody_waits_for_more_than_a_few_bursts_of_those_before():
    bucket = TokenBucket(RATE, ManualClock().now)
    for _ in range(100 * RATE.burst):
        bucket.reserve()
    assert bucket.reserve() == MAX_DEBT * RATE.burst / RATE.per_second


def test_a_site_of_ipv6_has_a_few_shares_of_an_address_however_many_networks_it_has():
    clock, limiter = ManualClock(), Limiter(Limits(chat_of_address=Rate(burst=2, per_second=1)))
    buckets = AddressBuckets(limiter, "chat_of_address", clock.now)
    networks = [f"2001:db8:1:{number:x}::/64" for number in range(256)]
    for network in networks[:SITE_SHARES]:
        buckets.take(network)
        buckets.take(network)
    for refuses in (buckets.take, buckets.check):
        with pytest.raises(Refused) as refusal:
            refuses(networks[-1])
        assert (refusal.value.limit, refusal.value.retry_after) == (2 * SITE_SHARES, 0.2)
    assert buckets.reserve(networks[-2]) == pytest.approx(0.2)
    assert limiter.met["chat_of_address"] == 3
    for elsewhere in ("203.0.113.1", "2001:db8:2::/64"):
        buckets.check(elsewhere)
        assert buckets.reserve(elsewhere) == 0


def test_every_key_has_its_own_bucket():
    limiter = Limiter(Limits(openings=RATE))
    buckets = Buckets(limiter, "openings", ManualClock().now)
    for key in ("a", "b"):
        for _ in range(3):
            buckets.take(key)
    with pytest.raises(Refused):
        buckets.take("a")
    buckets.take("c")
    assert limiter.met["openings"] == 1


def test_what_is_not_used_while_many_others_are_is_forgotten(monkeypatch):
    monkeypatch.setattr(tuning, "BUCKETS_KEPT", 4)
    slow = Limits(openings=Rate(burst=1, per_second=0.001))
    buckets = Buckets(Limiter(slow), "openings", ManualClock().now)
    for key in ("a", "b", "c"):
        buckets.take(key)
    with pytest.raises(Refused):
        buckets.take("a")  # so it is kept on, while "b" is not used
    buckets.take("d")
    for key in ("a", "c", "d"):
        with pytest.raises(Refused):
            buckets.take(key)
    buckets.take("b")
