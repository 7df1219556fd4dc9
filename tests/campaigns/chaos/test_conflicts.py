"""Short conflicts between two nodes; `make chaos` runs long ones."""

import pytest

from campaigns.chaos.conflicts import contend_for_versions, repeat_requests


@pytest.mark.parametrize("contend", [contend_for_versions, repeat_requests])
async def test_exactly_one_of_two_nodes_wins_each_conflict(postgres_url, contend):
    contest = await contend(postgres_url, 100, 1)
    assert contest.faults == []
    assert sum(contest.wins) == 100
