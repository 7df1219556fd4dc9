"""The command `ratings --check`: computes all ratings from the log and compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.commands.options import add_database_option, require_database
from mastermind_server.commands.rating_check import find_differences
from mastermind_server.storage.database import DatabaseUnusable
from mastermind_server.storage.revisions import SchemaUnknown, check_schema
from mastermind_server.storage.schema import ratings
from mastermind_server.storage.store import SessionMode, open_session

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_ratings_command(parser: ArgumentParser) -> None:
    """Add the arguments of `ratings`."""
    add_database_option(parser)
    parser.add_argument(
        "--check", action="store_true", required=True, help="compare all ratings with the log"
    )
    parser.epilog = "Servers may use the database meanwhile. The status is 1 after a difference."
    parser.set_defaults(perform=_perform)


def _perform(options: Namespace) -> None:
    with open_session(require_database(options), SessionMode.READ) as session:
        try:
            check_schema(session.connection)
        except SchemaUnknown as error:
            raise DatabaseUnusable(str(error)) from error
        differences = find_differences(session)
        count = session.connection.scalar(sa.select(sa.func.count()).select_from(ratings))
    for line in differences:
        print(line)
    if differences:
        raise DatabaseUnusable(f"{len(differences)} ratings differ from the log")
    print(f"{count} ratings agree with the log")
