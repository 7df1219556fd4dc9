"""A short one, with every suite; the long ones are `make chaos`."""

import pytest

from campaigns.chaos.conflicts import contend_for_versions, repeat_requests


@pytest.mark.parametrize("contend", [contend_for_versions, repeat_requests])
async def test_of_two_nodes_that_want_the_same_one_wins_and_the_other_is_told(
    postgres_url, contend
):
    contest = await contend(postgres_url, 100, 1)
    assert contest.faults == []
    assert sum(contest.wins) == 100
