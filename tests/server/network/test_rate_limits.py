import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.client import PeerStub
from kit.clock import ManualClock
from kit.strategies import brief
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Player
from mastermind_server.limits import Limiter, Limits, Rate
from mastermind_server.network import rate_limits
from mastermind_server.network.rate_limits import (
    MAX_DEBT_BURSTS,
    SITE_FACTOR,
    AddressLimit,
    AddressTurns,
    PeerLimit,
    RateLimit,
    ReceiveRates,
)

RATE = Rate(burst=3, per_second=2)
ADA = PeerStub(Player(id="ADA", name="Ada"))


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def limiter():
    return Limiter(Limits(openings=RATE, chat_of_address=Rate(burst=2, per_second=1), chat=RATE))


@pytest.fixture
def limit(limiter, clock):
    return RateLimit(limiter, "openings", clock.now, Reason.TOO_MANY_LINES)


def allows(limit, key="a"):
    try:
        limit.take(key)
    except Refused:
        return False
    return True


def test_a_burst_is_allowed_and_the_next_request_refused(limit, limiter):
    assert [allows(limit) for _ in range(3)] == [True] * 3
    with pytest.raises(Refused) as refusal:
        limit.take("a")
    error = refusal.value
    assert (error.code, error.limit, error.retry_after) == (ErrorCode.RATE_LIMITED, 3, 0.5)
    assert str(error) == "too many chat lines: wait 1 s"
    assert allows(limit, "b")
    assert limiter.exceeded["openings"] == 1


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 4), st.booleans()), max_size=40))
@brief
def test_a_limit_is_a_token_bucket(requests):
    clock = ManualClock()
    limit = RateLimit(Limiter(Limits(openings=RATE)), "openings", clock.now)
    tokens = float(RATE.burst)
    for pause, cost, on_credit in requests:
        clock.seconds += pause
        tokens = min(RATE.burst, tokens + pause * RATE.per_second)
        if on_credit:
            tokens = max(tokens - cost, -MAX_DEBT_BURSTS * RATE.burst)
            wait = max(0.0, -tokens / RATE.per_second)
            assert limit.reserve("a", cost) == pytest.approx(wait, abs=1e-6)
        elif abs(tokens - 1) > 1e-6:
            assert allows(limit) is (tokens > 1)
            tokens -= tokens > 1


def test_a_client_that_waits_as_told_is_served(limit, clock):
    for _ in range(50):
        while allows(limit):
            pass
        with pytest.raises(Refused) as refusal:
            limit.check_bucket("a")
        clock.seconds += refusal.value.retry_after or 0
        assert allows(limit)


def test_a_client_that_keeps_exactly_to_a_rate_is_never_slowed(clock):
    limiter = Limiter(Limits(openings=Rate(burst=1, per_second=10)))
    limit = RateLimit(limiter, "openings", clock.now)
    for _ in range(1000):
        assert limit.reserve("a") == 0
        clock.seconds += 0.1


def test_a_refunded_token_can_be_taken_again(limit):
    limit.refund("a")
    while allows(limit):
        pass
    limit.refund("a")
    assert [allows(limit), allows(limit)] == [True, False]


def test_only_full_buckets_are_dropped(limiter, clock, monkeypatch):
    monkeypatch.setattr(rate_limits, "BUCKETS_KEPT", 4)
    limit = RateLimit(limiter, "openings", clock.now)
    limit.reserve("empty", 3)
    for key in "abcd":  # each is full again after half a second
        limit.take(key)
        clock.seconds += 0.4
    assert len(limit) == 3
    clock.seconds -= 0.4
    assert limit.reserve("empty", 3) == pytest.approx(1.5 - 1.2)
    clock.seconds += 1000
    for number in range(20):
        limit.take(number)
    assert len(limit) == 20


@pytest.mark.promise("ipv6-48")
def test_a_site_of_ipv6_has_a_few_shares_however_many_networks_it_has(limiter, clock):
    limit = AddressLimit(limiter, "chat_of_address", clock.now)
    networks = [f"2001:db8:1:{number:x}::/64" for number in range(256)]
    for network in networks[:SITE_FACTOR]:
        limit.take(network)
        limit.take(network)
    for refuses in (limit.take, limit.check_bucket):
        with pytest.raises(Refused) as refusal:
            refuses(networks[-1])
        assert (refusal.value.limit, refusal.value.retry_after) == (2 * SITE_FACTOR, 0.2)
    assert limit.reserve(networks[-2]) == pytest.approx(0.2)
    for elsewhere in ("203.0.113.1", "2001:db8:2::/64"):
        limit.check_bucket(elsewhere)
        assert limit.reserve(elsewhere) == 0
    limit.refund(networks[0])
    limit.refund(networks[0])
    limit.check_bucket(networks[0])


def test_a_player_is_limited_alone_and_with_others_at_its_address(limiter, clock):
    both = PeerLimit(limiter, "chat", clock.now, Reason.TOO_MANY_LINES)
    bob, eve = Player(id="BOB", name="Bob"), Player(id="EVE", name="Eve")
    both.reserve(ADA, bob, 2)
    with pytest.raises(Refused) as refusal:
        both.check_bucket(ADA, eve)
    assert refusal.value.limit == 2
    clock.seconds += 1
    both.check_bucket(ADA, eve)
    both.reserve(ADA, bob, 3)
    clock.seconds += 1
    with pytest.raises(Refused):
        both.check_bucket(ADA, bob)
    alone = PeerLimit(limiter, "openings", clock.now, Reason.TOO_MANY_OPENINGS)
    alone.reserve(ADA, bob, 3)
    alone.check_bucket(ADA, eve)


@pytest.mark.parametrize(
    ("name", "frames", "size", "wait"),
    [(None, 4, 1000, 0), ("frames", 10, 0, 3), ("bytes", 1, 1500, 5), ("frames", 10, 1100, 3)],
)
def test_a_connection_is_slowed_by_the_rate_that_it_exceeds_most(clock, name, frames, size, wait):
    limits = Limits(frames=Rate(burst=4, per_second=2), bytes=Rate(burst=1000, per_second=100))
    limiter = Limiter(limits)
    assert ReceiveRates(limiter, clock.now).reserve(1, frames, size) == wait
    assert name is None or limiter.exceeded[name] == 1


async def test_work_of_an_address_or_of_a_site_runs_one_after_another():
    turns, running = AddressTurns(), list[str]()

    async def work(address: str) -> None:
        async with turns.enter(address):
            running.append(address)
            await may_end.wait()

    near, same_site, elsewhere = "2001:db8:1::", "2001:db8:1:1::", "192.0.2.1"
    may_end = asyncio.Event()
    addresses = [f"{near}/64", f"{near}/64", f"{same_site}/64", elsewhere, elsewhere]
    tasks = [asyncio.create_task(work(address)) for address in addresses]
    await asyncio.sleep(0)
    assert running == [f"{near}/64", elsewhere]
    may_end.set()
    await asyncio.gather(*tasks)
    assert sorted(running) == sorted(addresses)
