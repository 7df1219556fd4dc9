"""The command line of `mastermind`: what may be asked for, and how it becomes a value.

Only the command that is asked for is given its options: the list of commands needs none of them,
nor what they would have to load.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from mastermind_client.config.values import (
    parse_match_code,
    parse_name,
    parse_opponent,
    parse_rounds,
    parse_seed,
    parse_server,
)
from mastermind_client.language import LANGUAGES, mark_plural
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.config.options import (
        JoinOptions,
        PlayOptions,
        ReviewOptions,
        WatchOptions,
    )


class Parser(argparse.ArgumentParser):
    """One that says what is wrong with a command line first, and then where help is."""

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong, and end with argparse's own status for it."""
        wrong = _("%(prog)s: error: %(message)s\n") % {"prog": self.prog, "message": message}
        self.exit(2, wrong + _("Help: {command}").format(command=f"{self.prog} --help") + "\n")


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser, with the options of all commands or of one alone.

    What it parses has, besides the options, `build` (from what was parsed to a value of options.py;
    raises MastermindError and ArgumentTypeError), `parser` (which tells of an error) and
    `opens_interface` (whether the command opens an interface, for which `build` reads `settings`,
    which are to be put there first).
    """
    parser = Parser(
        prog="mastermind",
        description=_("Mastermind for two over the network, against a bot, or to look on at."),
        epilog=_("Without a command: the home screen, or a game where there is no screen."),
        allow_abbrev=False,  # cli.py looks for --lang as it is, and no new option breaks a script
    )
    parser.add_argument("--version", action=_Version, nargs=0, help=_("show the version and leave"))
    commands = parser.add_subparsers(title=_("commands"), metavar=_("COMMAND"), required=True)
    for name, (about, add_options) in _list_commands().items():
        command = commands.add_parser(name, help=about, allow_abbrev=False)
        if only in (None, name):
            command.set_defaults(opens_interface=False, parser=command)
            add_options(command)
    return parser


class _Version(argparse.Action):
    """Shows the version, which takes a while to find out: only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"mastermind {version('networked-mastermind')}")
        parser.exit()


def _list_commands() -> dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]:
    return {
        "play": (_("play against a bot, a friend or anyone"), _add_play),
        "join": (_("take the free seat of a match"), _add_join),
        "watch": (_("look on at a match, or at two bots"), _add_watch),
        "review": (_("see how well a finished match was played"), _add_review),
        "bots": (_("list the bots there are to play with"), _add_bots),
        "arena": (_("let bots break every code, or many"), _add_arena),
        "bot": (_("let your own bot play on a server"), _add_bot),
        "config": (_("show or reset the settings"), _add_config),
        "completion": (_("write what completes these commands in a shell"), _add_completion),
    }


def _add_play(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.config.options import ANYONE, DEFAULT_BOT, FRIEND, LEVELS
    from mastermind_protocol.events import Seat
    from mastermind_protocol.rules import DEFAULT

    parser.add_argument(
        "--rules",
        help=_("{rules} (default: those played last, {default} at first)").format(
            rules=_describe_rules(), default=DEFAULT.name
        ),
    )
    parser.add_argument(
        "--versus",
        type=parse_opponent,
        metavar=_("WHO"),
        help=_(
            "{friend} (by invite code), {anyone} (a public lobby), or a bot: {levels} or one that "
            "`mastermind bots` lists (default: the bot played last, {default} at first)"
        ).format(
            friend=FRIEND, anyone=ANYONE, levels=", ".join(LEVELS), default=DEFAULT_BOT
        ),
    )  # fmt: skip
    parser.add_argument(
        "--as",
        dest="seat",
        choices=[seat.value for seat in Seat],
        help=_("sit down as codemaker or codebreaker (default breaker; with anyone: either)"),
    )
    _add_rounds(parser, _("rounds to play, seats swapping (1)"))
    parser.add_argument(
        "--seed",
        type=parse_seed,
        metavar="N",
        help=_("fix the secrets of the bot you play against"),
    )
    parser.add_argument(
        "--public", action="store_true", help=_("let others find and watch the match")
    )
    parser.add_argument(
        "--rated",
        action="store_true",
        help=_("no advice, no programs: with {friend} or {anyone}").format(
            friend=FRIEND, anyone=ANYONE
        ),
    )
    _add_interface(parser)
    parser.set_defaults(build=_build_play)


def _add_join(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.config.options import JoinOptions

    about = _("the invite code; without it, pick one of the public matches that wait")
    _add_match(parser, about, JoinOptions)


def _add_review(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.config.options import ReviewOptions

    about = _("the match's code; without it, pick one from the list of your own")
    _add_match(parser, about, ReviewOptions)


def _add_watch(parser: argparse.ArgumentParser) -> None:
    from mastermind_protocol.rules import PRESETS

    _add_code(parser, _("the match's code; without it, pick one from the list of public matches"))
    parser.add_argument(
        "--bot",
        type=parse_opponent,
        metavar=_("NAME"),
        help=_("start a match in which this bot breaks a code"),
    )
    parser.add_argument(
        "--rules",
        default=PRESETS["knuth"].name,
        help=_("{rules} (default {default})").format(
            rules=_describe_rules(), default=PRESETS["knuth"].name
        ),
    )
    parser.add_argument(
        "--secret", metavar=_("CODE"), help=_("the secret that the bot is to break")
    )
    parser.add_argument("--public", action="store_true", help=_("let others find and watch it too"))
    _add_interface(parser)
    parser.set_defaults(build=_build_watch)


def _add_bots(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.config.options import BotsOptions

    _add_server(parser)
    _add_language(parser)
    parser.set_defaults(build=lambda parsed: BotsOptions(parsed.server, parsed.name))


def _add_arena(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.net import embedded

    embedded.add_arena_arguments(parser)
    _add_language(parser)


def _add_bot(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.own_bot import options

    options.add_arguments(parser)
    _add_rounds(parser, _("rounds of each match, seats swapping (1)"))
    _add_server(parser)
    _add_language(parser)


def _add_config(parser: argparse.ArgumentParser) -> None:
    from mastermind_client.cli import config

    actions = parser.add_mutually_exclusive_group()
    for action, about in (
        ("print", _("show the settings in effect, as the file would have them (default)")),
        ("reset", _("have the default settings again; those that were there are kept beside")),
        ("path", _("tell where the settings are kept")),
    ):
        actions.add_argument(
            f"--{action}", dest="action", action="store_const", const=action, help=about
        )
    _add_language(parser)
    parser.set_defaults(action="print", build=lambda parsed: partial(config.run, parsed.action))


def _add_completion(parser: argparse.ArgumentParser) -> None:
    def build(parsed: argparse.Namespace) -> Callable[[], None]:
        from mastermind_client.cli import completion  # late, for it needs this parser

        return partial(completion.run, parsed.shell)

    parser.add_argument(
        "shell",
        choices=("bash", "zsh"),
        help=_(
            'which one; eval "$(mastermind completion bash)" in ~/.bashrc completes at once, and '
            "the same for zsh in ~/.zshrc, after compinit"
        ),
    )
    _add_language(parser)
    parser.set_defaults(build=build)


def _add_match(
    parser: argparse.ArgumentParser,
    about: str,
    options: type[JoinOptions | ReviewOptions],
) -> None:
    _add_code(parser, about)
    _add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: options(parsed.code, parsed.settings.server, parsed.settings.name)
    )


def _add_code(parser: argparse.ArgumentParser, about: str) -> None:
    parser.add_argument("code", type=parse_match_code, nargs="?", metavar=_("CODE"), help=about)


def _add_rounds(parser: argparse.ArgumentParser, about: str) -> None:
    parser.add_argument("--rounds", type=parse_rounds, default=1, metavar="N", help=about)


def _add_server(parser: argparse.ArgumentParser, *, settled: bool = False) -> None:
    """Add where to go and as whom; `settled` tells that the settings have a say in it."""
    from mastermind_client.config.options import DEFAULT_SERVER

    about = (
        _("ws:// or wss:// address (default: the settings' one, {server} at first)")
        if settled
        else _("ws:// or wss:// address (default {server})")
    )
    parser.add_argument(
        "--server", type=parse_server, metavar="URL", help=about.format(server=DEFAULT_SERVER)
    )
    parser.add_argument(
        "--name", type=parse_name, metavar=_("NAME"), help=_("what others see you as")
    )


def _add_interface(parser: argparse.ArgumentParser) -> None:
    """Add the options that hold for this run in place of the settings."""
    from mastermind_client.config.settings import SETTINGS

    _add_server(parser, settled=True)
    parser.set_defaults(opens_interface=True)
    group = parser.add_argument_group(_("how it looks, for this time"))
    group.add_argument(
        "--plain", action="store_true", help=_("the line interface, for pipes and screen readers")
    )
    _add_language(group)
    for name, about in (
        ("palette", _("the colours of the pegs")),
        ("color", _("how many colours the terminal is sent")),
    ):
        group.add_argument(f"--{name}", choices=SETTINGS[name].choices, help=about)
    group.add_argument(
        "--ascii",
        dest="glyphs",
        action="store_const",
        const="ascii",
        help=_("draw with the signs that every terminal has"),
    )
    for option, state, about in (
        ("--mouse", "on", _("listen to the mouse, also over SSH")),
        ("--no-mouse", "off", _("leave the mouse to the terminal")),
    ):
        group.add_argument(option, dest="mouse", action="store_const", const=state, help=about)


def _add_language(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--lang", dest="language", choices=tuple(LANGUAGES), help=_("the language of all texts")
    )


def _describe_rules() -> str:
    from mastermind_protocol.rules import PRESETS

    return _("{presets}, or PEGSxCOLOURS[/GUESSES] such as 5x8/12").format(
        presets=", ".join(PRESETS)
    )


def _build_play(parsed: argparse.Namespace) -> PlayOptions:
    from mastermind_client.config.options import ANYONE, FRIEND, PlayOptions
    from mastermind_protocol.events import Seat
    from mastermind_protocol.rules import find_rules

    settings = parsed.settings
    options = PlayOptions(
        rules=find_rules(parsed.rules or settings.rules),
        versus=parsed.versus or settings.opponent,
        seat=Seat(parsed.seat) if parsed.seat else None,
        server=parsed.server,
        name=settings.name,
        rounds=parsed.rounds,
        seed=parsed.seed,
        public=parsed.public,
        rated=parsed.rated,
        settled=any((parsed.versus, parsed.seat, parsed.name)),
        usual_server=settings.server,
    )
    if options.seed is not None and (not options.against_bot or options.seat is Seat.MAKER):
        raise argparse.ArgumentTypeError(
            _("--seed fixes a bot's secrets: it needs a bot, and yourself as codebreaker")
        )
    if options.rated and options.against_bot:
        raise argparse.ArgumentTypeError(
            _("--rated is for games of two people: --versus {friend} or {anyone}").format(
                friend=FRIEND, anyone=ANYONE
            )
        )
    if options.public and not options.against_bot:
        raise argparse.ArgumentTypeError(
            _("--public is for games against bots: {anyone} is always public, {friend} never")
            .format(friend=FRIEND, anyone=ANYONE)
        )  # fmt: skip
    return options


def _build_watch(parsed: argparse.Namespace) -> WatchOptions:
    from mastermind_client.config.options import WatchOptions
    from mastermind_protocol.code import parse_code
    from mastermind_protocol.rules import find_rules

    rules = find_rules(parsed.rules)
    if (parsed.secret is not None or parsed.public) and parsed.bot is None:
        raise argparse.ArgumentTypeError(_("--secret and --public need --bot: a match of two bots"))
    if parsed.code is not None and parsed.bot is not None:
        raise argparse.ArgumentTypeError(
            _("watch a match by its CODE or start one by --bot, not both")
        )
    return WatchOptions(
        server=parsed.server or (None if parsed.bot else parsed.settings.server),
        code=parsed.code,
        bot=parsed.bot,
        rules=rules,
        secret=parse_code(parsed.secret, rules) if parsed.secret is not None else None,
        public=parsed.public,
        name=parsed.settings.name,
    )


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
