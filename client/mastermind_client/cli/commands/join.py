"""`mastermind join`: the free seat of a match, or one's own again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_code, add_interface
from mastermind_client.config.options import JoinOptions
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_code(parser, _("the invite code; without it, pick one of the public matches that wait"))
    add_interface(parser)
    parser.set_defaults(
        build=lambda parsed: JoinOptions(parsed.code, parsed.settings.server, parsed.settings.name)
    )
