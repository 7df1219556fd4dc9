"""The command `migrate`: it brings the tables of many nodes' database up to this version."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

SUMMARY = "make the tables of a database, or bring them up to this version"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command is told."""
    parser.add_argument("--store", required=True, metavar="URL", help="postgresql://...")


def perform(options: argparse.Namespace) -> None:
    """Migrate the database. Raises DatabaseUnusable."""
    from mastermind_server.storage.postgresql import migrate_database  # its driver is an extra

    migrate_database(options.store)
    print("the tables are this version's")
