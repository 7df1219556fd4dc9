"""The command line of `mastermind`: what may be asked for, and how it becomes a value.

Only the command that is asked for is given its options: the list of commands needs none of them,
nor what they would have to load. The commands themselves are in the folder beside this file.
"""

from __future__ import annotations

import argparse
from typing import NoReturn

from mastermind_client.cli.commands import COMMANDS, add_options
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import mark_plural


class Parser(argparse.ArgumentParser):
    """One that says what is wrong with a command line first, and then where help is."""

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong, and end with argparse's own status for it."""
        wrong = _("%(prog)s: error: %(message)s\n") % {"prog": self.prog, "message": message}
        self.exit(2, wrong + _("Help: {command}").format(command=f"{self.prog} --help") + "\n")


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser, with the options of all commands or of one alone.

    What it parses has, besides the options, `build` (see cli/commands), `parser` (which tells of an
    error), `cafile` (None where no server is spoken to) and `opens_interface` (whether the command
    opens an interface, for which `build` reads `settings`, which are to be put there first).
    """
    parser = Parser(
        prog="mastermind",
        description=_("Mastermind for two over the network, against a bot, or to look on at."),
        epilog=_("Without a command: the home screen, or a game where there is no screen."),
        allow_abbrev=False,  # cli.py looks for --lang as it is, and no new option breaks a script
    )
    parser.add_argument("--version", action=_Version, nargs=0, help=_("show the version and leave"))
    commands = parser.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True)
    for name, about in COMMANDS.items():
        command = commands.add_parser(name, help=_(about), allow_abbrev=False)
        if only in (None, name):
            command.set_defaults(opens_interface=False, parser=command, cafile=None)
            add_options(name, command)
    return parser


class _Version(argparse.Action):
    """Shows the version, which takes a while to find out: only when asked."""

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
"""What argparse says to whoever types a command, of all versions of Python that are supported."""

ARGPARSE_PLURALS = (mark_plural("expected %s argument", "expected %s arguments"),)
"""The same, where a number decides on the form."""
