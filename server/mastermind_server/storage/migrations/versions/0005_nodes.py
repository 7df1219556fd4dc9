"""Many nodes: who they are, who follows what by way of them, and more of what lists show."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and the columns; fill what the rows of running matches tell."""
    op.create_table(
        "nodes",
        sa.Column("node", sa.String(16), nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("version", sa.String(40), nullable=False, comment="of the program"),
        sa.Column("started", sa.BigInteger, nullable=False, comment="milliseconds since 1970, UTC"),
        sa.Column("until", sa.BigInteger, nullable=False, comment="its lease, ms since 1970, UTC"),
        sa.Column("connections", sa.Integer, nullable=False),
        sa.Column(
            "draining", sa.Boolean, nullable=False, comment="whether it takes no more clients"
        ),
        sa.PrimaryKeyConstraint("node", name="pk_nodes"),
        comment="the servers that have this database; one whose lease is over is gone",
    )
    op.create_table(
        "presence",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("node", sa.String(16), nullable=False),
        sa.Column(
            "players", sa.String(81), nullable=False, comment="ids of the seated, with blanks"
        ),
        sa.Column("spectators", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("match", "node", name="pk_presence"),
        comment="who follows a match by way of a node, for as long as that has its lease",
    )
    op.create_index("ix_presence_node", "presence", ["node"])
    columns = (
        sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("bots", sa.String(13), nullable=False, server_default="", comment="their seats"),
        sa.Column(
            "shown",
            sa.Boolean,
            nullable=False,
            server_default=sa.false(),
            comment="two bots of the server play, for people to look on",
        ),
        sa.Column(
            "reserved",
            sa.String(40),
            comment="the player whom the free seat of a rematch is kept for",
        ),
        sa.Column("due", sa.BigInteger, comment="when it ends if nobody comes; null: it is over"),
    )
    for column in columns:
        op.add_column("matches", column)
    op.create_index("ix_matches_due", "matches", ["due"])
    if op.get_context().dialect.name == "postgresql":
        op.create_index(
            "ix_log_at",
            "log",
            ["at"],
            postgresql_using="brin",
            postgresql_with={"autosummarize": "on"},
        )
    matches = sa.table("matches", *map(sa.column, ("match", "phase", "changed", "due", "rated")))
    running = sa.table("running", *map(sa.column, ("match", "rated")))
    rated = sa.exists().where(running.c.match == matches.c.match, running.c.rated)
    op.execute(sa.update(matches).where(rated).values(rated=sa.true()))
    unfinished = matches.c.phase != "finished"
    op.execute(sa.update(matches).where(unfinished).values(due=matches.c.changed + _MONTH))


_MONTH = 30 * 24 * 3600 * 1000  # milliseconds


def downgrade() -> None:
    """Drop them."""
    if op.get_context().dialect.name == "postgresql":
        op.drop_index("ix_log_at", "log")
    op.drop_index("ix_matches_due", "matches")
    for name in ("rated", "bots", "shown", "reserved", "due"):
        op.drop_column("matches", name)
    op.drop_table("presence")
    op.drop_table("nodes")
