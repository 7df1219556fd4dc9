from __future__ import annotations

from typing import TYPE_CHECKING

from bench.processes import SERVER
from bench.rows.nodes import Nodes
from kit import postgres
from kit.postgres import GIVEN, NONE

if TYPE_CHECKING:
    import pytest


async def test_where_there_is_no_postgresql_the_nodes_are_not_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(GIVEN, raising=False)
    monkeypatch.setattr(postgres, "find_programs", lambda: None)
    run = await Nodes().run(SERVER, quick=True)
    assert not run.figures
    assert run.notes == [f"it is not measured: {NONE}"]
