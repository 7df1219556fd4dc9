"""The tables, and the migrations that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

metadata = sa.MetaData(
    naming_convention={"pk": "pk_%(table_name)s", "ix": "ix_%(table_name)s_%(column_0_N_name)s"}
)

log = sa.Table(
    "log",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("events", sa.LargeBinary, nullable=False, comment="msgpack, as on the wire"),
    sa.Column("player", sa.String(40), comment="whose command it was"),
    sa.Column("request", sa.BigInteger, comment="that player's id for it"),
    sa.Index("ix_log_player_request", "player", "request", unique=True),
    comment="the truth: everything else is a fold of it",
)

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("match", sa.String(6), primary_key=True),
    sa.Column("rules", sa.String(40), nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("phase", sa.String(10), nullable=False),
    sa.Column("maker", sa.String(24)),
    sa.Column("breaker", sa.String(24)),
    sa.Column("changed", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Index("ix_matches_public_phase_changed", "public", "phase", "changed"),
    comment="what lists show of a match, kept in the same commit as the log",
)

players = sa.Table(
    "players",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("token", sa.LargeBinary(32), nullable=False, unique=True, comment="its SHA-256"),
    sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
)


def migrate(connection: Connection) -> None:
    """Bring the database up to this version's schema."""
    config = Config()
    config.set_main_option("script_location", "mastermind_server:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
