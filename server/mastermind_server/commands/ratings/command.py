"""The command `ratings`: compares all ratings with the log, and fills what old servers left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.commands.options import add_database_option, require_database
from mastermind_server.commands.ratings.check import find_differences
from mastermind_server.commands.ratings.repair import repair_ratings
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.revisions import SchemaUnknown, check_schema
from mastermind_server.storage.schema import ratings
from mastermind_server.storage.store import SessionMode, open_session

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_ratings_command(parser: ArgumentParser) -> None:
    """Add the arguments of `ratings`."""
    add_database_option(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="compare all ratings with the log")
    what.add_argument(
        "--repair",
        action="store_true",
        help="first fill what servers of an earlier release left out; change nothing else",
    )
    parser.epilog = "Servers may use the database meanwhile. The status is 1 after a difference."
    parser.set_defaults(perform=_perform)


def _perform(options: Namespace) -> None:
    mode = SessionMode.WRITE if options.repair else SessionMode.READ
    with open_session(require_database(options), mode) as session:
        try:
            check_schema(session.connection)
        except SchemaUnknown as error:
            raise DatabaseUnusable(str(error)) from error
        if options.repair:
            for line in repair_ratings(session):
                print(line)
        differences = find_differences(session)
        count = session.connection.scalar(sa.select(sa.func.count()).select_from(ratings))
    for line in differences:
        print(line)
    if differences:
        raise DatabaseUnusable(f"{len(differences)} ratings differ from the log")
    print(f"{count} ratings agree with the log")
