"""A database as the first version made it, to be migrated."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config


def make_first_database(path: Path, newer: Path) -> None:
    """Make a database as the first migration does, with the matches and players of another."""
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        connection.exec_driver_sql("ATTACH ? AS source", (str(newer),))
        config = Config()
        config.set_main_option("script_location", "mastermind_server:storage/migrations")
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql(
            "CREATE TEMP VIEW _tokens AS SELECT player, digest AS token FROM source.tokens"
        )
        sources = {
            "log": "source.log",
            "matches": "source.matches",
            "players": "source.players JOIN _tokens ON player = id",
        }
        for table, source in sources.items():
            names = ", ".join(
                column["name"] for column in sa.inspect(connection).get_columns(table)
            )
            copied = f"INSERT INTO {table} ({names}) SELECT {names} FROM {source}"  # noqa: S608
            connection.exec_driver_sql(copied)
        connection.commit()
    engine.dispose()
