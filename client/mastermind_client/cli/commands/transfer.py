"""`mastermind transfer`: the same player on another computer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_language, add_usual_server
from mastermind_client.config.options import TransferOptions
from mastermind_client.config.settings import load
from mastermind_client.config.values import parse_transfer_code
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes. The settings hold in a pipe too: who we are is one person."""
    parser.add_argument(
        "code",
        type=parse_transfer_code,
        nargs="?",
        metavar=_("CODE"),
        help=_("the code that the other computer shows; without it, show one here"),
    )
    add_usual_server(parser)
    add_language(parser)
    parser.epilog = _(
        "The code is good for some minutes, and once: whoever types it is you. Both computers are "
        "the same player then, with your name and your matches; to give one up, log out there."
    )
    parser.set_defaults(
        build=lambda parsed: TransferOptions(parsed.server or load().settings.server, parsed.code)
    )
