"""What many tests begin with, made once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import sqlalchemy as sa

from mastermind_server.storage.schema import migrate


def lay_out(database: Path) -> None:
    """Make a database without a row in it, if there is no file yet."""
    if not database.exists():
        database.write_bytes(_migrate_once())


@cache
def _migrate_once() -> bytes:
    """Return the file that the migrations make: they take most of a server's start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.sqlite3"
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return path.read_bytes()
