from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from peers.__main__ import NO_NODE, main

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
