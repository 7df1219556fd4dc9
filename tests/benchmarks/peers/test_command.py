from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import page
from bench.processes import SERVER
from bench.rows.row import Measure
from peers.__main__ import NAMES, NO_NODE, PEER, aim, main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("found", [(), ("node",), ("npm",)])
def test_where_there_is_no_node_with_npm_it_says_one_sentence_and_is_no_failure(
    found: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in found:
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([]) == 0
    assert capsys.readouterr().out == f"{NO_NODE}\n"


def test_what_it_does_not_measure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["growth"])
    assert "invalid choice: 'growth'" in capsys.readouterr().err


def test_what_may_cost_more_than_the_bare_room_is_not_to_cost_more_than_a_peer() -> None:
    assert aim(Measure("CPU", "us a move", ratio=1.5)).ratio == 1.0
    assert aim(Measure("answered, p99", "ms", most=10.0)) == Measure("answered, p99", "ms")


@pytest.mark.parametrize("name", NAMES.values())
def test_each_table_of_the_page_is_of_the_runs_beside_it_and_compares_with_the_peer(
    name: str,
) -> None:
    text, record = page.PAGE.read_text(encoding="utf-8"), page.find(name)
    assert page.write(text, [record]) == text
    compared = {line.subject for line in record.lines if line.ratio}
    assert SERVER.name in compared
    assert PEER not in compared
