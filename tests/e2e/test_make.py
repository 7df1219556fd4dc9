"""The commands of the README, in a clean copy: what make would do, without doing it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 20.0  # seconds for what a shell script takes
RUN = 'run() { trap : INT; "$@" || { status=$?; [ $status -eq 130 ] || exit $status; }; }; run '
INSTALLING = "Installing the game and what it needs, about a minute ...\n"
AGAIN = "What the game needs has changed: installing again, about a minute ...\n"
# By Ctrl-C it ends as soon as make, its shell's parent, knows of it too: make is confused by one
# that ends before, as no program does which has something to put aside.
PROGRAM = r"""#!/bin/sh
case "$1" in
    --wrong) echo "no such option" >&2; exit 2 ;;
    --wait) make=$(cut -d' ' -f4 /proc/$PPID/stat)
        trap 'while grep -q "Pnd:.*[2367abef]$" /proc/$make/status; do :; done; exit 130' INT
        echo ready; while :; do sleep 0.1; done ;;
esac
"""
# The make that may run these tests has no say in those of the tests.
SURROUNDINGS = {
    name: value
    for name, value in os.environ.items()
    if "MAKE" not in name and name not in ("MFLAGS", "ARGS")  # as for make test ARGS=...
}


def execute(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(command), cwd=folder, env=SURROUNDINGS, capture_output=True, text=True, check=False
    )


def run(folder: Path, *command: str) -> str:
    """Return what a command prints there."""
    done = execute(folder, *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A folder with what git has of this repository, and no virtual environment."""
    folder = tmp_path_factory.mktemp("clone")
    for name in run(ROOT, "git", "ls-files").splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def test_make_alone_lists_what_can_be_made(clone):
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
def test_make_sets_up_what_the_command_needs_and_then_runs_it(clone, target, extras, command):
    lines = run(clone, "make", "-n", target, "ARGS=--any").splitlines()
    made = next(number for number, line in enumerate(lines) if " -m venv .venv" in line)
    installed = next(
        number
        for number, line in enumerate(lines)
        if ".venv/bin/pip install " in line
        and f"--constraint constraints.txt --editable {extras} " in line
    )
    ran = next(
        number for number, line in enumerate(lines) if line.startswith((command, f"{RUN}{command}"))
    )
    assert made < installed < ran
    assert ("--any" in lines[ran]) == (target in ("play", "serve", "test"))


def test_virtual_environment_that_is_there_is_used_as_it_is(seeming):
    (seeming / ".venv" / "bin").mkdir(parents=True)
    for name in ("bin/python", "play", "dev"):
        (seeming / ".venv" / name).touch()
    assert run(seeming, "make", "-n", "play") == f"{RUN}.venv/bin/mastermind \n"
    assert run(seeming, "make", "-n", "serve") == f"{RUN}.venv/bin/mastermind-server \n"


# With programs that only seem to install and to play.


@pytest.fixture
def seeming(tmp_path):
    """A folder in which make finds all that it needs, but no environment."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    write_program(
        tmp_path / "python",
        "#!/bin/sh\nmkdir -p .venv/bin && touch .venv/bin/python\n"
        "for name in pip mastermind mastermind-server; do cp program .venv/bin/$name; done\n",
    )
    write_program(tmp_path / "program", PROGRAM)
    return tmp_path


def write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def make(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Return the status, the output and the errors of make."""
    done = execute(folder, "make", "PYTHON=./python", *arguments)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("target", ["play", "serve"])
def test_the_first_time_it_is_said_step_by_step_what_is_done_and_later_nothing(seeming, target):
    steps = f"Making an environment for the game, in .venv ...\n{INSTALLING}Starting ...\n"
    assert make(seeming, target) == (0, "", steps)
    assert make(seeming, target) == (0, "", "")


def test_when_the_game_needs_something_else_it_is_said_that_it_is_installed_again(seeming):
    make(seeming, "play")
    old = (seeming / "pyproject.toml").stat().st_mtime - 1
    os.utime(seeming / ".venv" / "play", (old, old))
    assert make(seeming, "play") == (0, "", f"{AGAIN}Starting ...\n")
    assert make(seeming, "play") == (0, "", "")


def test_a_wrong_option_fails_with_what_the_program_says(seeming):
    make(seeming, "play")
    status, _, errors = make(seeming, "play", "ARGS=--wrong")
    assert status == 2
    assert errors.startswith("no such option\n")


@pytest.mark.parametrize("target", ["play", "serve"])
def test_make_says_nothing_of_its_own_after_ctrl_c(seeming, target):
    make(seeming, "play")
    game = pexpect.spawn(
        "make", [target, "ARGS=--wait"], cwd=seeming, env=SURROUNDINGS, encoding="utf-8",
        timeout=PATIENCE,
    )  # fmt: skip
    game.expect_exact("ready\r\n")
    game.sendintr()
    game.expect(pexpect.EOF)
    assert game.before is not None
    assert game.before.replace("^C", "").strip() == ""
    game.close()
