"""The command `limits`, which prints the limits on clients, and the option `--limits`."""

from __future__ import annotations

import os
import tomllib
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mastermind_server.commands.options import add_option
from mastermind_server.commands.resources import lower_connections
from mastermind_server.limits import (
    FORMER_NAMES,
    LIMIT_NAMES,
    VARIABLE_PREFIX,
    Limits,
    Rate,
    read_limits,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator, Mapping

SUMMARY = "print the limits on clients, and the source of each"
_OPEN_FILES = "file descriptors"  # the source of `connections` if the system allows fewer


def add_limits_command(parser: ArgumentParser) -> None:
    """Add the arguments of `limits`."""
    add_limits_option(parser)
    parser.epilog = "The output has the format of such a file."
    parser.set_defaults(perform=_perform)


def _perform(options: Namespace) -> None:
    wanted = find_limits(options.limits)
    limits = lower_connections(wanted)
    file = tomllib.loads(_read_file(options.limits))
    variables = (
        each.removeprefix(VARIABLE_PREFIX).lower()
        for each in os.environ
        if each.startswith(VARIABLE_PREFIX)
    )
    sources = {
        **dict.fromkeys(_replace_former(file), "file"),
        **dict.fromkeys(_replace_former(variables), "environment"),
    }
    if limits.connections < wanted.connections:
        sources["connections"] = _OPEN_FILES
    print("\n".join(describe(limits, sources)))


def add_limits_option(parser: ArgumentParser) -> None:
    """Add the option `--limits`, which names a file of limits."""
    add_option(
        parser,
        "--limits",
        metavar="FILE",
        about="TOML file with the limits on clients that differ from the defaults",
    )


def find_limits(file: str | None) -> Limits:
    """Return the limits that the environment and the file at the path `file` set.

    Other limits have their defaults. Without a path no file is read. Raises ArgumentTypeError if
    the file cannot be read or a limit is invalid.
    """
    try:
        return read_limits(_read_file(file), os.environ)
    except OSError as error:
        raise ArgumentTypeError(f"--limits {file}: {error.strerror}") from None
    except UnicodeError:
        raise ArgumentTypeError(f"--limits {file}: it is not UTF-8 text") from None
    except ValueError as error:
        raise ArgumentTypeError(f"invalid limit: {error}") from None


def describe(limits: Limits, sources: Mapping[str, str]) -> Iterator[str]:
    """Yield a line of TOML for each limit, with the source of its value as a comment.

    `sources` maps the names of the limits that have no default value to the sources.
    """
    for name in LIMIT_NAMES:
        source = sources.get(name, "default")
        yield f"{name} = {_format_limit(getattr(limits, name))}  # {source}"


def _replace_former(names: Iterable[str]) -> set[str]:
    return {FORMER_NAMES.get(name, name) for name in names}


def _read_file(file: str | None) -> str:
    return Path(file).read_text("utf-8") if file else ""


def _format_limit(limit: float | Rate) -> str:
    if isinstance(limit, Rate):
        fields = msgspec.structs.asdict(limit).items()
        return f"{{ {', '.join(f'{name} = {value}' for name, value in fields)} }}"
    return str(limit)
