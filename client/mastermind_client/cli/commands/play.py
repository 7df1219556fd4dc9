"""`mastermind play`: against a bot, a friend or anyone."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_interface, add_rounds, describe_rules
from mastermind_client.config.options import ANYONE, DEFAULT_BOT, FRIEND, LEVELS, PlayOptions
from mastermind_client.config.values import parse_opponent, parse_seed
from mastermind_client.language import gettext as _
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--rules",
        help=_("{rules} (default: those played last, {default} at first)").format(
            rules=describe_rules(), default=DEFAULT.name
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
    add_rounds(parser, _("rounds to play, seats swapping (1)"))
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
    add_interface(parser)
    parser.set_defaults(build=_build_play)


def _build_play(parsed: Namespace) -> PlayOptions:
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
