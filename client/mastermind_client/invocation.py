"""The shell commands that messages recommend, written so that the player can type them.

`mastermind` is not always on the PATH: `make play` starts it from a virtual environment.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple


class Programs(NamedTuple):
    """The shell commands that start the programs. The arguments replace "{}" in `client`."""

    client: str
    server: str


PROGRAMS_ON_PATH = Programs("mastermind {}", "mastermind-server")
PROGRAMS_BY_MAKE = Programs('make play ARGS="{}"', "make serve")
_programs: ContextVar[Programs] = ContextVar("programs", default=PROGRAMS_ON_PATH)


def find_programs(started: str, search_path: str, *, by_make: bool) -> Programs:
    """Return the commands that start the programs in the player's shell.

    `started` is the path of the command that started this process, `search_path` the PATH of the
    shell. `by_make` is whether make has started it.
    """
    program = Path(started)
    if program.name != "mastermind":
        return PROGRAMS_ON_PATH
    paths = (Path(folder, program.name) for folder in search_path.split(os.pathsep))
    found = next((path for path in paths if os.access(path, os.X_OK)), None)
    if found is not None and found.resolve() == program.resolve():
        return PROGRAMS_ON_PATH
    if by_make:
        return PROGRAMS_BY_MAKE
    from shlex import quote

    server = program.with_name("mastermind-server")
    return Programs(f"{quote(started)} {{}}", quote(str(server)))


def use_programs(programs: Programs) -> None:
    """Set the commands that `write_command` and `write_server_command` use in this context."""
    _programs.set(programs)


def write_command(*arguments: str) -> str:
    """Return the command that starts the client with these arguments."""
    return _programs.get().client.replace("{}", " ".join(arguments))


def write_server_command() -> str:
    """Return the command that starts a server."""
    return _programs.get().server
