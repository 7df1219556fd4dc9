"""The command `export`: it prints all that is kept of one player."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    import argparse

SUMMARY = "print all that is kept of a player, as JSON"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument("--player", required=True, metavar="PLAYER", help="id or name")
    parser.epilog = (
        "A SQLite file that a server has can be backed up, and the copy be exported from."
    )


def perform(options: argparse.Namespace) -> None:
    """Print it. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.upkeep.personal_data import (  # late: SQLAlchemy takes long
        export_player,
        find_player,
    )
    from mastermind_server.upkeep.session import open_session

    with open_session(place) as session:
        data = export_player(session, find_player(session, options.player))
    print(json.dumps(data, indent=2, ensure_ascii=False, default=bytes.hex))
