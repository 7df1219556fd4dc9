"""`mastermind bots`: the list of those there are to play with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_language, add_server
from mastermind_client.config.options import BotsOptions

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_server(parser)
    add_language(parser)
    parser.set_defaults(build=lambda parsed: BotsOptions(parsed.server, parsed.name))
