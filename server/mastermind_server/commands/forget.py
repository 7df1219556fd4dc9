"""The command `forget`: it deletes one player, and what that player has said."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    import argparse

SUMMARY = "delete a player: token, name, archive, and what was said"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument("--player", required=True, metavar="ID", help="as `export` prints it")
    parser.epilog = (
        "The player leaves what it still plays. Its opponents keep their matches, with a guest in"
        " its seat. A SQLite file must have no server just then; PostgreSQL's may have all."
    )


def perform(options: argparse.Namespace) -> None:
    """Forget the player. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.storage.rows import RowTaken  # late: SQLAlchemy takes long
    from mastermind_server.upkeep.personal_data import forget_player
    from mastermind_server.upkeep.session import open_session

    with open_session(place) as session:
        while True:
            try:
                forget_player(session, options.player, int(time.time() * 1000))
            except RowTaken:
                continue  # somebody has moved meanwhile: begin again
            break
        session.notify(session.notices)
        session.connection.exec_driver_sql("VACUUM")  # what was deleted is still in the file
    print(f"{options.player} is forgotten")
