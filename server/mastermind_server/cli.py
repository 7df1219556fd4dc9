"""The command `mastermind-server`: it serves, or does another of the things in commands/."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, Protocol

from mastermind_protocol.errors import InvalidRules, Refused
from mastermind_server.commands import (
    announce,
    arena,
    backup,
    ban,
    end,
    export,
    forget,
    limits,
    migrate,
    serve,
    status,
    unban,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "mastermind-server"
INTERRUPTED = 130  # what shells report of a program ended by Ctrl-C


class Command(Protocol):
    """A module of commands/. It imports late what takes long, as every --help imports all."""

    SUMMARY: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add what the command is told."""

    def perform(self, options: argparse.Namespace) -> None:
        """Do what is asked for.

        Raises OSError or Refused if it cannot be done, and InvalidRules or ArgumentTypeError if it
        cannot be meant.
        """


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "announce": announce,
        "arena": arena,
        "backup": backup,
        "ban": ban,
        "end": end,
        "export": export,
        "forget": forget,
        "limits": limits,
        "migrate": migrate,
        "status": status,
        "unban": unban,
    }
)
"""What can be asked for beside to serve, by the word for it."""


class ServerParser(argparse.ArgumentParser):
    """One that says what is wrong first, and then where help is."""

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong with the command line, and end with status 2."""
        self.exit(2, f"{self.prog}: error: {message}\nHelp: {self.prog} --help\n")


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted, or do what else is asked for; returns the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    command: Command = serve
    if given and given[0] in COMMANDS:
        name, *given = given
        command = COMMANDS[name]
        parser = ServerParser(prog=f"{NAME} {name}", description=f"{_begin(command.SUMMARY)}.")
    else:
        parser = _top_parser()
    command.add_arguments(parser)
    options = parser.parse_args(given)
    try:
        command.perform(options)
    except (InvalidRules, argparse.ArgumentTypeError) as error:
        parser.error(str(error))
    except (OSError, Refused) as error:
        print(f"{NAME}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    return 0


def _top_parser() -> ServerParser:
    others = (f"  {name:10} {command.SUMMARY}" for name, command in COMMANDS.items())
    parser = ServerParser(
        prog=NAME,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"{_begin(serve.SUMMARY)}.",
        epilog="\n".join(["other commands, each with a --help of its own:", *others]),
    )
    told = f"{NAME} {version('networked-mastermind')}"
    parser.add_argument("--version", action="version", version=told)
    return parser


def _begin(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
