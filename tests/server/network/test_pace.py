import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.clock import ManualClock
from kit.strategies import brief
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_server import tuning
from mastermind_server.limits import Limiter, Limits, Rate
from mastermind_server.network.pace import AddressBuckets, Buckets, TokenBucket
from mastermind_server.tuning import MAX_DEBT, SITE_SHARES

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


def test_a_refusal_gives_the_rest_of_the_wait_and_no_less():
    clock = ManualClock()
    bucket = TokenBucket(Rate(burst=1, per_second=3), clock.now)
    for waited in (0.0, 0.25):
        bucket.take()
        clock.seconds += waited
        refusal = knock(bucket)
        assert refusal is not None
        assert refusal.retry_after is not None
        assert refusal.retry_after == pytest.approx(1 / 3 - waited, abs=0.001)
        clock.seconds += refusal.retry_after
        assert knock(bucket) is None
        clock.seconds += 1


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


def test_a_debt_is_bounded_by_a_few_bursts():
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


def test_the_longest_unused_buckets_are_dropped(monkeypatch):
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
