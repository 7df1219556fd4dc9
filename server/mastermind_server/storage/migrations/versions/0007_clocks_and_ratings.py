"""Clocks, ratings, the leaderboard and its names."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and tables."""
    for table in ("archive", "matches", "running"):
        op.add_column(
            table, sa.Column("clock", sa.String(12), comment="name of the clock; null: none")
        )
    op.create_index("ix_matches_reserved_phase", "matches", ["reserved", "phase"])
    op.add_column(
        "nodes",
        sa.Column(
            "ahead",
            sa.BigInteger,
            nullable=False,
            server_default="0",
            comment="node time minus database time, in milliseconds",
        ),
    )
    op.create_table(
        "names",
        sa.Column(
            "skeleton", sa.String(72), nullable=False, comment="equal for names that look alike"
        ),
        sa.Column("player", sa.String(40), nullable=False, comment="id of the owner"),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column(
            "seen", sa.BigInteger, nullable=False, comment="last rated match, ms since 1970, UTC"
        ),
        sa.PrimaryKeyConstraint("skeleton", name="pk_names"),
        comment="names on the leaderboard: each has one owner",
    )
    op.create_index("ix_names_player_seen", "names", ["player", "seen"])
    op.create_table(
        "outages",
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column(
            "began", sa.BigInteger, nullable=False, autoincrement=False, comment="ms of node time"
        ),
        sa.Column("ended", sa.BigInteger, nullable=False, comment="ms of node time"),
        sa.PrimaryKeyConstraint("match", "began", name="pk_outages"),
        comment="times in which the server of a match with a running clock was down",
    )
    op.create_table(
        "ratings",
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("n", sa.Integer, nullable=False, autoincrement=False, comment="from 1, in order"),
        sa.Column("at", sa.BigInteger, nullable=False, comment="match end, ms since 1970, UTC"),
        sa.Column("match", sa.String(6), nullable=False),
        sa.Column("opponent", sa.String(40), nullable=False, comment="id of the opponent"),
        sa.Column(
            "established",
            sa.Boolean,
            nullable=False,
            comment="opponent's rating was not provisional before the match",
        ),
        sa.Column("rating", sa.Double, nullable=False, comment="after the match"),
        sa.Column("deviation", sa.Double, nullable=False, comment="after the match"),
        sa.Column("volatility", sa.Double, nullable=False, comment="after the match"),
        sa.Column("score", sa.Double, nullable=False, comment="1: won, 0.5: draw, 0: lost"),
        sa.Column("rounds", sa.Integer, nullable=False, comment="finished, as codebreaker"),
        sa.Column("broken", sa.Integer, nullable=False, comment="rounds that ended with the code"),
        sa.Column(
            "guesses",
            sa.Integer,
            nullable=False,
            comment="in these rounds; limit + 1 if not broken",
        ),
        sa.Column("luck", sa.Double, comment="guesses lost by bad luck; null: not computed"),
        sa.PrimaryKeyConstraint("player", "rules", "n", name="pk_ratings"),
        comment="rating of each player after each rated match, written in the commit of the log",
    )
    op.create_index("ix_ratings_player_opponent_at", "ratings", ["player", "opponent", "at"])
    op.create_index("ix_ratings_player_at", "ratings", ["player", "at"])
    op.create_table(
        "standings",
        sa.Column("player", sa.String(40), nullable=False),
        sa.Column("rules", sa.String(40), nullable=False),
        sa.Column("n", sa.Integer, nullable=False, comment="number of rated matches"),
        sa.Column("at", sa.BigInteger, nullable=False, comment="last match, ms since 1970, UTC"),
        sa.Column("rating", sa.Double, nullable=False, comment="after the last match"),
        sa.Column("deviation", sa.Double, nullable=False, comment="after the last match"),
        sa.Column("volatility", sa.Double, nullable=False, comment="after the last match"),
        sa.Column("wins", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.Column("losses", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False, comment="sum, as in ratings"),
        sa.Column("broken", sa.Integer, nullable=False, comment="sum, as in ratings"),
        sa.Column("guesses", sa.Integer, nullable=False, comment="sum, as in ratings"),
        sa.Column("luck", sa.Double, comment="sum, as in ratings"),
        sa.Column(
            "opponents", sa.Integer, nullable=False, comment="different established opponents"
        ),
        sa.Column("best", sa.Double, comment="highest rating that was not provisional"),
        sa.Column("best_at", sa.BigInteger, comment="ms since 1970, UTC"),
        sa.PrimaryKeyConstraint("player", "rules", name="pk_standings"),
        comment="sums of the ratings of a player by rules, for the leaderboard",
    )
    op.create_index(
        "ix_standings_leaderboard",
        "standings",
        ["rules", "rating", "player", "n", "opponents", "at", "deviation", "volatility"],
    )


def downgrade() -> None:
    """Drop the tables and columns."""
    op.drop_index("ix_matches_reserved_phase", "matches")
    for table in ("names", "outages", "ratings", "standings"):
        op.drop_table(table)
    op.drop_column("nodes", "ahead")
    for table in ("archive", "matches", "running"):
        op.drop_column(table, "clock")
