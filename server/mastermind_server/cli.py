"""The command `mastermind-server`: runs a server, or a subcommand."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from mastermind_protocol.errors import InvalidRules, Refused
from mastermind_server.commands import arena, limits, serve
from mastermind_server.commands.options import refuse_unknown_variables
from mastermind_server.commands.resources import (
    COMMAND_DESCRIPTORS,
    explain_lack,
    flush_output,
    open_standard_streams,
    raise_open_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PROGRAM_NAME = "mastermind-server"
INTERRUPTED_STATUS = 130  # exit status after Ctrl-C, as in shells


class Command(NamedTuple):
    """A subcommand: its `summary` in the help, and the `function` that defines it.

    `function` is MODULE:NAME, where the module is in the package `commands`. The function adds the
    arguments to a parser, and sets the parser's default `perform`, which is called with the parsed
    options. `perform` raises OSError or Refused if the subcommand fails, and InvalidRules or
    ArgumentTypeError for invalid options.

    The module is imported only when its subcommand runs, because importing SQLAlchemy takes long.
    """

    summary: str
    function: str


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "announce": Command(
            "send a message to all connected players, at every node",
            "moderation:add_announce_command",
        ),
        "arena": Command(arena.SUMMARY, "arena:add_arena_command"),
        "backup": Command(
            "copy a SQLite file, also while a server uses it", "backup:add_backup_command"
        ),
        "ban": Command("ban a player, or the network of an address", "moderation:add_ban_command"),
        "contest": Command(
            "withdraw the code of a day, also while servers use the database",
            "moderation:add_contest_command",
        ),
        "end": Command("end a match, and give its players a reason", "moderation:add_end_command"),
        "export": Command("print all data of a player as JSON", "player_data:add_export_command"),
        "forget": Command(
            "delete a player: token, names, ratings, tries, archive and chat",
            "player_data:add_forget_command",
        ),
        "limits": Command(limits.SUMMARY, "limits:add_limits_command"),
        "migrate": Command(
            "create the tables of a database, or migrate them to this version",
            "migrate:add_migrate_command",
        ),
        "ratings": Command(
            "compare ratings with the log, and repair them, also while servers use the database",
            "ratings.command:add_ratings_command",
        ),
        "restore": Command(
            "replace a SQLite file by a backup, and keep the old one", "restore:add_restore_command"
        ),
        "status": Command(
            "print the nodes and contents of a database, also while servers use it",
            "status:add_status_command",
        ),
        "unban": Command(
            "lift the ban of a player, or of the network of an address",
            "moderation:add_unban_command",
        ),
    }
)
"""The subcommands by name. Without a subcommand, `main` runs a server."""


class ServerParser(argparse.ArgumentParser):
    """A parser whose errors refer to --help instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        """Print an error, and exit with status 2."""
        self.exit(2, f"{self.prog}: error: {message}\nHelp: {self.prog} --help\n")


def main(arguments: list[str] | None = None) -> int:
    """Run a subcommand or, without one, a server until it is stopped. Return the exit status."""
    has_output = sys.stdout is not None
    open_standard_streams()
    try:
        try:
            _run_command(sys.argv[1:] if arguments is None else arguments, has_output=has_output)
        finally:
            flush_output()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        return 1
    except (MemoryError, ImportError, RuntimeError) as error:
        if (lack := explain_lack(error)) is None:
            raise
        print(f"{PROGRAM_NAME}: {lack}", file=sys.stderr)
        return 1
    except (OSError, Refused) as error:
        print(f"{PROGRAM_NAME}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return INTERRUPTED_STATUS
    return 0


def _run_command(given: list[str], *, has_output: bool) -> None:
    """Parse the arguments `given`, and run their subcommand or a server.

    Raises the exceptions that `Command` lists; prints invalid options and exits. Without standard
    output, `has_output`, each subcommand fails before it does anything.
    """
    if given and (command := COMMANDS.get(given[0])) is not None:
        if not has_output:
            raise OSError("standard output is closed: give the command a file, or /dev/null")
        raise_open_files(COMMAND_DESCRIPTORS, needed=COMMAND_DESCRIPTORS)
        name, *given = given
        parser = ServerParser(
            prog=f"{PROGRAM_NAME} {name}", description=f"{_capitalize(command.summary)}."
        )
        _find_function(command)(parser)
    else:
        parser = _make_parser()
        serve.add_serve_command(parser)
    options = parser.parse_args(given)
    try:
        refuse_unknown_variables(_add_all_options)
        options.perform(options)
    except (InvalidRules, argparse.ArgumentTypeError) as error:
        parser.error(str(error))


def _find_function(command: Command) -> Callable[[argparse.ArgumentParser], None]:
    """Import and return the function that adds the arguments of a subcommand."""
    function: Callable[[argparse.ArgumentParser], None] = resolve_name(
        f"mastermind_server.commands.{command.function}"
    )
    return function


def _add_all_options() -> None:
    """Define the options of all commands, so that their environment variables are known."""
    for add in (serve.add_serve_command, *map(_find_function, COMMANDS.values())):
        add(ServerParser())


def _make_parser() -> ServerParser:
    commands = (f"  {name:10} {command.summary}" for name, command in COMMANDS.items())
    parser = ServerParser(
        prog=PROGRAM_NAME,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"{_capitalize(serve.SUMMARY)}.",
        epilog="\n".join(["other commands, each with its own --help:", *commands]),
    )
    text = f"{PROGRAM_NAME} {version('networked-mastermind')}"
    parser.add_argument("--version", action="version", version=text)
    return parser


def _capitalize(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
