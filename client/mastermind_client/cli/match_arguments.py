"""The arguments of the commands that play, watch and review matches."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import (
    add_clock_option,
    add_interface_options,
    add_match_code_argument,
    add_rounds_option,
    describe_rule_choices,
    write_command_for_argparse,
)
from mastermind_client.config.options import (
    ANYONE,
    CLOCKS,
    DEFAULT_BOT,
    FRIEND,
    HOSTED,
    LEVELS,
    USUAL_ROUNDS,
    ChallengeOptions,
    ContinueOptions,
    DayOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.values import parse_clock, parse_name, parse_opponent, parse_seed
from mastermind_client.language import gettext as _
from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_play(parser: ArgumentParser) -> None:
    """Add the arguments of `play`."""
    from mastermind_protocol.events import Seat  # slow, and other commands need none

    parser.add_argument(
        "--rules",
        help=_("{rules} (default: those played last, {default} at first)").format(
            rules=describe_rule_choices(), default=DEFAULT.name
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
            command=write_command_for_argparse("bots"),
        ),
    )  # fmt: skip
    parser.add_argument(
        "--as",
        dest="seat",
        choices=[seat.value for seat in Seat],
        help=_("sit down as codemaker or codebreaker (default breaker; with anyone: either)"),
    )
    about = _("rounds to play, seats swapping (default {rounds}; with {anyone} or --seed 1)")
    add_rounds_option(parser, about.format(anyone=ANYONE, rounds=USUAL_ROUNDS))
    add_clock_option(parser)
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
    add_interface_options(parser)
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


def add_today(parser: ArgumentParser) -> None:
    """Add the arguments of `today`."""
    parser.add_argument(
        "--rules",
        choices=DAY_RULES,
        default=DEFAULT.name,
        help=_("the rules of the code (default {default})").format(default=DEFAULT.name),
    )
    parser.add_argument(
        "--json", action="store_true", help=_("write the day as JSON, for a program")
    )
    add_interface_options(parser)
    parser.set_defaults(
        build=lambda parsed: DayOptions(
            parsed.settings.server, parsed.rules, name=parsed.settings.name, json=parsed.json
        )
    )


def add_join(parser: ArgumentParser) -> None:
    """Add the arguments of `join`."""
    add_match_code_argument(parser, _("the invite code; without it, choose a waiting public match"))
    add_interface_options(parser)
    parser.set_defaults(
        build=lambda parsed: JoinOptions(
            parsed.code,
            parsed.settings.server,
            parsed.settings.name,
            names_server=parsed.server is not None and parsed.code is not None,
            host=parsed.host_name,
            typed=parsed.code is not None,
        )
    )


def add_challenge(parser: ArgumentParser) -> None:
    """Add the arguments of `challenge`."""
    parser.add_argument(
        "opponent", type=parse_name, metavar=_("PLAYER"),
        help=_("a rated player, an opponent of yours, or anyone connected; has two minutes"),
    )  # fmt: skip
    parser.add_argument(
        "--rules",
        default=DEFAULT.name,
        help=_("{rules} (default {default})").format(
            rules=describe_rule_choices(), default=DEFAULT.name
        ),
    )
    about = _("rounds to play, seats swapping (default {rounds})")
    add_rounds_option(parser, about.format(rounds=USUAL_ROUNDS), USUAL_ROUNDS)
    add_clock_option(parser)
    parser.add_argument(
        "--rated",
        action="store_true",
        help=_(
            "no advice, no programs: 2 or 4 rounds, and a --clock of minutes or seconds "
            "(default {clock})"
        ).format(clock=CLOCKS[0]),
    )
    add_interface_options(parser)
    parser.set_defaults(
        build=lambda parsed: ChallengeOptions(
            parsed.settings.server,
            parsed.opponent,
            find_rules(parsed.rules),
            parsed.settings.name,
            parsed.rounds,
            rated=parsed.rated,
            clock=parse_clock(parsed.clock) or (CLOCKS[0] if parsed.rated else None),
        )
    )


def add_continue(parser: ArgumentParser) -> None:
    """Add the arguments of `continue`."""
    about = _("the match's code; without it, the newest match that waits for you, or the newest")
    add_match_code_argument(parser, about)
    parser.add_argument(
        "--list", dest="listed", action="store_true", help=_("choose from the whole list")
    )
    add_interface_options(parser)
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
    add_match_code_argument(
        parser, _("the match's code; without it, pick one from the list of public matches")
    )
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
            rules=describe_rule_choices(), default=PRESETS["knuth"].name
        ),
    )
    parser.add_argument(
        "--secret", metavar=_("CODE"), help=_("the secret that the bot is to break")
    )
    parser.add_argument("--public", action="store_true", help=_("let others find and watch it too"))
    add_interface_options(parser)
    parser.set_defaults(build=_build_watch)


def _build_watch(parsed: Namespace) -> WatchOptions:
    from mastermind_client.messages.codes import read_code

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
        secret=read_code(parsed.secret, rules) if parsed.secret is not None else None,
        public=parsed.public,
        name=parsed.settings.name,
    )


def add_review(parser: ArgumentParser) -> None:
    """Add the arguments of `review`."""
    add_match_code_argument(
        parser, _("the match's code; without it, pick one from the list of your own")
    )
    add_interface_options(parser)
    parser.set_defaults(
        build=lambda parsed: ReviewOptions(
            parsed.code, parsed.settings.server, parsed.settings.name
        )
    )
