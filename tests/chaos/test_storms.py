"""Short storms, with every suite; the long ones are `make chaos`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chaos.storms import kill_one_node

if TYPE_CHECKING:
    from pathlib import Path


async def test_no_move_is_lost_when_the_server_is_killed_under_play(tmp_path: Path) -> None:
    storm = await kill_one_node(tmp_path, matches=4, kills=3, seed=1)
    assert storm.ledger.acknowledged
    assert storm.faults == []
