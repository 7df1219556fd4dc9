from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from peers import node
from peers.node import HERE, PACKAGES, ROOM, Node, install

if TYPE_CHECKING:
    from pathlib import Path

# Stands for npm: what it is asked to do there is written down, and packages come of it.
NPM = '#!/bin/sh\necho "$@" >> packages-asked-for\n'
FAILING = "#!/bin/sh\nexit 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages are installed during the test."""
    monkeypatch.setattr(node, "FOLDER", tmp_path / "peers")
    return tmp_path / "peers"


def program(folder: Path, text: str) -> Node:
    path = folder / "npm"
    path.write_text(text)
    path.chmod(0o755)
    return Node("node", str(path))


def test_every_version_is_pinned_and_nothing_names_a_registry() -> None:
    text = (HERE / PACKAGES).read_text()
    versions = json.loads(text)["dependencies"].values()
    assert versions
    assert all(part.isdecimal() for version in versions for part in version.split("."))
    assert "://" not in text


def test_packages_are_installed_once_and_again_when_others_are_wanted(
    tmp_path: Path, folder: Path
) -> None:
    npm = program(tmp_path, NPM)
    for _ in range(2):
        assert install(npm) == folder / ROOM
        assert (folder / "packages-asked-for").read_text().count("install") == 1
    (folder / PACKAGES).write_text("{}")
    (folder / "of-before").touch()
    install(npm)
    assert (folder / PACKAGES).read_bytes() == (HERE / PACKAGES).read_bytes()
    assert not (folder / "of-before").exists()


def test_what_npm_could_not_finish_is_not_taken_for_installed(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        install(program(tmp_path, FAILING))
    assert not folder.exists()
    install(program(tmp_path, NPM))
    assert (folder / ROOM).exists()
