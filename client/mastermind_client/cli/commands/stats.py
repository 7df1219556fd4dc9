"""`mastermind stats`: one's own games in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_cafile, add_language
from mastermind_client.config.options import StatsOptions
from mastermind_client.config.settings import load
from mastermind_client.config.values import parse_server
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes. The settings hold in a pipe too: the games are one person's."""
    parser.add_argument(
        "--server",
        type=parse_server,
        metavar="URL",
        help=_("the server to ask (default: the settings' one, if you have played there)"),
    )
    add_cafile(parser)
    parser.add_argument("--json", action="store_true", help=_("write them as JSON, for a program"))
    add_language(parser)
    parser.set_defaults(
        build=lambda parsed: StatsOptions(
            parsed.server, usual_server=load().settings.server, json=parsed.json
        )
    )
