"""`mastermind continue`: back to a match that was put aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_code, add_interface
from mastermind_client.config.options import ContinueOptions
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    about = _("the match's code; without it, the newest match that waits for you, or the newest")
    add_code(parser, about)
    parser.add_argument(
        "--list", dest="listed", action="store_true", help=_("pick one of all that there are")
    )
    add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: ContinueOptions(
            code=parsed.code,
            server=parsed.server,
            name=parsed.settings.name,
            listed=parsed.listed,
            usual_server=parsed.settings.server,
        )
    )
