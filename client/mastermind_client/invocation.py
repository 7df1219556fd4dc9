"""Command lines in messages: the player can type them as they are printed.

`mastermind` may not be on the PATH: `make play` starts it from a virtual environment.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple


class Programs(NamedTuple):
    """How the player starts the client, with "{}" for its arguments, and the server."""

    client: str
    server: str


ON_PATH = Programs("mastermind {}", "mastermind-server")
BY_MAKE = Programs('make play ARGS="{}"', "make serve")
_programs: ContextVar[Programs] = ContextVar("programs", default=ON_PATH)


def find_programs(started: str, search_path: str, *, by_make: bool) -> Programs:
    """Return how the player starts the programs.

    `started` is the path of the running program, `search_path` the PATH of the player's shell.
    """
    program = Path(started)
    if program.name != "mastermind":
        return ON_PATH
    paths = (Path(folder, program.name) for folder in search_path.split(os.pathsep))
    found = next((path for path in paths if os.access(path, os.X_OK)), None)
    if found is not None and found.resolve() == program.resolve():
        return ON_PATH
    if by_make:
        return BY_MAKE
    from shlex import quote

    server = program.with_name("mastermind-server")
    return Programs(f"{quote(started)} {{}}", quote(str(server)))


def use_programs(programs: Programs) -> None:
    """Set the programs of this context's messages."""
    _programs.set(programs)


def write_command(*arguments: str) -> str:
    """Return the command line that starts the client with these arguments."""
    return _programs.get().client.replace("{}", " ".join(arguments))


def write_server_command() -> str:
    """Return the command line that starts a server."""
    return _programs.get().server
