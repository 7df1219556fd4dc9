"""An upgrade under play: every node is stopped and replaced, and no match knows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chaos.storms import Storm, roll_a_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import PostgresServer


async def test_every_match_is_finished_though_each_node_is_restarted(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    storm = Storm(matches=3)
    await roll_a_fleet(tmp_path, postgres_server, storm, seed=1, nodes=2)
    assert storm.done == {"restart of a node": 2}
    assert storm.faults == []
    assert storm.ledger.resumed
