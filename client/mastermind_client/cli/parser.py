"""The argument parser of `mastermind`. Only the used command gets its arguments and imports."""

from __future__ import annotations

import argparse
from typing import NoReturn

from mastermind_client.cli.commands import COMMANDS, load_function
from mastermind_client.invocation import write_command
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import mark_plural


class Parser(argparse.ArgumentParser):
    """A parser whose error message ends with how to get help."""

    def error(self, message: str) -> NoReturn:
        """Print the message, and exit with argparse's status."""
        wrong = _("%(prog)s: error: %(message)s\n") % {"prog": self.prog, "message": message}
        command = write_command(*self.prog.split()[1:], "--help")
        self.exit(2, wrong + _("Help: {command}").format(command=command) + "\n")


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser, with the arguments of the command `only`, or without it of all commands.

    The parsed namespace also has `build` (see Command), `parser` (for errors), `cafile` (None for a
    command without a server) and `opens_interface`. If `opens_interface` is true, the caller must
    set `settings` before it calls `build`.
    """
    parser = Parser(
        prog="mastermind",
        description=_("Play Mastermind over the network or against a bot, or watch a match."),
        epilog=_("Without a command: the home screen, or a game where there is no screen."),
        allow_abbrev=False,  # so that no new option breaks a script
    )
    parser.add_argument("--version", action=_Version, nargs=0, help=_("show the version and leave"))
    commands = parser.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=_(command.about), allow_abbrev=False)
        if only in (None, name):
            subparser.set_defaults(opens_interface=False, parser=subparser, cafile=None)
            load_function(command.add_arguments)(subparser)
    return parser


class _Version(argparse.Action):
    """Prints the version, which is read only now because that is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"mastermind {version('networked-mastermind')}")
        parser.exit()


ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("%(heading)s:"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("unrecognized arguments: %s"),
    N_("the following arguments are required: %s"),
    N_("one of the arguments %s is required"),
    N_("not allowed with argument %s"),
    N_("ignored explicit argument %r"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("unexpected option string: %s"),
    N_("expected one argument"),
    N_("expected at most one argument"),
    N_("expected at least one argument"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid choice: %(value)r, maybe you meant %(suggestion)r? (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
    N_("unknown parser %(parser_name)r (choices: %(choices)s)"),
)
"""The texts of argparse in all supported versions of Python."""

ARGPARSE_PLURALS = (mark_plural("expected %s argument", "expected %s arguments"),)
"""The texts of argparse with a plural."""
