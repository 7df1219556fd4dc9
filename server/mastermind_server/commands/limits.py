"""The command `limits`: it prints what clients of a server may do at most."""

from __future__ import annotations

import os
import tomllib
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mastermind_server.commands.options import add_option
from mastermind_server.limits import NAMES, VARIABLE, Limits, Rate, read_limits

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Container, Iterator

SUMMARY = "print the limits on what clients may do, and where they come from"


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command is told."""
    add_limits(parser)
    parser.epilog = "What it prints can be such a file."


def perform(options: Namespace) -> None:
    """Print them. Raises ArgumentTypeError."""
    limits = find_limits(options.limits)
    file = tomllib.loads(_read(options.limits))
    variables = {each.removeprefix(VARIABLE).lower() for each in os.environ}
    print("\n".join(describe(limits, file, variables)))


def add_limits(parser: ArgumentParser) -> None:
    """Add the option that names a file of limits."""
    add_option(
        parser,
        "--limits",
        metavar="FILE",
        about="limits on what clients may do, where they are not to be the usual ones, as TOML",
    )


def find_limits(file: str | None) -> Limits:
    """Return the limits of a file, if there is one, and of the environment.

    Raises ArgumentTypeError.
    """
    try:
        return read_limits(_read(file), os.environ)
    except OSError as error:
        raise ArgumentTypeError(f"--limits {file}: {error.strerror}") from None
    except ValueError as error:
        raise ArgumentTypeError(f"of the limits, {error}") from None


def describe(limits: Limits, file: Container[str], variables: Container[str]) -> Iterator[str]:
    """Yield a line of TOML for each limit, and where it comes from.

    The names of some are in a `file`, and those of some are told by `variables`.
    """
    for name in NAMES:
        source = "environment" if name in variables else "file" if name in file else "usual"
        yield f"{name} = {_write(getattr(limits, name))}  # {source}"


def _read(file: str | None) -> str:
    return Path(file).read_text("utf-8") if file else ""


def _write(limit: float | Rate) -> str:
    if isinstance(limit, Rate):
        fields = msgspec.structs.asdict(limit).items()
        return f"{{ {', '.join(f'{name} = {value}' for name, value in fields)} }}"
    return str(limit)
