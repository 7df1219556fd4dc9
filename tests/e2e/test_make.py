"""The commands of the README, in a clean copy: what make would do, without doing it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(folder: Path, *command: str) -> str:
    """Return what a command prints there; the make that may run these tests has no say in it."""
    surroundings = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    surroundings.pop("MFLAGS", None)
    done = subprocess.run(
        list(command), cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what git has of this repository, and no virtual environment."""
    folder = tmp_path_factory.mktemp("clone")
    for name in run(ROOT, "git", "ls-files").splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def test_make_alone_lists_what_can_be_made(clone: Path) -> None:
    listed = run(clone, "make")
    assert listed == run(clone, "make", "help")
    for target in ("play", "serve", "test", "lint", "clean"):
        assert f"make {target}\t" in listed


@pytest.mark.parametrize(
    ("target", "extras", "command"),
    [
        ("play", ".", ".venv/bin/mastermind --any"),
        ("serve", ".", ".venv/bin/mastermind-server --any"),
        ("test", "'.[dev]'", ".venv/bin/pytest "),
        ("lint", "'.[dev]'", ".venv/bin/ruff format --check ."),
        ("lint", "'.[dev]'", ".venv/bin/ruff check ."),
        ("lint", "'.[dev]'", ".venv/bin/mypy"),
        ("lint", "'.[dev]'", ".venv/bin/lint-imports"),
        ("lint", "'.[dev]'", ".venv/bin/python tests/translations.py"),
        ("release-check", "'.[dev]'", ".venv/bin/python tests/translations.py --release"),
    ],
)
def test_make_sets_up_what_the_command_needs_and_then_runs_it(
    clone: Path, target: str, extras: str, command: str
) -> None:
    lines = run(clone, "make", "-n", target, "ARGS=--any").splitlines()
    made = next(number for number, line in enumerate(lines) if " -m venv .venv" in line)
    installed = next(
        number
        for number, line in enumerate(lines)
        if ".venv/bin/pip install " in line
        and f"--constraint constraints.txt --editable {extras} " in line
    )
    ran = next(number for number, line in enumerate(lines) if line.startswith(command))
    assert made < installed < ran
    assert ("--any" in lines[ran]) == (target in ("play", "serve", "test"))


def test_virtual_environment_that_is_there_is_used_as_it_is(clone: Path) -> None:
    (clone / ".venv" / "bin").mkdir(parents=True)
    for name in ("bin/python", "play", "dev"):
        (clone / ".venv" / name).touch()
    assert run(clone, "make", "-n", "play") == ".venv/bin/mastermind \n"
    assert run(clone, "make", "-n", "serve") == ".venv/bin/mastermind-server \n"
