import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.clock import ManualClock
from kit.strategies import brief
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_server import tuning
from mastermind_server.limits import Limiter, Limits, Rate
from mastermind_server.network.pace import AddressBuckets, Buckets
from mastermind_server.tuning import MAX_DEBT, SITE_SHARES

RATE = Rate(burst=3, per_second=2)


def new_buckets(rate: Rate = RATE) -> tuple[Buckets, ManualClock, Limiter]:
    limiter, clock = Limiter(Limits(openings=rate)), ManualClock()
    return Buckets(limiter, "openings", clock.now, Reason.TOO_MANY_LINES), clock, limiter


def find_refusal(buckets: Buckets, key: str) -> Refused | None:
    """Take one credit; return the refusal, if any."""
    try:
        buckets.take(key)
    except Refused as refusal:
        return refusal
    return None


steps = st.tuples(
    st.sampled_from([0, 0.25, 0.5, 1, 1000]),
    st.sampled_from(["take", "check", "reserve", "give back"]),
    st.integers(1, 5),
)


@given(st.lists(steps, max_size=40))
@brief
def test_credit_is_a_burst_at_most_and_grows_at_the_rate(made):
    buckets, clock, limiter = new_buckets()
    credit, met = float(RATE.burst), 0
    for seconds, step, cost in made:
        clock.seconds += seconds
        credit = min(RATE.burst, credit + seconds * RATE.per_second)
        if step == "reserve":
            credit = max(credit - cost, -MAX_DEBT * RATE.burst)
            wait = max(0, -credit) / RATE.per_second
            assert buckets.reserve("a", cost) == wait
            met += wait > 0
        elif step == "give back":
            buckets.give_back("a")
            credit = min(RATE.burst, credit + 1)
        elif credit >= 1:
            (buckets.take if step == "take" else buckets.check)("a")
            credit -= step == "take"
        else:
            with pytest.raises(Refused) as refusal:
                (buckets.take if step == "take" else buckets.check)("a")
            assert refusal.value.retry_after == (1 - credit) / RATE.per_second
            met += 1
    assert limiter.met["openings"] == met
    buckets.check("b")  # each key has its own credit


def test_a_refusal_has_the_reason_the_burst_and_the_remaining_wait_in_full_milliseconds():
    buckets, clock, _ = new_buckets(Rate(burst=1, per_second=3))
    for waited, rest in ((0.0, 0.334), (0.25, 0.084)):
        buckets.take("a")
        clock.seconds += waited
        refusal = find_refusal(buckets, "a")
        assert refusal is not None
        assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, 1)
        assert refusal.retry_after == rest
        assert str(refusal) == "too many chat lines: wait 1 s"
        clock.seconds += rest
        assert find_refusal(buckets, "a") is None
        clock.seconds += 1


def test_the_networks_of_an_ipv6_site_share_a_few_times_the_rate_of_an_address():
    clock, limiter = ManualClock(), Limiter(Limits(chat_of_address=Rate(burst=2, per_second=1)))
    buckets = AddressBuckets(limiter, "chat_of_address", clock.now)
    networks = [f"2001:db8:1:{number:x}::/64" for number in range(256)]
    for network in networks[:SITE_SHARES] * 2:
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


def test_the_least_recently_used_buckets_are_dropped(monkeypatch):
    monkeypatch.setattr(tuning, "BUCKETS_KEPT", 4)
    buckets, _, _ = new_buckets(Rate(burst=1, per_second=0.001))
    used = [find_refusal(buckets, key) is None for key in "abcadacdb"]
    assert used == [True, True, True, False, True, False, False, False, True]
