"""The arguments of each command, and the functions that build options from arguments."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    FRIEND_ROUNDS,
    HOSTED,
    LEVELS,
    BotsOptions,
    ContinueOptions,
    JoinOptions,
    LeaderboardOptions,
    LogoutOptions,
    PlayOptions,
    ProfileOptions,
    ReviewOptions,
    StatsOptions,
    TransferOptions,
    WatchOptions,
)
from mastermind_client.config.settings import SETTINGS, Settings, load
from mastermind_client.config.values import (
    Invitation,
    parse_clock,
    parse_invitation,
    parse_name,
    parse_opponent,
    parse_pace,
    parse_place,
    parse_rounds,
    parse_seed,
    parse_server,
    parse_transfer_code,
)
from mastermind_client.invocation import write_command
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_client.playback import DEFAULT_PACE
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _ActionsContainer

    from mastermind_protocol.rules import Rules


def add_play(parser: ArgumentParser) -> None:
    """Add the arguments of `play`."""
    from mastermind_protocol.events import Seat  # slow, and other commands need none

    parser.add_argument(
        "--rules",
        help=_("{rules} (default: those played last, {default} at first)").format(
            rules=_list_rules(), default=DEFAULT.name
        ),
    )
    parser.add_argument(
        "--versus",
        type=parse_opponent,
        metavar=_("WHO"),
        help=_(
            "{friend} (by invite code), {anyone} (a public lobby), or a bot: {levels} or one that "
            "`{command}` lists (default: the bot played last, {default} at first)"
        ).format(
            friend=FRIEND, anyone=ANYONE, levels=", ".join(LEVELS), default=DEFAULT_BOT,
            command=_write_command("bots"),
        ),
    )  # fmt: skip
    parser.add_argument(
        "--as",
        dest="seat",
        choices=[seat.value for seat in Seat],
        help=_("sit down as codemaker or codebreaker (default breaker; with anyone: either)"),
    )
    about = _("rounds to play, seats swapping (default 1; rated or with {friend} {rounds})")
    _add_rounds(parser, about.format(friend=FRIEND, rounds=FRIEND_ROUNDS))
    _add_clock(parser)
    parser.add_argument(
        "--seed",
        type=parse_seed,
        metavar="N",
        help=_("fix the secrets of the bot you play against"),
    )
    parser.add_argument(
        "--host",
        action="store_true",
        help=_("with {friend}: play at this computer, without another server").format(
            friend=FRIEND
        ),
    )
    parser.add_argument(
        "--public", action="store_true", help=_("let others find and watch the match")
    )
    parser.add_argument(
        "--rated",
        action="store_true",
        help=_(
            "no advice, no programs: with {friend} or {anyone}, a --clock of minutes or seconds, "
            "and 2 or 4 rounds"
        ).format(friend=FRIEND, anyone=ANYONE),
    )
    _add_interface(parser)
    parser.set_defaults(build=_build_play)


def _build_play(parsed: Namespace) -> PlayOptions:
    from mastermind_protocol.events import Seat

    settings = parsed.settings
    options = PlayOptions(
        rules=find_rules(parsed.rules or settings.rules),
        versus=parsed.versus or settings.opponent,
        seat=Seat(parsed.seat) if parsed.seat else None,
        server=HOSTED if parsed.host else parsed.server,
        name=settings.name,
        rounds=parsed.rounds,
        seed=parsed.seed,
        public=parsed.public,
        rated=parsed.rated,
        clock=parse_clock(parsed.clock),
        settled=any((parsed.versus, parsed.seat)),
        rules_from_before=parsed.rules is None and settings.rules != DEFAULT.name,
        undecided=not any(
            (parsed.rules, parsed.versus, parsed.seat, parsed.server, parsed.seed is not None)
        ),
        usual_server=settings.server,
    )
    if options.seed is not None and (not options.against_bot or options.seat is Seat.MAKER):
        raise ArgumentTypeError(
            _("--seed fixes a bot's secrets: it needs a bot, and yourself as codebreaker")
        )
    if parsed.host and (options.versus != FRIEND or parsed.server is not None):
        raise ArgumentTypeError(
            _("--host starts a server for a friend: --versus {friend}, and no --server").format(
                friend=FRIEND
            )
        )
    if options.rated and options.against_bot:
        raise ArgumentTypeError(
            _("--rated is for games of two people: --versus {friend} or {anyone}").format(
                friend=FRIEND, anyone=ANYONE
            )
        )
    if options.public and not options.against_bot:
        raise ArgumentTypeError(
            _("--public is for games against bots: {anyone} is always public, {friend} never")
            .format(friend=FRIEND, anyone=ANYONE)
        )  # fmt: skip
    return options


def add_join(parser: ArgumentParser) -> None:
    """Add the arguments of `join`."""
    _add_code(parser, _("the invite code; without it, choose a waiting public match"))
    _add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: JoinOptions(
            parsed.code,
            parsed.settings.server,
            parsed.settings.name,
            names_server=parsed.server is not None and parsed.code is not None,
        )
    )


def add_continue(parser: ArgumentParser) -> None:
    """Add the arguments of `continue`."""
    about = _("the match's code; without it, the newest match that waits for you, or the newest")
    _add_code(parser, about)
    parser.add_argument(
        "--list", dest="listed", action="store_true", help=_("choose from the whole list")
    )
    _add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: ContinueOptions(
            code=parsed.code,
            server=parsed.server,
            name=parsed.settings.name,
            listed=parsed.listed,
            usual_server=parsed.settings.server,
        )
    )


def add_watch(parser: ArgumentParser) -> None:
    """Add the arguments of `watch`."""
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
            rules=_list_rules(), default=PRESETS["knuth"].name
        ),
    )
    parser.add_argument(
        "--secret", metavar=_("CODE"), help=_("the secret that the bot is to break")
    )
    parser.add_argument("--public", action="store_true", help=_("let others find and watch it too"))
    _add_interface(parser)
    parser.set_defaults(build=_build_watch)


def _build_watch(parsed: Namespace) -> WatchOptions:
    from mastermind_protocol.code import parse_code

    rules = find_rules(parsed.rules)
    if (parsed.secret is not None or parsed.public) and parsed.bot is None:
        raise ArgumentTypeError(_("--secret and --public need --bot: a match of two bots"))
    if parsed.code is not None and parsed.bot is not None:
        raise ArgumentTypeError(_("watch a match by its CODE or start one by --bot, not both"))
    return WatchOptions(
        server=parsed.server or (None if parsed.bot else parsed.settings.server),
        code=parsed.code,
        bot=parsed.bot,
        rules=rules,
        secret=parse_code(parsed.secret, rules) if parsed.secret is not None else None,
        public=parsed.public,
        name=parsed.settings.name,
    )


def add_review(parser: ArgumentParser) -> None:
    """Add the arguments of `review`."""
    _add_code(parser, _("the match's code; without it, pick one from the list of your own"))
    _add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: ReviewOptions(
            parsed.code, parsed.settings.server, parsed.settings.name
        )
    )


def add_stats(parser: ArgumentParser) -> None:
    """Add the arguments of `stats`."""
    about = _("the server to ask (default: the settings' one, if you have played there)")
    _add_server(parser, about)
    parser.add_argument("--json", action="store_true", help=_("write them as JSON, for a program"))
    _add_language(parser)
    parser.set_defaults(
        build=lambda parsed: StatsOptions(
            parsed.server, usual_server=_find_usual_server(), json=parsed.json
        )
    )


def add_leaderboard(parser: ArgumentParser) -> None:
    """Add the arguments of `leaderboard`."""
    parser.add_argument(
        "rules",
        nargs="?",
        default=DEFAULT.name,
        metavar=_("RULES"),
        help=_("{rules} (default: {default})").format(rules=_list_rules(), default=DEFAULT.name),
    )
    parser.add_argument(
        "--after",
        type=parse_place,
        default=0,
        metavar="N",
        help=_("begin after this place, for the next page"),
    )
    _add_server(parser, _("the server (default: the one in the settings)"))
    parser.add_argument("--json", action="store_true", help=_("write it as JSON, for a program"))
    _add_language(parser)
    parser.set_defaults(
        build=lambda parsed: LeaderboardOptions(
            parsed.server or _find_usual_server(), find_rules(parsed.rules), parsed.after,
            json=parsed.json,
        )
    )  # fmt: skip


def add_profile(parser: ArgumentParser) -> None:
    """Add the arguments of `profile`."""
    parser.add_argument(
        "player_name",
        nargs="?",
        type=parse_name,
        metavar=_("NAME"),
        help=_("a name on the leaderboard (default: you)"),
    )
    _add_server(parser, _("the server (default: the one in the settings)"))
    parser.add_argument("--json", action="store_true", help=_("write it as JSON, for a program"))
    _add_language(parser)
    parser.set_defaults(
        build=lambda parsed: ProfileOptions(
            parsed.server or _find_usual_server(), parsed.player_name, json=parsed.json
        )
    )


def add_rules(parser: ArgumentParser) -> None:
    """Add the arguments of `rules`."""
    parser.add_argument(
        "rules",
        nargs="?",
        metavar=_("RULES"),
        help=_("{rules} (default: those played last)").format(rules=_list_rules()),
    )
    _add_language(parser)
    parser.set_defaults(build=_build_rules)


def _build_rules(parsed: Namespace) -> Rules:
    person = sys.stdout.isatty()  # a script gets the same as every other
    settings = load(settings_path()).settings if person else Settings()
    return find_rules(parsed.rules or settings.rules)


def add_bots(parser: ArgumentParser) -> None:
    """Add the arguments of `bots`."""
    _add_server_and_name(parser)
    _add_language(parser)
    parser.set_defaults(build=lambda parsed: BotsOptions(parsed.server, parsed.name))


def add_arena(parser: ArgumentParser) -> None:
    """Add the arguments of `arena`, which are the server's."""
    from mastermind_client.network.embedded import add_arena_arguments

    add_arena_arguments(parser)
    _add_language(parser)


def add_bot(parser: ArgumentParser) -> None:
    """Add the arguments of `bot`."""
    from mastermind_client.bot_runner.options import add_arguments

    add_arguments(parser)
    _add_rounds(parser, _("rounds of each match, seats swapping (1)"), default=1)
    _add_clock(parser)
    _add_server_and_name(parser)
    _add_language(parser)


def add_transfer(parser: ArgumentParser) -> None:
    """Add the arguments of `transfer`."""
    parser.add_argument(
        "code",
        type=parse_transfer_code,
        nargs="?",
        metavar=_("CODE"),
        help=_("the code that the other computer shows; without it, show one here"),
    )
    _add_server(parser, _("the server (default: the one in the settings)"))
    _add_language(parser)
    parser.epilog = _(
        "The code works once, for a few minutes. The computer where you type it plays as you, "
        "with your name and your matches. To undo that, log out there."
    )
    parser.set_defaults(
        build=lambda parsed: TransferOptions(parsed.server or _find_usual_server(), parsed.code)
    )


def add_logout(parser: ArgumentParser) -> None:
    """Add the arguments of `logout`."""
    parser.add_argument(
        "--everywhere",
        action="store_true",
        help=_(
            "log every other computer out, and anyone who copied your token; "
            "this one gets a new token"
        ),
    )
    _add_server(parser, _("the server (default: the one in the settings)"))
    _add_language(parser)
    parser.epilog = _(
        "This logs the computer out of the server. If it is your only one there, your player and "
        "its matches are lost. Transfer it to another computer first: {command}."
    ).format(command=_write_command("transfer"))
    parser.set_defaults(
        build=lambda parsed: LogoutOptions(
            parsed.server or _find_usual_server(), everywhere=parsed.everywhere
        )
    )


def add_config(parser: ArgumentParser) -> None:
    """Add the arguments of `config`."""
    actions = parser.add_mutually_exclusive_group()
    for action, about in (
        ("print", _("show the settings in effect, as the file would have them (default)")),
        ("reset", _("restore the default settings; the old ones are kept in a copy")),
        ("path", _("print where the settings are kept")),
    ):
        actions.add_argument(
            f"--{action}", dest="action", action="store_const", const=action, help=about
        )
    _add_language(parser)
    parser.set_defaults(action="print", build=lambda parsed: parsed.action)


def add_completion(parser: ArgumentParser) -> None:
    """Add the arguments of `completion`."""
    parser.add_argument(
        "shell",
        choices=("bash", "zsh"),
        help=_(
            'which one; eval "$(mastermind completion bash)" in ~/.bashrc completes at once, and '
            "the same for zsh in ~/.zshrc, after compinit"
        ),
    )
    _add_language(parser)
    parser.set_defaults(build=lambda parsed: parsed.shell)


def _find_usual_server() -> str:
    """Return the server of the settings, which applies in scripts too."""
    return load(settings_path()).settings.server


def _write_command(arguments: str) -> str:
    return write_command(arguments).replace("%", "%%")  # argparse formats its texts


def _list_rules() -> str:
    return _("{presets}, or PEGSxCOLOURS[/GUESSES] such as 5x8/12").format(
        presets=", ".join(PRESETS)
    )


def _add_code(parser: ArgumentParser, about: str) -> None:
    parser.add_argument(
        "code", type=parse_invitation, action=_TakeInvitation, nargs="?", metavar=_("CODE"),
        help=_("{about}; or SERVER/CODE, or a link").format(about=about),
    )  # fmt: skip


class _TakeInvitation(Action):
    """Sets `code`, and also `server` if the invitation names a server."""

    def __call__(
        self,
        _parser: object,
        namespace: Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        namespace.code, server = values if isinstance(values, Invitation) else (None, None)
        namespace.server = server or namespace.server


def _add_rounds(parser: ArgumentParser, about: str, default: int | None = None) -> None:
    parser.add_argument("--rounds", type=parse_rounds, default=default, metavar="N", help=about)


def _add_clock(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--clock",
        metavar=_("CLOCK"),
        help=_(
            "the time of the players: 5+3 (5 minutes a round, 3 seconds more a guess), 60/move "
            "(60 seconds a guess) or 3d/move (3 days a move); default: no clock"
        ),
    )


def _add_server(parser: ArgumentParser, about: str) -> None:
    parser.add_argument("--server", type=parse_server, metavar="URL", help=about)
    parser.add_argument(
        "--cafile",
        metavar=_("FILE"),
        help=_("a PEM file of more certificates to trust, for a wss:// server with a private one"),
    )


def _add_server_and_name(parser: ArgumentParser, about: str | None = None) -> None:
    about = about or _("ws:// or wss:// address (default {server})")
    _add_server(parser, about.format(server=DEFAULT_SERVER))
    parser.add_argument(
        "--name", type=parse_name, metavar=_("NAME"), help=_("the name that others see")
    )


def _add_language(parser: _ActionsContainer) -> None:
    """Add --lang for the help and to validate its value. The language is set before the parsing."""
    parser.add_argument(
        "--lang", dest="language", choices=tuple(LANGUAGES), help=_("the language of all texts")
    )


def _add_interface(parser: ArgumentParser) -> None:
    """Add the options that override settings for this run."""
    _add_server_and_name(
        parser, _("ws:// or wss:// address (default: the settings' one, {server} at first)")
    )
    parser.set_defaults(opens_interface=True)
    group = parser.add_argument_group(_("display, for this run only"))
    group.add_argument(
        "--plain", action="store_true", help=_("the line interface, for pipes and screen readers")
    )
    _add_language(group)
    for name, about in (
        ("palette", _("the colours of the pegs")),
        ("color", _("the number of colours to use")),
    ):
        group.add_argument(f"--{name}", choices=SETTINGS[name].choices, help=about)
    group.add_argument(
        "--ascii",
        dest="glyphs",
        action="store_const",
        const="ascii",
        help=_("draw with the signs that every terminal has"),
    )
    group.add_argument(
        "--pace",
        type=parse_pace,
        metavar=_("SECONDS"),
        help=_(
            "the pause after each guess of a bot; 0 for none (default: the settings' one, "
            "{seconds:g} at first; none in a pipe)"
        ).format(seconds=DEFAULT_PACE),
    )
    for option, state, about in (
        ("--mouse", "on", _("use the mouse, also over SSH")),
        ("--no-mouse", "off", _("leave the mouse to the terminal")),
    ):
        group.add_argument(option, dest="mouse", action="store_const", const=state, help=about)
