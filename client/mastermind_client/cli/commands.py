"""The commands of `mastermind` and their parser. Only the used command is imported."""

from __future__ import annotations

import argparse
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from mastermind_client.invocation import write_command
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import mark_plural

if TYPE_CHECKING:
    from collections.abc import Mapping


class Command(NamedTuple):
    """A command: its help text `about`, and two functions of this package as "module:function".

    `add_arguments(parser)` adds the arguments, and sets the parser's default `build`.
    `build(parsed)` returns the options for the parsed arguments. It raises MastermindError and
    ArgumentTypeError.
    `run_function(context, options)` runs the command without the full-screen interface. It prints,
    or returns a coroutine. A command that opens an interface has another parameter, `pace`: the
    seconds between a bot's guesses.
    """

    about: str
    add_arguments: str
    run_function: str


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "play": Command(N_("play against a bot, a friend or anyone"),
            "cli.match_arguments:add_play", "lines.app:play"),
        "today": Command(N_("play the code of the day: one for everybody, one try"),
            "cli.match_arguments:add_today", "lines.today:play_today"),
        "join": Command(N_("take the free seat of a match"),
            "cli.match_arguments:add_join", "lines.app:join"),
        "challenge": Command(N_("ask a player by name for a match"),
            "cli.match_arguments:add_challenge", "lines.app:challenge"),
        "continue": Command(N_("continue a saved match"),
            "cli.match_arguments:add_continue", "lines.app:resume"),
        "watch": Command(N_("watch a match, or two bots"),
            "cli.match_arguments:add_watch", "lines.app:watch"),
        "review": Command(N_("see how well a finished match was played"),
            "cli.match_arguments:add_review", "lines.app:review"),
        "solve": Command(N_("get help with a game that is played elsewhere, or solve puzzles"),
            "cli.solve_arguments:add_solve", "lines.solving.command:solve"),
        "stats": Command(N_("show your results"),
            "cli.server_arguments:add_stats", "lines.player_data:print_statistics"),
        "leaderboard": Command(N_("list the best players of rated matches"),
            "cli.server_arguments:add_leaderboard", "lines.player_data:print_leaderboard"),
        "profile": Command(N_("show the ratings of a player, or your own"),
            "cli.server_arguments:add_profile", "lines.player_data:print_profile"),
        "rules": Command(N_("print how to play"),
            "cli.printing:add_rules", "cli.printing:print_rules"),
        "bots": Command(N_("list the bots"),
            "cli.server_arguments:add_bots", "lines.app:list_bots"),
        "arena": Command(N_("measure bots: they break every code, or random codes"),
            "cli.server_arguments:add_arena", "cli.server_arguments:play_arena"),
        "bot": Command(N_("let your own bot play on a server"),
            "cli.server_arguments:add_bot", "bot_runner.command:run"),
        "transfer": Command(N_("play as the same player on another computer"),
            "cli.server_arguments:add_transfer", "lines.player_data:transfer"),
        "logout": Command(N_("log this computer out of a server, or all your other ones"),
            "cli.server_arguments:add_logout", "lines.player_data:log_out"),
        "config": Command(N_("show or reset the settings"),
            "cli.printing:add_config", "cli.printing:run_config"),
        "completion": Command(N_("print the completion script for a shell"),
            "cli.printing:add_completion", "cli.printing:print_completion"),
    }
)  # fmt: skip
"""The commands in the order of the help. `about` is translated where it is shown."""


def load_function(name: str) -> Any:
    """Import the module of "module:function" and return the function."""
    from importlib import import_module

    module, _colon, function = name.partition(":")
    return getattr(import_module(f"mastermind_client.{module}"), function)


class Parser(argparse.ArgumentParser):
    """A parser whose error message ends with the command that prints the help."""

    def error(self, message: str) -> NoReturn:
        """Print the message, and exit with argparse's status."""
        wrong = _("%(prog)s: error: %(message)s\n") % {"prog": self.prog, "message": message}
        command = write_command(*self.prog.split()[1:], "--help")
        self.exit(2, wrong + _("Help: {command}").format(command=command) + "\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Suggest the choice that is most like a wrong one, as argparse of Python 3.14 can."""
        from difflib import get_close_matches  # slow, and only errors need it

        choices = list(map(str, action.choices or ()))
        typed = str(value)
        if choices and typed not in choices and (near := get_close_matches(typed, choices, 1)):
            text = _(
                "invalid choice: %(value)r, maybe you meant %(suggestion)r? "
                "(choose from %(choices)s)"
            )
            values = {"value": value, "suggestion": near[0], "choices": ", ".join(choices)}
            raise argparse.ArgumentError(action, text % values)
        super()._check_value(action, value)


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser with the arguments of the command `only`, or of all commands for None.

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
            if not subparser.get_default("opens_interface"):  # it prints lines anyway
                subparser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    return parser


class _Version(argparse.Action):
    """Reads the version when --version is used, because reading is slow, and prints it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"mastermind {version('networked-mastermind')}")
        parser.exit()


ARGPARSE_TEXTS = (
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
