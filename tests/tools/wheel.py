"""Installs the wheel as a player does: from a server, into an empty environment.

`make test-wheel` builds the wheel first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from kit.processes import BIN, Machine, Server

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
GAME = ["play", "--versus=hard", "--as=maker", "--rounds=1", "--name=Ada", "--pace=0"]


def main() -> None:
    """Install the wheel and play a game. Raises an error if that fails."""
    (wheel,) = DIST.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        try:
            command = [str(BIN / "mastermind-server"), "--port=0", f"--database={machine.database}"]
            server = machine.run(Server, [*command, f"--downloads={DIST}"], "server", {})
            page = server.address.replace("ws://", "http://")
            installed = install(Path(folder, "empty"), f"{page}/download/{wheel.name}")
        finally:
            machine.close()
        home = Path(folder, "home")
        home.mkdir()
        version = run(installed, home, "--version")
        if version.split() != ["mastermind", wheel.name.split("-")[1]]:
            sys.exit(f"mastermind --version printed {version!r}")
        game = run(installed, home, *GAME, typed="1234\n")
        if "Code proven" not in game or "hard (bot) needed 4 guesses" not in game:
            sys.exit(f"the game did not end:\n{game}")
        print(f"{wheel.name} works in an empty environment")


def install(environment: Path, url: str) -> Path:
    """Install the wheel at `url` into a new environment; return its command `mastermind`."""
    venv.create(environment, with_pip=True)
    pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", str(ROOT / "constraints.txt"), url], check=True)
    return environment / "bin" / "mastermind"


def run(program: Path, home: Path, *arguments: str, typed: str = "") -> str:
    """Return the output of the program, with an empty PATH and a new home."""
    environ = {"HOME": str(home), "PATH": "", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [program, *arguments], input=typed, env=environ, cwd=home, check=True,
        stdout=subprocess.PIPE, encoding="utf-8", timeout=60,
    )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    main()
