"""An index of the standings by the time of the last match, instead of one by rating.

Rankings are kept in memory, and read only standings that have changed.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Replace the index."""
    op.drop_index("ix_standings_leaderboard", "standings")
    op.create_index(
        "ix_standings_rules_at",
        "standings",
        ["rules", "at", "player", "n", "opponents", "rating", "deviation", "volatility"],
    )


def downgrade() -> None:
    """Restore the index by rating."""
    op.drop_index("ix_standings_rules_at", "standings")
    op.create_index(
        "ix_standings_leaderboard",
        "standings",
        ["rules", "rating", "player", "n", "opponents", "at", "deviation", "volatility"],
    )
