"""`mastermind logout`: a server knows this computer no more, or no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_language, add_usual_server
from mastermind_client.config.options import LogoutOptions
from mastermind_client.config.settings import load
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes. The settings hold in a pipe too: who we are is one person."""
    parser.add_argument(
        "--everywhere",
        action="store_true",
        help=_(
            "log every other computer out; this one stays who it is, by a new token: whoever has "
            "copied the old one is out too"
        ),
    )
    add_usual_server(parser)
    add_language(parser)
    parser.epilog = _(
        "This computer forgets who you are on the server. If it was the only one, nobody can be "
        "that player again: its matches are lost. Take it to another computer first: mastermind "
        "transfer."
    )
    parser.set_defaults(
        build=lambda parsed: LogoutOptions(
            parsed.server or load().settings.server, everywhere=parsed.everywhere
        )
    )
