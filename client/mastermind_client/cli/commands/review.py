"""`mastermind review`: how well a finished match was played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_code, add_interface
from mastermind_client.config.options import ReviewOptions
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_code(parser, _("the match's code; without it, pick one from the list of your own"))
    add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: ReviewOptions(
            parsed.code, parsed.settings.server, parsed.settings.name
        )
    )
