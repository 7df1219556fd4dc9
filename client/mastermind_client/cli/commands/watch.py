"""`mastermind watch`: a match, or one of two bots that is started."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_code, add_interface, describe_rules
from mastermind_client.config.options import WatchOptions
from mastermind_client.config.values import parse_opponent
from mastermind_client.language import gettext as _
from mastermind_protocol.code import parse_code
from mastermind_protocol.rules import PRESETS, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_code(parser, _("the match's code; without it, pick one from the list of public matches"))
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
            rules=describe_rules(), default=PRESETS["knuth"].name
        ),
    )
    parser.add_argument(
        "--secret", metavar=_("CODE"), help=_("the secret that the bot is to break")
    )
    parser.add_argument("--public", action="store_true", help=_("let others find and watch it too"))
    add_interface(parser)
    parser.set_defaults(build=_build_watch)


def _build_watch(parsed: Namespace) -> WatchOptions:
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
