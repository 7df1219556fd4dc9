"""Node.js on this machine, and Colyseus as npm installs it: in the virtual environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PACKAGES, ROOM = "package.json", "room.js"
FOLDER = Path(sys.prefix) / "peers"  # so that `make clean` removes it
# Each version is pinned; a lock file would name the registry, and programs of packages do not run.
INSTALL = (
    *("install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"),
    "--loglevel=error",
)


class Node(NamedTuple):
    """The two programs."""

    node: str
    npm: str


def find_node() -> Node | None:
    """Return Node.js with its npm, or None unless both are on the PATH."""
    node, npm = shutil.which("node"), shutil.which("npm")
    return Node(node, npm) if node and npm else None


def read_version(node: Node) -> str:
    """Return what Node.js calls its version."""
    asked = subprocess.run([node.node, "--version"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


def install(node: Node) -> Path:
    """Return the program of the room, beside the packages that it needs.

    They are fetched when those that are wanted have changed; raises CalledProcessError if npm
    cannot.
    """
    wanted, kept = HERE / PACKAGES, FOLDER / PACKAGES
    if not kept.exists() or kept.read_bytes() != wanted.read_bytes():
        unfinished = FOLDER.with_name("peers.unfinished")
        for folder in (unfinished, FOLDER):
            shutil.rmtree(folder, ignore_errors=True)
        unfinished.mkdir()
        shutil.copy(wanted, unfinished)
        subprocess.run([node.npm, *INSTALL], cwd=unfinished, stdout=sys.stderr, check=True)
        unfinished.rename(FOLDER)
    return Path(shutil.copy(HERE / ROOM, FOLDER))
