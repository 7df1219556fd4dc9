"""Rows on disk have a quota, which never stops a running match."""

import pytest

from kit.matches import pegs
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.requests import Guess, Open, Rematch, Say
from mastermind_server.limits import Limits, Rate
from mastermind_server.matches.tables import row_charges
from mastermind_server.matches.tables.row_charges import (
    PREPAID_ROWS,
    ROWS_PER_ROUND,
    count_charged_rows,
    count_prepaid_rows,
)


@pytest.mark.parametrize("rounds", [1, 7, 20])
def test_each_move_is_paid_in_advance_but_at_most_one_round_beyond_the_first_payment(rounds):
    paid = count_prepaid_rows(rounds)
    assert paid >= rounds * ROWS_PER_ROUND
    for version in range(1, 10 * PREPAID_ROWS):
        paid += count_charged_rows(version, rounds)
        assert version < paid <= max(count_prepaid_rows(rounds), version + ROWS_PER_ROUND)


@pytest.mark.promise("refused-rows")
async def test_a_refused_request_takes_nothing_from_the_quota(idle_hall):
    scarce = Rate(burst=1, per_second=0.01)
    await idle_hall.start(
        limits=Limits(
            rows=scarce, rows_of_address=scarce, openings=Rate(burst=3, per_second=0.01), lobbies=0
        )
    )
    ada, met = await idle_hall.meet("Ada"), idle_hall.services.limiter.exceeded
    assert (await ada.refused(Rematch, match="ABCDEF")).code == ErrorCode.UNKNOWN_MATCH
    opening = {"rules": "mini", "maker": "me", "breaker": "open"}
    assert (await ada.refused(Open, **opening)).code == ErrorCode.TOO_MANY
    assert met["rows"] == met["rows_of_address"] == 0
    idle_hall.limit(lobbies=1)
    await ada.open()  # the quota has one row
    assert met["rows"] == met["rows_of_address"] == 1
    assert (await ada.refused(Open, **opening)).code == ErrorCode.RATE_LIMITED


async def test_a_rematch_costs_as_much_as_its_match(idle_hall, monkeypatch):
    monkeypatch.setattr(row_charges, "PREPAID_ROWS", 1)
    two_of_two_rounds = Rate(burst=4 * ROWS_PER_ROUND, per_second=0.01)
    await idle_hall.start(limits=Limits(rows=two_of_two_rounds))
    ada, bob, match = await idle_hall.begin_match(rounds=2)
    for maker, breaker in ((ada, bob), (bob, ada)):
        await maker.set(match, "1234")
        await breaker.resign(match)
    await ada.rematch(match)
    assert (await ada.refused(Say, match=match, phrase=1)).code == ErrorCode.RATE_LIMITED


@pytest.mark.promise("row-quota")
async def test_a_player_without_quota_finishes_running_matches(idle_hall):
    await idle_hall.start(limits=Limits(rows=Rate(burst=1, per_second=0.01)))
    ada, bob, match = await idle_hall.begin_match()
    for kind, fields in (
        (Open, {"rules": "mini", "maker": "me", "breaker": "open"}),
        (Say, {"match": match, "text": "Hello!"}),
    ):
        refusal = await ada.refused(kind, **fields)
        assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, 1)
        assert refusal.retry_after is not None
    assert idle_hall.services.limiter.exceeded["rows"] == 3  # her match took more than there was
    await ada.set(match, "1234")
    await bob.guess(match, "1234")


async def test_moves_beyond_the_paid_length_of_a_match_are_rate_limited(idle_hall, monkeypatch):
    monkeypatch.setattr(row_charges, "PREPAID_ROWS", 4)
    monkeypatch.setattr(row_charges, "ROWS_PER_ROUND", 1)
    await idle_hall.start(limits=Limits(rows=Rate(burst=1, per_second=0.1)))
    ada, bob, match = await idle_hall.begin_match()
    await ada.set(match, "1234")
    await bob.guess(match, "1111")
    await bob.guess(match, "1122")  # the only row that is his to take
    refusal = await bob.refused(Guess, match=match, code=pegs("1234"))
    assert refusal.code == ErrorCode.RATE_LIMITED
    idle_hall.clock.skip(refusal.retry_after or 0)
    await bob.guess(match, "1234")
