"""The command `backup`: it copies a SQLite file, also while a server has it."""

from __future__ import annotations

import argparse
from pathlib import Path

from mastermind_server.commands.options import add_option

SUMMARY = "copy a SQLite file as of one moment, also while a server has it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command is told."""
    add_option(
        parser, "--database", read=Path, metavar="FILE", about="SQLite file with all matches"
    )
    parser.add_argument("copy", type=Path, metavar="COPY", help="file to make")
    parser.epilog = (
        "To restore a copy, stop the server, move FILE, FILE-wal and FILE-shm away, and back the"
        " copy up to FILE. A PostgreSQL database is backed up by pg_dump."
    )


def perform(options: argparse.Namespace) -> None:
    """Make the copy. Raises DatabaseUnusable, FileExistsError or ArgumentTypeError."""
    if options.database is None:
        raise argparse.ArgumentTypeError("which database? --database FILE")
    from mastermind_server.upkeep.backup import back_up  # late: SQLAlchemy takes long

    back_up(options.database, options.copy)
    print(f"{options.copy} is a checked copy of {options.database}")
