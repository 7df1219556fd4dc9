"""The first schema: the log, the lists' projection of it, and the players."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "log",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("version", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("events", sa.LargeBinary, nullable=False, comment="msgpack, as on the wire"),
        sa.Column("player", sa.String(40), comment="whose command it was"),
        sa.Column("request", sa.BigInteger, comment="that player's id for it"),
        sa.PrimaryKeyConstraint("match", "version", name="pk_log"),
        comment="the truth: everything else is a fold of it",
    )
    op.create_index("ix_log_player_request", "log", ["player", "request"], unique=True)
    op.create_table(
        "matches",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("phase", sa.String(10), nullable=False),
        sa.Column("maker", sa.String(24)),
        sa.Column("breaker", sa.String(24)),
        sa.Column("changed", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.PrimaryKeyConstraint("match", name="pk_matches"),
        comment="what lists show of a match, kept in the same commit as the log",
    )
    op.create_index("ix_matches_public_phase_changed", "matches", ["public", "phase", "changed"])
    op.create_table(
        "players",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("token", sa.LargeBinary(32), nullable=False, comment="its SHA-256"),
        sa.Column("created", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("token"),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("players")
    op.drop_table("matches")
    op.drop_table("log")
