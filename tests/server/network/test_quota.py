"""Rows on disk have a quota, which never stops a running match."""

import pytest

from kit.client import PeerStub
from kit.clock import ManualClock
from kit.matches import pegs
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Player
from mastermind_protocol.requests import Guess, Open, Rematch, Say
from mastermind_server import tuning
from mastermind_server.limits import Limiter, Limits, Rate
from mastermind_server.network.quota import Quota, price_match, price_move

PREPAID = tuning.PREPAID_ROWS
PEER = PeerStub(Player(id="ADA", name="Ada"))


def new_quota(clock: ManualClock, rows: int, of_address: int) -> Quota:
    limits = Limits(
        rows=Rate(burst=rows, per_second=1), rows_of_address=Rate(burst=of_address, per_second=1)
    )
    return Quota(Limiter(limits), clock)


def test_a_match_of_many_rounds_may_be_longer_and_takes_more():
    clock = ManualClock()
    quota = new_quota(clock, 1, 1000)
    quota.charge(PEER, "ADA", price_match(20))
    assert price_match(20) == 20 * tuning.ROUND_ROWS
    assert {price_move(version, 20) for version in range(1, price_match(20))} == {0}
    clock.skip(2)  # a debt is two bursts at most
    with pytest.raises(Refused):
        quota.check(PEER, "ADA")
    clock.skip(1)
    quota.check(PEER, "ADA")


@pytest.mark.parametrize("rounds", [1, 7, 20])
def test_a_long_match_is_paid_for_one_round_ahead(rounds):
    paid = price_match(rounds)
    for version in range(1, 10 * PREPAID):
        paid += price_move(version, rounds)
        assert version < paid <= max(price_match(rounds), version + tuning.ROUND_ROWS)


async def test_a_refused_request_takes_nothing_from_the_quota(idle_hall):
    scarce = Rate(burst=1, per_second=0.01)
    await idle_hall.start(
        limits=Limits(
            rows=scarce, rows_of_address=scarce, openings=Rate(burst=3, per_second=0.01), lobbies=0
        )
    )
    ada, met = await idle_hall.meet("Ada"), idle_hall.services.limiter.met
    assert (await ada.refused(Rematch, match="ABCDEF")).code == ErrorCode.UNKNOWN_MATCH
    opening = {"rules": "mini", "maker": "me", "breaker": "open"}
    assert (await ada.refused(Open, **opening)).code == ErrorCode.TOO_MANY
    assert met["rows"] == met["rows_of_address"] == 0
    idle_hall.limit(lobbies=1)
    await ada.open()  # the quota has one row
    assert met["rows"] == met["rows_of_address"] == 1
    assert (await ada.refused(Open, **opening)).code == ErrorCode.RATE_LIMITED
    assert met["openings"] == 1


async def test_a_rematch_takes_as_much_as_its_match(idle_hall, monkeypatch):
    monkeypatch.setattr(tuning, "PREPAID_ROWS", 1)
    two_of_two_rounds = Rate(burst=4 * tuning.ROUND_ROWS, per_second=0.01)
    await idle_hall.start(limits=Limits(rows=two_of_two_rounds))
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await ada.open(rounds=2)).match
    await bob.join(match)
    for maker, breaker in ((ada, bob), (bob, ada)):
        await maker.set(match, "1234")
        await breaker.resign(match)
    await ada.rematch(match)
    assert (await ada.refused(Say, match=match, phrase=1)).code == ErrorCode.RATE_LIMITED


async def test_a_player_without_quota_finishes_running_matches(idle_hall):
    await idle_hall.start(limits=Limits(rows=Rate(burst=1, per_second=0.01)))
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await ada.open()).match
    await bob.join(match)
    for kind, fields in (
        (Open, {"rules": "mini", "maker": "me", "breaker": "open"}),
        (Say, {"match": match, "text": "Hello!"}),
    ):
        refusal = await ada.refused(kind, **fields)
        assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, 1)
        assert refusal.retry_after is not None
    assert idle_hall.services.limiter.met["rows"] == 3  # her match took more than there was
    await ada.set(match, "1234")
    await bob.guess(match, "1234")


async def test_a_match_that_grows_beyond_its_length_goes_on_more_slowly(idle_hall, monkeypatch):
    monkeypatch.setattr(tuning, "PREPAID_ROWS", 4)
    monkeypatch.setattr(tuning, "ROUND_ROWS", 1)
    await idle_hall.start(limits=Limits(rows=Rate(burst=1, per_second=0.1)))
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await ada.open()).match
    await bob.join(match)
    await ada.set(match, "1234")
    await bob.guess(match, "1111")
    await bob.guess(match, "1122")  # the only row that is his to take
    refusal = await bob.refused(Guess, match=match, code=pegs("1234"))
    assert refusal.code == ErrorCode.RATE_LIMITED
    idle_hall.clock.skip(refusal.retry_after or 0)
    await bob.guess(match, "1234")
