"""The bare driver under SQLAlchemy, for what is hot: statements are written once, and only run."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    import sqlite3

    import sqlalchemy as sa
    from sqlalchemy.engine import Connection


def find_driver(connection: Connection) -> sqlite3.Connection:
    """Return the driver's connection under SQLAlchemy's."""
    return cast("sqlite3.Connection", connection.connection.driver_connection)


def compile_statement(statement: sa.ClauseElement) -> str:
    """Return a statement as the driver takes it, with its values in their order."""
    return str(statement.compile(dialect=sqlite.dialect()))
