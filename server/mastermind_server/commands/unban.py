"""The command `unban`: it lets somebody in again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

SUMMARY = "let a player, or the network of an address, in again"


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument("subject", metavar="PLAYER|ADDRESS", help="as for ban")


def perform(options: Namespace) -> None:
    """Lift the ban. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.upkeep.orders import unban  # late: SQLAlchemy takes long

    print(f"{unban(place, options.subject)} is banned no more, at every node within seconds")
