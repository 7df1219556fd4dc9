"""The command `export`: it prints all that is kept of one player."""

from __future__ import annotations

import argparse
import json

from mastermind_server.commands.options import add_place, demand_place

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
        find_players,
    )
    from mastermind_server.upkeep.session import open_session

    with open_session(place) as session:
        found = find_players(session, options.player)
        if len(found) != 1:
            several = f"several are called that: {', '.join(found)}" if found else "is nobody here"
            raise argparse.ArgumentTypeError(f"{options.player!r}: {several}")
        data = export_player(session, found[0])
    print(json.dumps(data, indent=2, ensure_ascii=False, default=bytes.hex))
