"""`mastermind bot`: a program of one's own plays on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.bot_runner import options
from mastermind_client.cli.arguments import add_language, add_rounds, add_server
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    options.add_arguments(parser)
    add_rounds(parser, _("rounds of each match, seats swapping (1)"))
    add_server(parser)
    add_language(parser)
