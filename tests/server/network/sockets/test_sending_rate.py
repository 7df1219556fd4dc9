import pytest

from kit.clock import ManualClock
from mastermind_server.limits import Limiter, Limits, Rate
from mastermind_server.network.sockets.sending_rate import SendingRate

LIMITS = Limits(frames=Rate(burst=4, per_second=2), bytes=Rate(burst=1000, per_second=100))


@pytest.fixture
def clock():
    return ManualClock()


async def test_a_client_within_its_rates_exceeds_none(clock):
    limiter, settled = Limiter(LIMITS), list[float]()
    rate = SendingRate(limiter, clock)
    for _ in range(20):
        rate.charge(lambda: settled.append(clock.now()), 1, 50)
        assert not rate.exceeded
        clock.skip(0.5)
    assert not settled
    assert not limiter.met.total()


@pytest.mark.parametrize(
    ("limit", "frames", "size", "seconds"),
    [("frames", 10, 0, 3.0), ("bytes", 1, 1500, 5.0)],
)
async def test_an_exceeded_rate_settles_when_it_has_credit_again(
    clock, limit, frames, size, seconds
):
    limiter, settled = Limiter(LIMITS), list[float]()
    rate, began = SendingRate(limiter, clock), clock.now()
    rate.charge(lambda: settled.append(clock.now() - began), frames, size)
    assert rate.exceeded
    assert {name: count for name, count in limiter.met.items() if count} == {limit: 1}
    clock.skip(60)
    assert settled == [seconds]
    assert not rate.exceeded


async def test_more_that_comes_late_is_waited_for_together_with_what_came_before(clock):
    rate, began, settled = SendingRate(Limiter(LIMITS), clock), clock.now(), list[float]()
    for _ in range(2):
        rate.charge(lambda: settled.append(clock.now() - began), 5)
    clock.skip(60)
    assert settled == [3.0]


async def test_a_closed_rate_calls_nothing_back(clock):
    rate, settled = SendingRate(Limiter(LIMITS), clock), list[float]()
    rate.charge(lambda: settled.append(clock.now()), 10)
    rate.close()
    clock.skip(60)
    assert not settled
