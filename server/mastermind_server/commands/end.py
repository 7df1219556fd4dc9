"""The command `end`: it ends a match by the operator's hand."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

SUMMARY = "end a match, whose players are told why"


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument("match", metavar="MATCH", type=str.upper, help="its code")
    parser.add_argument("--reason", metavar="TEXT", default="it has to end", help="what is told")
    parser.epilog = (
        "Whom the match waits for has left it then, so that the other one, if there is one, wins."
    )


def perform(options: Namespace) -> None:
    """Order it. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.upkeep.orders import end  # late: SQLAlchemy takes long

    try:
        end(place, options.match, options.reason)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    print(f"{options.match} is ended within seconds, by a node that runs or the next that does")
