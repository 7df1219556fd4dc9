"""The command `announce`: it lets every node say something to all who are there."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

SUMMARY = "say something to all players who are there, at every node"


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument("text", metavar="TEXT", help="up to 200 characters")


def perform(options: Namespace) -> None:
    """Order it. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.upkeep.orders import announce  # late: SQLAlchemy takes long

    try:
        announce(place, options.text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    print("every node says it within seconds")
