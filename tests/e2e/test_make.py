"""`make play` and `make serve`, with stubs instead of Python, pip and the game."""

import os
import shutil
import subprocess
from pathlib import Path
from subprocess import PIPE

import pexpect
import pytest

ROOT = Path(__file__).parents[2]
INSTALLING = "Installing the game and what it needs, about a minute ...\n"
AGAIN = "What the game needs has changed: installing again, about a minute ...\n"
# With --wait it exits only after make has received SIGINT; otherwise make reports an error.
PROGRAM = r"""#!/bin/sh
case "$1" in
    --wrong) echo "no such option" >&2; exit 2 ;;
    --wait) make=$(cut -d' ' -f4 /proc/$PPID/stat)
        trap 'while grep -q "Pnd:.*[2367abef]$" /proc/$make/status; do :; done; exit 130' INT
        echo ready; while :; do sleep 0.1; done ;;
    --name) echo "$0 $* ${MASTERMIND_MAKE-}" ;;
esac
"""
PYTHON = """#!/bin/sh
mkdir -p .venv/bin && touch .venv/bin/python
for name in mastermind mastermind-server; do cp program .venv/bin/$name; done
printf '#!/bin/sh\necho "$*" >> installed\n' > .venv/bin/pip && chmod +x .venv/bin/pip
"""
ENVIRON = {  # without the variables of a make that runs these tests
    name: value
    for name, value in os.environ.items()
    if "MAKE" not in name and name not in ("MFLAGS", "ARGS")
}


@pytest.fixture
def folder(tmp_path):
    """A folder with the files that make needs, without a virtual environment."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name, text in {"python": PYTHON, "program": PROGRAM}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def make(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run make; return its exit status, standard output and standard error."""
    command = ["make", "PYTHON=./python", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRON, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("target", "program", "named"),
    [("play", "mastermind", "yes"), ("serve", "mastermind-server", "")],
)
def test_the_first_start_installs_step_by_step_and_later_starts_print_nothing(
    folder, target, program, named
):
    steps = f"Making an environment for the game, in .venv ...\n{INSTALLING}Starting ...\n"
    assert make(folder, target) == (0, "", steps)
    installed = (folder / "installed").read_text()
    assert installed.endswith(
        "install --quiet --disable-pip-version-check --constraint constraints.txt --editable .\n"
    )
    assert make(folder, target, "ARGS=--name Ada") == (
        0,
        f".venv/bin/{program} --name Ada {named}\n",
        "",
    )
    assert (folder / "installed").read_text() == installed


def test_a_long_installation_reports_that_it_goes_on(folder):
    slow = PYTHON.replace('echo "$*" >> installed', "until [ -e done ]; do sleep 0.01; done")
    (folder / "python").write_text(slow)
    command = ["make", "PYTHON=./python", "PROGRESS_SECONDS=0.01", "play"]
    with subprocess.Popen(command, cwd=folder, env=ENVIRON, stderr=PIPE, text=True) as making:
        assert making.stderr is not None
        assert "Still installing ...\n" in iter(making.stderr.readline, "")
        (folder / "done").touch()
        assert making.stderr.read().endswith("Starting ...\n")
    assert making.returncode == 0


def test_make_installs_again_after_the_requirements_change(folder):
    make(folder, "play")
    old = (folder / "pyproject.toml").stat().st_mtime - 1
    os.utime(folder / ".venv" / "play", (old, old))
    assert make(folder, "play") == (0, "", f"{AGAIN}Starting ...\n")
    assert make(folder, "play") == (0, "", "")


def test_make_without_a_target_lists_targets_and_a_wrong_option_fails(folder):
    _, listed, _ = make(folder)
    for target in ("play", "serve", "test", "lint", "clean"):
        assert f"make {target}\t" in listed
    make(folder, "play")
    status, _, errors = make(folder, "play", "ARGS=--wrong")
    assert status == 2
    assert errors.startswith("no such option\n")


@pytest.mark.parametrize("target", ["play", "serve"])
def test_make_prints_nothing_after_ctrl_c(folder, target):
    make(folder, target)
    game = pexpect.spawn(
        "make", [target, "ARGS=--wait"], cwd=folder, env=ENVIRON, encoding="utf-8", timeout=20
    )
    game.expect_exact("ready\r\n")
    game.sendintr()
    game.expect(pexpect.EOF)
    assert game.before is not None
    assert game.before.replace("^C", "").strip() == ""
    game.close()
