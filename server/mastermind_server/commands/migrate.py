"""The command `migrate`: it brings the tables of many nodes' database up to this version."""

from __future__ import annotations

import argparse

from mastermind_server.commands.options import add_store, find_place

SUMMARY = "make the tables of a database, or bring them up to this version"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command is told."""
    add_store(parser)


def perform(options: argparse.Namespace) -> None:
    """Migrate the database. Raises DatabaseUnusable, or ArgumentTypeError."""
    url = find_place(options)
    if not isinstance(url, str):
        raise argparse.ArgumentTypeError("which database? --store, or MASTERMIND_STORE")
    from mastermind_server.storage.postgresql import migrate_database  # its driver is an extra

    migrate_database(url)
    print("the tables are this version's")
