"""The command `migrate`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_store_option, find_database

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_migrate_command(parser: ArgumentParser) -> None:
    """Add the arguments of `migrate`."""
    add_store_option(parser)
    parser.set_defaults(perform=_migrate)


def _migrate(options: Namespace) -> None:
    url = find_database(options)
    if not isinstance(url, str):
        raise ArgumentTypeError("name the database: --store URL, or MASTERMIND_STORE")
    # Its driver is an extra.
    from mastermind_server.storage.engines.postgresql import migrate_database

    migrate_database(url)
    print("the tables have this version's schema")
