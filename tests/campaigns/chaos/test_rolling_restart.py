"""A rolling restart during play."""

from campaigns.chaos.storms import Storm, roll_a_fleet


async def test_every_match_finishes_during_a_rolling_restart(tmp_path, postgres_server):
    storm = Storm(matches=3)
    await roll_a_fleet(tmp_path, postgres_server, storm, seed=1, nodes=2)
    assert storm.done == {"restart of a node": 2}
    assert storm.faults == []
    assert storm.ledger.resumed
